/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Work requests and work completions (IBA 10.8, 11.4.1, 11.4.2; ibv_post_send(3), ibv_poll_cq(3)).
 */
#ifndef XRDMA_WR_H
#define XRDMA_WR_H

#include <linux/types.h>

#include "error.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_ah;
struct xrdma_mr;
struct xrdma_mw;
struct xrdma_qp;

/* Kinds of requests, with the numbers of enum ibv_wr_opcode. */
enum xrdma_wr_opcode {
	XRDMA_WR_RDMA_WRITE = 0,
	XRDMA_WR_RDMA_WRITE_WITH_IMM = 1,
	XRDMA_WR_SEND = 2,
	XRDMA_WR_SEND_WITH_IMM = 3,
	XRDMA_WR_RDMA_READ = 4, /* the local keys need LOCAL_WRITE */
	/*
	 * The former value of the word arrives in 8 bytes of local memory, in this machine's byte
	 * order.
	 */
	XRDMA_WR_ATOMIC_CMP_AND_SWP = 5,
	XRDMA_WR_ATOMIC_FETCH_AND_ADD = 6,
	XRDMA_WR_LOCAL_INV = 7, /* end the key of a window of type 2, or of an mkey */
	XRDMA_WR_BIND_MW = 8,	/* of type 2: mw.h */
	XRDMA_WR_SEND_WITH_INV = 9,
	XRDMA_WR_DRIVER1 = 11, /* configures an mkey; made by xrdma_wr_mkey_configure() */
};

/* Flags of requests, with the numbers of enum ibv_send_flags. */
enum {
	XRDMA_SEND_FENCE = 1 << 0, /* begin after the READs and atomics before it are complete */
	XRDMA_SEND_SIGNALED = 1 << 1,
	XRDMA_SEND_SOLICITED = 1 << 2, /* only for requests that complete a receive */
	/* The bytes are copied during the call, from any memory; keys are ignored. */
	XRDMA_SEND_INLINE = 1 << 3,
};

/* Memory that a window is bound to. */
struct xrdma_mw_bind_info {
	struct xrdma_mr *mr; /* with XRDMA_ACCESS_MW_BIND, of the window's domain */
	__u64 addr;	     /* first byte, as an address of the region */
	__u64 length;	     /* bytes */
	/*
	 * XRDMA_ACCESS_REMOTE_*. The region need not have them, but REMOTE_WRITE and REMOTE_ATOMIC
	 * need its LOCAL_WRITE (10.6.7.2.2). With XRDMA_ACCESS_ZERO_BASED the first byte has
	 * address 0 for peers, without it ADDR.
	 */
	unsigned int access;
	__u32 reserved32; /* 0 */
};

/* A request. */
struct xrdma_send_wr {
	__u64 wr_id; /* the caller's value for the completion */
	struct xrdma_send_wr *next;
	const struct xrdma_sge *sg_list; /* with keys only in a domain with MR_MODE_LOCAL (pd.h) */
	__u32 num_sge;
	enum xrdma_wr_opcode opcode;
	unsigned int flags; /* XRDMA_SEND_* */
	union {
		__be32 imm;	      /* for WITH_IMM */
		__u32 invalidate_key; /* for WITH_INV: a key of the peer; for LOCAL_INV: our own */
	};
	/*
	 * Key of the peer's memory, or the result of xrdma_mr_map_raw(). For BIND_MW: the window's
	 * new key.
	 */
	__u64 rkey;
	__u64 remote_addr; /* atomics: a multiple of 8 */
	/* Atomics: the value to compare the word with, or to add to it. */
	__u64 compare_add;
	__u64 swap;	     /* for CMP_AND_SWP: the new value */
	struct xrdma_mw *mw; /* for BIND_MW, like BIND_INFO */
	struct xrdma_mw_bind_info bind_info;
	/*
	 * For UD: the destination, and its QPN and Q_Key. If the upper bit of the Q_Key is set, the
	 * Q_Key of this queue pair is sent instead (IBA 10.2.5).
	 */
	struct xrdma_ah *ah;
	__u32 remote_qpn;
	__u32 remote_qkey;
};

/* A receive: memory for one message. */
struct xrdma_recv_wr {
	__u64 wr_id; /* the caller's value for the completion */
	struct xrdma_recv_wr *next;
	const struct xrdma_sge *sg_list; /* filled in order; keys, if any, need LOCAL_WRITE */
	__u32 num_sge;
};

/*
 * Results of requests and receives: X(symbol, number as in enum ibv_wc_status, text). All that are
 * posted in ERR, or under way when the queue pair enters it, get WR_FLUSH_ERR.
 */
/* clang-format off */
#define XRDMA_WC_STATUSES(X)                                                               \
	X(SUCCESS, 0, "success")                                                           \
	X(LOC_LEN_ERR, 1, "the message is longer than its receive")                        \
	X(LOC_PROT_ERR, 4, "a local key does not allow the access")                        \
	X(WR_FLUSH_ERR, 5, "flushed: the queue pair is in ERR")                            \
	X(MW_BIND_ERR, 6, "the window, key or mkey cannot be changed like this")           \
	X(BAD_RESP_ERR, 7, "the peer's response does not fit the request")                 \
	X(REM_INV_REQ_ERR, 9, "the peer refused the request as invalid")                   \
	X(REM_ACCESS_ERR, 10, "the remote key does not allow the access")                  \
	X(REM_OP_ERR, 11, "the peer could not execute the request")                        \
	X(RETRY_EXC_ERR, 12, "no response after retry_cnt retransmissions")                \
	X(RNR_RETRY_EXC_ERR, 13, "the peer was not ready after rnr_retry retransmissions")
/* clang-format on */

enum xrdma_wc_status {
#define X(symbol, number, ...) XRDMA_WC_##symbol = number,
	XRDMA_WC_STATUSES(X)
#undef X
};

/* Kinds of completions, with the numbers of enum ibv_wc_opcode. */
enum xrdma_wc_opcode {
	XRDMA_WC_SEND = 0,
	XRDMA_WC_RDMA_WRITE = 1,
	XRDMA_WC_RDMA_READ = 2,
	XRDMA_WC_COMP_SWAP = 3,
	XRDMA_WC_FETCH_ADD = 4,
	XRDMA_WC_BIND_MW = 5,
	XRDMA_WC_LOCAL_INV = 6,
	XRDMA_WC_RECV = 128,
	XRDMA_WC_RECV_RDMA_WITH_IMM = 129,
	XRDMA_WC_DRIVER1 = 135,
};

/* Flags of completions, with the numbers of enum ibv_wc_flags. */
enum {
	XRDMA_WC_GRH = 1 << 0, /* the receive begins with 40 bytes for the IP header (UD) */
	XRDMA_WC_WITH_IMM = 1 << 1,
	XRDMA_WC_WITH_INV = 1 << 3,
};

/* A completion. */
struct xrdma_wc {
	__u64 wr_id;
	enum xrdma_wc_status status;
	enum xrdma_wc_opcode opcode; /* only for SUCCESS, like all fields but qpn, vendor_err */
	__u32 byte_len;		     /* of the message, with the 40 bytes of a GRH */
	__u32 qpn;
	__u32 vendor_err;   /* for LOC_PROT_ERR, MW_BIND_ERR: the reason, enum xrdma_verdict */
	unsigned int flags; /* XRDMA_WC_* */
	union {
		__be32 imm;	       /* for WITH_IMM */
		__u32 invalidated_key; /* for WITH_INV: the key no longer gives access to memory */
	};
	__u32 src_qpn;	   /* of a received datagram: the sender */
	__u64 reserved[3]; /* for later completions: 0 */
};

/* Describe STATUS in a few words; never NULL. */
XRDMA_API const char *xrdma_wc_status_str(enum xrdma_wc_status status);

/*
 * Start a chain of requests to QP, as ibv_wr_start(3). Add requests by xrdma_wr_add(), and by the
 * calls of mkey.h, sig.h and crypto.h for requests with attributes. End the chain by
 * xrdma_wr_complete() or xrdma_wr_abort(), also after an error.
 *
 * QP belongs to the calling thread until then. Other threads that use QP wait, and this thread may
 * make no other call with it. xrdma_wr_complete() returns the first error; the other calls do
 * nothing after it.
 */
XRDMA_API void xrdma_wr_start(struct xrdma_qp *qp);

/* Add WR to the chain of QP. It is posted as by xrdma_qp_post_send(). WR->next is ignored. */
XRDMA_API void xrdma_wr_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr);

/*
 * Post the chain of QP. Returns 0 or, with no request posted, the first error: one of
 * xrdma_qp_post_send(), or one of the call that added the request.
 */
XRDMA_API int xrdma_wr_complete(struct xrdma_qp *qp);

/* Drop the chain of QP. */
XRDMA_API void xrdma_wr_abort(struct xrdma_qp *qp);

#ifdef __cplusplus
}
#endif
#endif

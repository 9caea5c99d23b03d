/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Queue pairs (IBA 10.2.4, 10.3, 11.2.5; ibv_create_qp(3), ibv_modify_qp(3)). All calls are thread
 * safe.
 *
 * The reliable connected service (RC) acknowledges each packet, and repeats packets that are lost.
 * The unreliable connected service (UC) does neither. UC has SEND and WRITE, both also with
 * immediate data. A request of UC is complete when it is sent. If one of its packets is lost, the
 * whole message is lost: the peer gets no completion, and of a WRITE any part may be in the peer's
 * memory.
 */
#ifndef XRDMA_QP_H
#define XRDMA_QP_H

#include "ah.h"
#include "cq.h"
#include "pd.h"
#include "srq.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_qp;

enum {
	XRDMA_SEND_WR_MAX = 1 << 14, /* work requests in a send queue */
	XRDMA_SEND_SGE_MAX = 32,     /* data segments of one; XRDMA_RECV_SGE_MAX of a receive */
	XRDMA_RECV_WR_MAX = 1 << 14, /* receives in a receive queue */
	XRDMA_INLINE_MAX = 4096,     /* bytes */
};

/* Optional operations of a queue pair, with the numbers of MLX5DV_QP_EX_WITH_*. */
enum {
	XRDMA_QP_WITH_MKEY_CONFIGURE = 1 << 2, /* mkey.h */
};

/* Attributes for creating a queue pair. */
struct xrdma_qp_init_attr {
	size_t sz;	    /* of this struct */
	__u8 transport;	    /* XRDMA_TRANSPORT_RC, UC or UD */
	__u8 sq_sig_all;    /* every request gets a completion, as if it were SIGNALED */
	__u16 max_inline;   /* bytes, up to XRDMA_INLINE_MAX */
	__u32 max_send_wr;  /* at least 1, up to XRDMA_SEND_WR_MAX */
	__u32 max_send_sge; /* up to XRDMA_SEND_SGE_MAX */
	struct xrdma_cq *send_cq;
	struct xrdma_cq *recv_cq; /* may be send_cq */
	__u32 max_recv_wr;	  /* up to XRDMA_RECV_WR_MAX; 0: no SENDs are received */
	__u32 max_recv_sge;	  /* up to XRDMA_RECV_SGE_MAX */
	__u32 send_ops;		  /* XRDMA_QP_WITH_* */
	/*
	 * An authorization key and its size in bytes: requests reach only regions of the peer with
	 * the same key. If the size is 0, the queue pair has that of PD.
	 */
	size_t auth_key_size;
	const __u8 *auth_key;
	/*
	 * A shared receive queue of the same domain, instead of receives of its own. Then
	 * max_recv_wr and max_recv_sge are ignored. NULL: none.
	 */
	struct xrdma_srq *srq;
};

/*
 * Create a queue pair of PD, in state RESET. Destroy *QP with xrdma_qp_destroy(). Returns 0 or
 * -EINVAL (a size is out of its range, or a completion queue is missing or of another context),
 * -EOPNOTSUPP (another service), -ENOMEM (the context has no more queue pairs, no more segments, or
 * no memory).
 */
XRDMA_API int xrdma_qp_create(struct xrdma_pd *pd, const struct xrdma_qp_init_attr *attr,
			      struct xrdma_qp **qp);

/*
 * Destroy QP. When the call returns, no packet to it is handled. Returns 0 or -EBUSY (memory
 * windows of type 2A are bound to it: mw.h).
 */
XRDMA_API int xrdma_qp_destroy(struct xrdma_qp *qp);

/* Return the number (QPN) of QP, for its peer. */
XRDMA_API __u32 xrdma_qp_number(const struct xrdma_qp *qp);

/*
 * Numeric attributes: X(symbol, bit as in enum ibv_qp_attr_mask, field of struct xrdma_qp_attr,
 * least and greatest value). In a mask, XRDMA_QP_<symbol> selects the attribute, and XRDMA_QP_AV
 * the path.
 */
/* clang-format off */
#define XRDMA_QP_ATTRS(X)                                                 \
	X(STATE, 0, state, XRDMA_QPS_RESET, XRDMA_QPS_ERR)                  \
	X(CUR_STATE, 1, cur_state, XRDMA_QPS_RESET, XRDMA_QPS_ERR)          \
	X(EN_SQD_ASYNC_NOTIFY, 2, en_sqd_async_notify, 0, 1)              \
	X(ACCESS_FLAGS, 3, access, 0, 0xf)                                \
	X(PKEY_INDEX, 4, pkey_index, 0, 0)                                \
	X(PORT, 5, port, 1, 1)                                            \
	X(QKEY, 6, qkey, 0, 0xffffffff)                                   \
	X(PATH_MTU, 8, path_mtu, XRDMA_MTU_MIN, XRDMA_MTU_MAX)            \
	X(TIMEOUT, 9, timeout, 0, 31)                                     \
	X(RETRY_CNT, 10, retry_cnt, 0, 7)                                 \
	X(RNR_RETRY, 11, rnr_retry, 0, 7)                                 \
	X(RQ_PSN, 12, rq_psn, 0, XRDMA_PSN_MASK)                          \
	X(MAX_QP_RD_ATOMIC, 13, max_rd_atomic, 0, XRDMA_RD_ATOMIC_MAX)    \
	X(MIN_RNR_TIMER, 15, min_rnr_timer, 0, 31)                        \
	X(SQ_PSN, 16, sq_psn, 0, XRDMA_PSN_MASK)                          \
	X(MAX_DEST_RD_ATOMIC, 17, max_dest_rd_atomic, 0, XRDMA_RD_ATOMIC_MAX) \
	X(DEST_QPN, 20, dest_qpn, 2, XRDMA_QPN_MASK)
/* clang-format on */

enum {
#define X(symbol, bit, ...) XRDMA_QP_##symbol = 1 << bit,
	XRDMA_QP_ATTRS(X)
#undef X
		XRDMA_QP_AV = 1 << 7,
};

/*
 * The upper bit of a Q_Key (IBA 10.2.5). Only a process with CAP_NET_RAW can give a queue pair
 * such a Q_Key. In a request it selects the Q_Key of the queue pair that sends.
 */
#define XRDMA_QKEY_PRIVILEGED 0x80000000U

/* Attributes of a queue pair; compare struct ibv_qp_attr. */
struct xrdma_qp_attr {
	size_t sz; /* of this struct */
	enum xrdma_qp_state state;
	enum xrdma_qp_state cur_state;
	__u32 access;	  /* XRDMA_ACCESS_REMOTE_* of the peer */
	__u16 path_mtu;	  /* bytes: 256, 512, 1024, 2048 or 4096 */
	__u16 pkey_index; /* 0 */
	__u8 port;	  /* 1 */
	/*
	 * Code of the time to wait for a response, up to 31; 0: no limit. The first transmission
	 * waits 4.096 us * 2^timeout, the second twice as long, all others four times as long. With
	 * 14 and a retry_cnt of 7, the values of xrdma_conn_connect(), a connection ends after 1.8
	 * s of silence. Linux checks once a second for links that are up again (linkwatch), so a
	 * link that was down for 0.4 s may carry nothing for 1 s. Use a longer timeout if links
	 * fail for more than 0.8 s.
	 */
	__u8 timeout;
	/*
	 * Number of retransmissions, up to 7, since the peer last acknowledged a packet or sent an
	 * RNR NAK.
	 */
	__u8 retry_cnt;
	/*
	 * Number of retransmissions after RNR NAKs, up to 6, if nothing is acknowledged meanwhile;
	 * 7: no limit. A peer sends an RNR NAK if it has posted no receive, if memory registered on
	 * demand is missing, and while it forks. Use 7 if the peer's process forks often.
	 */
	__u8 rnr_retry;
	__u8 min_rnr_timer; /* code of the time that a peer waits after an RNR NAK, up to 31 */
	/*
	 * READs and atomics of this side that may be outstanding, up to XRDMA_RD_ATOMIC_MAX. A READ
	 * counts once for each packet of its response.
	 */
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic; /* outstanding ones of the peer, up to XRDMA_RD_ATOMIC_MAX */
	__u32 dest_qpn;
	__u32 rq_psn; /* of the first packet received; 24 bits */
	__u32 sq_psn; /* of the first packet sent; 24 bits */
	struct xrdma_ah_attr ah_attr;
	__u32 qkey;	  /* UD: of datagrams for this queue pair */
	__u8 sq_draining; /* from xrdma_qp_query() in SQD: requests are still under way */
	/* For SQD: 1: there is an event SQ_DRAINED (async.h) when no request is under way. */
	__u8 en_sqd_async_notify;
};

/*
 * Set the attributes in MASK. With XRDMA_QP_STATE also change the state: RESET, INIT, RTR (from now
 * on XDP executes the peer's requests), RTS, SQD, ERR. ibv_modify_qp(3) has the table of attributes
 * for each change of state. In SQD requests under way continue to their end, and no other begins;
 * when none is left, the path to the peer can be changed, including AV. A queue pair of UC enters
 * SQE when one of its requests fails, flushes later requests, and still receives. RTS lets it send
 * again.
 *
 * The change to RTR, and AV in SQD, look up the route and open a UDP socket in the network
 * namespace of the caller, which must be the device's. When the call returns, no packet of the peer
 * has access that XRDMA_QP_ACCESS_FLAGS has removed; a READ of several packets under way has
 * failed.
 *
 * After an error nothing has changed. Returns 0 or -EINVAL (no such change of state; an attribute
 * is missing, not allowed there, or out of its range; or the route to the peer is too narrow for
 * PATH_MTU), -EBUSY (the send queue is not drained yet), -ENETUNREACH (no route to the peer on this
 * device), -EADDRNOTAVAIL (SOURCE is not an address of the device), -EADDRINUSE (another socket has
 * the UDP port UDP_SPORT), -EACCES (an IPsec policy covers the path, and RoCE packets would bypass
 * it; only a caller with CAP_NET_ADMIN can see policies), -EMFILE (RLIMIT_NOFILE: each queue pair
 * has a socket), or another error of the kernel.
 */
XRDMA_API int xrdma_qp_modify(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
			      unsigned int mask);

/*
 * Return the attributes of QP in *ATTR, with the present state and PSNs. Set ATTR->sz before.
 * Returns 0 or -EINVAL (ATTR->sz is not a size of the struct).
 */
XRDMA_API int xrdma_qp_query(struct xrdma_qp *qp, struct xrdma_qp_attr *attr);

/*
 * Post the chain of requests that begins with WR, in order (10.8.3; ibv_post_send(3)). Requests
 * complete in order. A request gets an entry in the send completion queue if it is SIGNALED, if the
 * queue pair is sq_sig_all, or if it failed. Memory that is not INLINE belongs to the request until
 * it is complete. In ERR and SQE requests are accepted and flushed. A flushed request may have been
 * executed, because its acknowledgement can arrive after the queue pair has stopped.
 *
 * After an error *BAD is the first request that was not posted; all requests before it were posted.
 * Returns 0 or -EINVAL (the state is RESET, INIT or RTR, a flag is unknown, or there are too many
 * segments, inline bytes or bytes), -EOPNOTSUPP (the opcode is not supported), -ENOMEM (the send
 * queue is full: poll first; or, in a domain without XRDMA_MR_MODE_LOCAL, the heap has no room for
 * the result, or there are no more keys).
 */
XRDMA_API int xrdma_qp_post_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr,
				 const struct xrdma_send_wr **bad);

/*
 * Post the chain of receives that begins with WR, in order (10.8.3; ibv_post_recv(3)). XDP stores
 * the messages of SENDs there, without the process. A WRITE with immediate also takes a receive,
 * but does not touch its memory. Receives complete in order, in the receive completion queue, and
 * own their memory until then. Keys are checked when a message arrives. In ERR receives are
 * accepted and flushed.
 *
 * After an error *BAD is the first receive that was not posted; all receives before it were posted.
 * Returns 0 or -EINVAL (the state is RESET, or there are too many segments), -ENOMEM (the receive
 * queue is full: poll first; or, in a domain without XRDMA_MR_MODE_LOCAL, the heap has no room for
 * the message, or there are no more keys).
 */
XRDMA_API int xrdma_qp_post_recv(struct xrdma_qp *qp, const struct xrdma_recv_wr *wr,
				 const struct xrdma_recv_wr **bad);

#ifdef __cplusplus
}
#endif
#endif

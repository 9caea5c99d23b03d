/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A send queue: which requests it holds, which of their packets are sent and acknowledged, and what
 * completes. Packets are counted with 64 bits from the first PSN on, so that none is taken for
 * another; the PSN is the lower 24. The lock of the queue pair is held; by who takes completions,
 * that of the completion queue instead; to start with requests in it takes both.
 */
#ifndef XRDMA_USER_QUEUE_SQ_H
#define XRDMA_USER_QUEUE_SQ_H

#include <xrdma/qp.h>

#include "lib/ring.h"
#include "lib/wr.h"

/* A posted request. */
struct xrdma_wqe {
	__u64 wr_id;
	__u64 first; /* its packets, which may be none */
	__u64 end;
	__u64 sends;	 /* packets that are sent for those before it */
	__u32 rd_atomic; /* its number among those that fetch, or that of the next of them */
	union {
		struct {
			__u64 remote_addr;
			__u64 compare_add; /* of atomics */
			__u64 swap;
		};
		struct xrdma_bind bind;	     /* of BIND_MW */
		struct xrdma_mkey_conf conf; /* of DRIVER1 */
	};
	__u32 rkey;
	union {
		__be32 imm;
		__u32 invalidate_key;
	};
	__u32 length; /* bytes */
	__u32 vendor_err;
	__u16 num_sge;
	__u8 opcode; /* enum xrdma_wr_opcode */
	__u8 flags;  /* XRDMA_SEND_* */
	__u8 status; /* enum xrdma_wc_status; but for SUCCESS nothing of it is sent any more */
	const struct xrdma_wr_info *info;
	struct xrdma_sge *sges;
	__u8 *inline_bytes;	   /* of INLINE, in place of the sges */
	struct xrdma_stage *stage; /* that the SGES are of, or NULL */
};

/*
 * Requests and packets are counted apart, since a request may have no packets.
 * RING.HEAD <= DONE <= CURRENT <= BEGUN <= RING.TAIL, until the queue is stopped.
 */
struct xrdma_sq {
	struct xrdma_ring ring; /* of requests: the head is the oldest that was not polled */
	struct xrdma_wqe *wqes;
	struct xrdma_sge *sges;
	__u8 *inline_bytes;
	struct xrdma_layout_entry *layouts;
	__u32 layout_entries;		    /* that a request has room for */
	struct xrdma_transform *transforms; /* one for each request, or none */
	__u32 staged;			    /* requests that have a stage */
	__u64 done;    /* the oldest that is not acknowledged as a whole, or not begun */
	__u64 current; /* the one that comes next */
	__u64 begun;   /* those before were begun */
	bool stopped;
	__u64 acked;	  /* packets before are acknowledged */
	__u64 next;	  /* packet to be sent */
	__u64 sent;	  /* packets before were sent */
	__u64 end;	  /* packet after the last of all */
	__u64 sends;	  /* packets that are sent for all: one for a READ, whatever comes back */
	__u32 rd_atomics; /* READs and atomics */
	__u32 window;	  /* packets that may be under way, those of responses too */
	__u64 since; /* ns: when the peer was last heard, or the time began to run; 0: just now */
	bool due;    /* the next packet was due, and is not sent yet */
	__u32 naks;  /* of the queue pair's row that were looked at */
	__u32 rnr_naks;
	__u64 resume; /* ns: when to send again what the peer was not ready for; 0: now */
	__u8 retries; /* since the peer acknowledged something or sent an RNR NAK */
	__u8 rnr_retries;
};

/* Whether it brings data. */
static inline bool xrdma_wqe_fetches(const struct xrdma_wqe *wqe)
{
	return wqe->info->flags & XRDMA_WRF_FETCHES;
}

/* What a packet of a message carries, or asks for. */
struct xrdma_wqe_packet {
	__u32 offset; /* bytes of the message before it */
	__u32 length;
};

/* That of a READ asks for all that has not come. */
static inline struct xrdma_wqe_packet xrdma_wqe_packet(const struct xrdma_wqe *wqe, __u64 number,
						       __u16 mtu)
{
	__u32 offset = (number - wqe->first) * mtu, left = wqe->length - offset;
	bool all = left < mtu || xrdma_wqe_fetches(wqe);

	return (struct xrdma_wqe_packet){ offset, all ? left : mtu };
}

/* Returns 0 or -ENOMEM. */
int xrdma_sq_init(struct xrdma_sq *sq, const struct xrdma_qp_init_attr *init);
void xrdma_sq_exit(struct xrdma_sq *sq);

/* Forget all requests; the next packet has this PSN. */
void xrdma_sq_start(struct xrdma_sq *sq, __u32 psn);

/* Whether time runs: a packet waits for an acknowledgement, or for room to be sent in. */
static inline bool xrdma_sq_is_timed(const struct xrdma_sq *sq)
{
	return sq->next > sq->acked || sq->due;
}

static inline struct xrdma_wqe *xrdma_sq_at(const struct xrdma_sq *sq, __u64 number)
{
	return &sq->wqes[xrdma_ring_place(&sq->ring, number)];
}

/* Add a checked WR of LENGTH bytes, which has so many PACKETS, to a queue that is not full. */
void xrdma_sq_add(struct xrdma_sq *sq, const struct xrdma_send_wr *wr, __u32 length, __u64 packets);

/* The one that was added last uses STAGE, which is the queue's from now on, or NULL. */
void xrdma_sq_stage(struct xrdma_sq *sq, struct xrdma_stage *stage);

/* Requests from FROM on, to before TO, have no stages any more. */
void xrdma_sq_unstage(struct xrdma_sq *sq, __u64 from, __u64 to);

/* What the request that was added last is to make of an mkey, which is nothing yet. */
struct xrdma_mkey_conf *xrdma_sq_configure(struct xrdma_sq *sq);

/* A place in the queue, to which it can be brought back while nothing behind is begun. */
struct xrdma_sq_mark {
	__u64 tail;
	__u64 end;
	__u64 sends;
	__u32 rd_atomics;
};

struct xrdma_sq_mark xrdma_sq_mark(const struct xrdma_sq *sq);
void xrdma_sq_return(struct xrdma_sq *sq, const struct xrdma_sq_mark *mark);

/* Everything before PSN is acknowledged. Returns whether that is news. */
bool xrdma_sq_ack(struct xrdma_sq *sq, __u32 psn);

/* Send again from the first packet that is not acknowledged. */
void xrdma_sq_rewind(struct xrdma_sq *sq);

/*
 * The same after a loss. What was under way is lost with it, so half as much may be from now on,
 * and more with each packet that is acknowledged.
 */
void xrdma_sq_shrink(struct xrdma_sq *sq);

/* PACKET, of request CURRENT, and those behind it have not left: they are due. */
void xrdma_sq_unsend(struct xrdma_sq *sq, __u64 packet, __u64 current);

/*
 * Packets of the current request that the next one that is sent stands for: those of a READ that
 * are to come.
 */
__u64 xrdma_sq_stride(const struct xrdma_sq *sq);

/* Whether the next packet is within the window, or alone under way. */
bool xrdma_sq_has_room(const struct xrdma_sq *sq);

/* Packets that were sent, up to NEXT, and are not acknowledged. */
__u64 xrdma_sq_under_way(const struct xrdma_sq *sq);

/* Packets that are yet to be sent, NEXT and those behind it. */
__u64 xrdma_sq_pending(const struct xrdma_sq *sq);

/* Move on by a packet of the current request, which was sent; or by the request, if it has none. */
void xrdma_sq_advance(struct xrdma_sq *sq);

/*
 * Only the oldest request that is not done can have failed: it keeps its status. All others, and
 * those to come, are flushed (10.8.5.1).
 */
void xrdma_sq_stop(struct xrdma_sq *sq);

/* Requests before this number are complete. */
static inline __u64 xrdma_sq_end(const struct xrdma_sq *sq)
{
	return sq->stopped ? sq->ring.tail : sq->done;
}

/*
 * Take up to MAX completions of queue pair QPN into WC, of requests before number END, which are
 * complete. Of all that is here, it looks at these requests only. Returns how many.
 */
int xrdma_sq_complete(struct xrdma_sq *sq, __u32 qpn, __u64 end, int max, struct xrdma_wc *wc);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A send queue: its requests, the packet to send next, and the requests that are complete. Packets
 * are counted with 64 bits from the first PSN on, so that no two have the same number. The PSN is
 * the lower 24 bits. The queue does not know acknowledgements: see flow.h.
 *
 * The caller holds the lock of the queue pair. xrdma_sq_complete() needs the lock of the completion
 * queue instead, and xrdma_sq_start() needs both if the queue has requests.
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
	__u8 *inline_bytes;	     /* of INLINE, in place of the sges */
	struct xrdma_bounce *bounce; /* that SGES names, or NULL */
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
	__u32 bounces;			    /* number of requests that have one */
	__u64 done;    /* the oldest of which a packet is not acknowledged, or that is not begun */
	__u64 current; /* the one that comes next */
	__u64 begun;   /* those before were begun */
	bool stopped;
	__u64 next;	  /* packet to be sent */
	__u64 end;	  /* packet after the last of all */
	__u64 sends;	  /* packets that are sent for all: one for a READ, whatever comes back */
	__u32 rd_atomics; /* READs and atomics */
	bool due;	  /* the next packet was due, and is not sent yet */
};

/* Whether it brings data. */
static inline bool xrdma_wqe_fetches(const struct xrdma_wqe *wqe)
{
	return wqe->info->flags & XRDMA_WRF_FETCHES;
}

/* Payload that a packet carries, or asks for. */
struct xrdma_wqe_packet {
	__u32 offset; /* bytes of the message before it */
	__u32 length;
};

/* Return packet NUMBER of WQE. A READ asks for all that has not arrived. */
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

static inline struct xrdma_wqe *xrdma_sq_at(const struct xrdma_sq *sq, __u64 number)
{
	return &sq->wqes[xrdma_ring_place(&sq->ring, number)];
}

/* Add a checked WR of LENGTH bytes, which has so many PACKETS, to a queue that is not full. */
void xrdma_sq_add(struct xrdma_sq *sq, const struct xrdma_send_wr *wr, __u32 length, __u64 packets);

/* The request that was added last uses BOUNCE, or none if that is NULL. The queue releases it. */
void xrdma_sq_set_bounce(struct xrdma_sq *sq, struct xrdma_bounce *bounce);

/* Release the bounces of the requests from number FROM up to, but not including, TO. */
void xrdma_sq_release_bounces(struct xrdma_sq *sq, __u64 from, __u64 to);

/* Return the mkey configuration of the newest request, which is still empty. */
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

/*
 * The packets before PACKET need not be sent again: requests that are begun and have no other
 * packets are done. PACKET belongs to the oldest request that is not done then.
 */
void xrdma_sq_finish(struct xrdma_sq *sq, __u64 packet);

/* Send again from PACKET on, which belongs to the oldest request that is not done. */
void xrdma_sq_rewind(struct xrdma_sq *sq, __u64 packet);

/* PACKET, of request CURRENT, and those behind it have not left: they are due. */
void xrdma_sq_unsend(struct xrdma_sq *sq, __u64 packet, __u64 current);

/*
 * Packets of the current request that the next one that is sent stands for: those of a READ that
 * are to come.
 */
__u64 xrdma_sq_stride(const struct xrdma_sq *sq);

/*
 * Returns how many packets were sent from PACKET on, up to the next one. PACKET belongs to the
 * oldest request that is not done.
 */
__u64 xrdma_sq_sends_since(const struct xrdma_sq *sq, __u64 packet);

/* Packets that are yet to be sent, NEXT and those behind it. */
__u64 xrdma_sq_pending(const struct xrdma_sq *sq);

/*
 * Move on by a packet of the current request, which was sent, or by the whole request if it has no
 * packets. Such a request is done when xrdma_sq_finish() is called next.
 */
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

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
#include "net/path.h"

/* The destination of a datagram. It is a copy, because its address handle may be gone. */
struct xrdma_datagram_to {
	struct xrdma_path path;
	__u32 qpn;
	__u32 qkey;
};

/* A request that was posted. */
struct xrdma_wqe {
	__u64 wr_id;
	__u64 first; /* packets from FIRST up to END; there may be none */
	__u64 end;
	__u64 sends;	 /* number of packets that are sent for the requests before it */
	__u32 rd_atomic; /* number among READs and atomics, or the number of the next one */
	union {
		struct {
			__u64 remote_addr;
			__u64 compare_add; /* operands of an atomic */
			__u64 swap;
		};
		struct xrdma_bind bind;	     /* for BIND_MW */
		struct xrdma_mkey_conf conf; /* for DRIVER1 */
		struct xrdma_datagram_to to; /* of UD */
	};
	__u32 rkey;
	union {
		__be32 imm;
		__u32 invalidate_key;
	};
	__u32 length; /* bytes of the message */
	__u32 vendor_err;
	__u16 num_sge;
	__u8 opcode; /* enum xrdma_wr_opcode */
	__u8 flags;  /* XRDMA_SEND_* */
	__u8 status; /* enum xrdma_wc_status; if not SUCCESS, no more packets are sent */
	const struct xrdma_wr_info *info;
	struct xrdma_sge *sges;
	__u8 *inline_bytes;	     /* data of INLINE requests, which have no segments */
	struct xrdma_bounce *bounce; /* the bounce that SGES names, or NULL */
};

/*
 * Requests and packets are counted apart, since a request may have no packets.
 * RING.HEAD <= DONE <= CURRENT <= BEGUN <= RING.TAIL, until the queue is stopped.
 */
struct xrdma_sq {
	struct xrdma_ring ring; /* of requests; its head is the oldest that was not polled */
	struct xrdma_wqe *wqes;
	struct xrdma_sge *sges;
	__u8 *inline_bytes;
	struct xrdma_layout_entry *layouts;
	__u32 layout_entries;		    /* number of entries for each request */
	struct xrdma_transform *transforms; /* one for each request; NULL: none */
	__u32 bounces;			    /* number of requests that have a bounce */
	__u64 done; /* oldest request that has packets without acknowledgement, or was not begun */
	__u64 current; /* next request to send */
	__u64 begun;   /* all earlier requests were begun */
	bool stopped;
	__u64 next;	  /* next packet to send */
	__u64 end;	  /* end of all packets */
	__u64 sends;	  /* number of packets that are sent for all requests: one for each READ */
	__u32 rd_atomics; /* number of READs and atomics */
	bool due;	  /* there was no room for the next packet, which must be sent soon */
};

/* Returns whether WQE is a READ or an atomic, whose response contains data. */
static inline bool xrdma_wqe_fetches(const struct xrdma_wqe *wqe)
{
	return wqe->info->flags & XRDMA_WRF_FETCHES;
}

/* Payload that a packet carries or requests. */
struct xrdma_wqe_packet {
	__u32 offset; /* offset in the message, in bytes */
	__u32 length;
};

/* Returns packet NUMBER of WQE. A READ requests all data that have not arrived. */
static inline struct xrdma_wqe_packet xrdma_wqe_packet(const struct xrdma_wqe *wqe, __u64 number,
						       __u16 mtu)
{
	__u32 offset = (number - wqe->first) * mtu, left = wqe->length - offset;
	bool all = left < mtu || xrdma_wqe_fetches(wqe);

	return (struct xrdma_wqe_packet){ offset, all ? left : mtu };
}

/* Allocate the records of SQ. Returns 0 or -ENOMEM. */
int xrdma_sq_init(struct xrdma_sq *sq, const struct xrdma_qp_init_attr *init);
void xrdma_sq_exit(struct xrdma_sq *sq);

/* Forget all requests. The next packet will have the given PSN. */
void xrdma_sq_start(struct xrdma_sq *sq, __u32 psn);

static inline struct xrdma_wqe *xrdma_sq_at(const struct xrdma_sq *sq, __u64 number)
{
	return &sq->wqes[xrdma_ring_place(&sq->ring, number)];
}

/* Add WR, which was checked. It has LENGTH bytes and PACKETS packets. The queue is not full. */
void xrdma_sq_add(struct xrdma_sq *sq, const struct xrdma_send_wr *wr, __u32 length, __u64 packets);

/* Make the newest request use BOUNCE, which the queue releases later. NULL: it uses none. */
void xrdma_sq_set_bounce(struct xrdma_sq *sq, struct xrdma_bounce *bounce);

/* Set the destination of the newest request, a datagram. */
void xrdma_sq_set_to(struct xrdma_sq *sq, const struct xrdma_datagram_to *to);

/* Release the bounces of the requests from number FROM up to, but not including, TO. */
void xrdma_sq_release_bounces(struct xrdma_sq *sq, __u64 from, __u64 to);

/* Returns the mkey configuration of the newest request, which is still empty. */
struct xrdma_mkey_conf *xrdma_sq_configure(struct xrdma_sq *sq);

/* A position in the queue. The queue can return to it while no later request was begun. */
struct xrdma_sq_mark {
	__u64 tail;
	__u64 end;
	__u64 sends;
	__u32 rd_atomics;
};

struct xrdma_sq_mark xrdma_sq_mark(const struct xrdma_sq *sq);
void xrdma_sq_return(struct xrdma_sq *sq, const struct xrdma_sq_mark *mark);

/*
 * Mark all packets before PACKET as acknowledged. Requests are done that were begun and have no
 * later packets. Afterwards PACKET belongs to the oldest request that is not done.
 */
void xrdma_sq_finish(struct xrdma_sq *sq, __u64 packet);

/* Send again, beginning with PACKET of the oldest request that is not done. */
void xrdma_sq_rewind(struct xrdma_sq *sq, __u64 packet);

/*
 * Take back PACKET of request CURRENT and all later packets, which could not be sent. They will be
 * sent soon.
 */
void xrdma_sq_unsend(struct xrdma_sq *sq, __u64 packet, __u64 current);

/*
 * Returns the number of packets for which the next packet of the current request stands. For a READ
 * these are all packets of the response that have not arrived.
 */
__u64 xrdma_sq_stride(const struct xrdma_sq *sq);

/*
 * Returns the number of packets sent from PACKET up to the next packet. PACKET belongs to the
 * oldest request that is not done.
 */
__u64 xrdma_sq_sends_since(const struct xrdma_sq *sq, __u64 packet);

/* Returns the number of packets that are still to be sent. */
__u64 xrdma_sq_pending(const struct xrdma_sq *sq);

/*
 * Move on by a packet of the current request, which was sent, or by the whole request if it has no
 * packets. Such a request is done when xrdma_sq_finish() is called next.
 */
void xrdma_sq_advance(struct xrdma_sq *sq);

/*
 * Stop SQ. The oldest request that is not done keeps its status, since only it can have failed. All
 * later requests are flushed, including future ones (IBA 10.8.5.1).
 */
void xrdma_sq_stop(struct xrdma_sq *sq);

/*
 * Accept requests again after SQ was stopped. All earlier ones are complete. The PSNs of packets
 * that were not sent are skipped.
 */
void xrdma_sq_restart(struct xrdma_sq *sq);

/* Returns the end of the requests that are complete. */
static inline __u64 xrdma_sq_end(const struct xrdma_sq *sq)
{
	return sq->stopped ? sq->ring.tail : sq->done;
}

/*
 * Take up to MAX completions of queue pair QPN into WC, for requests before number END, which are
 * complete. The function reads no other requests. Returns the number of completions.
 */
int xrdma_sq_complete(struct xrdma_sq *sq, __u32 qpn, __u64 end, int max, struct xrdma_wc *wc);

#endif

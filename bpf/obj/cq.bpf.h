/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Completion queues. An entry is reserved before the first byte is written, then filled, and
 * published last.
 */
#ifndef XRDMA_OBJ_CQ_BPF_H
#define XRDMA_OBJ_CQ_BPF_H

#include "lib/bounds.bpf.h"
#include "obj/notice.bpf.h"
#include "obj/queue.bpf.h"

enum { XRDMA_CQ_SPINS = 16 };

/* A reserved entry of a completion queue. */
struct xrdma_cqe_place {
	__u32 row;	/* its index in the context's table */
	__u32 sequence; /* written into the entry to publish it */
};

/*
 * Try to reserve the next entry of CQ: *ENTRY, described by *PLACE. Returns XRDMA_V_BUSY if another
 * CPU was faster.
 */
static __always_inline enum xrdma_verdict xrdma_cq_try(__u32 slot, struct xrdma_queue_row *cq,
						       struct xrdma_cqe_place *place,
						       struct xrdma_cqe_row **entry)
{
	__u32 next = XRDMA_READ(cq->xdp_index), mask = XRDMA_READ(cq->mask);
	struct xrdma_cqe_row *cqe;

	if (next - XRDMA_OBSERVE(cq->user_index) > mask)
		return XRDMA_V_CQ_FULL;
	place->row = XRDMA_READ(cq->first) + (next & mask);
	place->sequence = next + 1;
	cqe = xrdma_row(&xrdma_cqes, slot, place->row);
	if (!cqe)
		return XRDMA_V_CQ_FULL;
	if (__sync_val_compare_and_swap(&cq->xdp_index, next, next + 1) != next)
		return XRDMA_V_BUSY;
	*entry = cqe;
	return XRDMA_V_OK;
}

/* Reserve an entry of queue NUMBER, while other CPUs reserve entries, too. */
XRDMA_VERIFIED_ONCE int xrdma_cq_contend(__u32 slot, __u32 number, struct xrdma_cqe_place *place)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	enum xrdma_verdict verdict = XRDMA_V_BUSY;
	struct xrdma_cqe_row *entry;

	if (!cq || !place)
		return XRDMA_V_CQ_FULL;
	for (int i = 0; i < XRDMA_CQ_SPINS && verdict == XRDMA_V_BUSY; i++)
		verdict = xrdma_cq_try(slot, cq, place, &entry);
	return verdict;
}

/* Reserve the next entry of queue NUMBER: *ENTRY. Publish it with the sequence number *SEQUENCE. */
static __always_inline enum xrdma_verdict
xrdma_cq_reserve(__u32 slot, __u32 number, struct xrdma_cqe_row **entry, __u32 *sequence)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	struct xrdma_cqe_place place = {};
	enum xrdma_verdict verdict;

	if (!cq)
		return XRDMA_V_CQ_FULL;
	verdict = xrdma_cq_try(slot, cq, &place, entry);
	if (verdict == XRDMA_V_BUSY) {
		verdict = xrdma_cq_contend(slot, number, &place);
		if (verdict == XRDMA_V_OK)
			*entry = xrdma_row(&xrdma_cqes, slot, place.row);
		if (!*entry)
			return XRDMA_V_CQ_FULL;
	}
	*sequence = place.sequence;
	return verdict;
}

/* Returns whether a completion, solicited or not, is the one that the program waits for. */
static __always_inline bool xrdma_cq_take_wake(struct xrdma_queue_row *cq, enum xrdma_wake wake)
{
	return __sync_val_compare_and_swap(&cq->wake, wake, XRDMA_WAKE_NONE) == wake;
}

/*
 * Send a notice if the program waits for the completion that was just published in queue NUMBER.
 * The program first says that it waits, and then looks for completions. XDP publishes one, and then
 * looks whether the program waits. Between both, each has a full barrier: here the atomic one.
 */
XRDMA_VERIFIED_ONCE int xrdma_cq_wake(__u32 slot, __u32 number, bool solicited)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	struct xrdma_notice notice = { .kind = XRDMA_NOTICE_COMPLETION, .data = number };

	if (cq &&
	    (xrdma_cq_take_wake(cq, XRDMA_WAKE_ANY) ||
	     (solicited && xrdma_cq_take_wake(cq, XRDMA_WAKE_SOLICITED))) &&
	    !xrdma_notify(slot, &notice))
		XRDMA_WRITE(cq->lost, 1);
	return 0;
}

/*
 * Set queue pair QPN's notify bit in completion queue NUMBER. Whoever polls the queue then reads
 * the queue pair's row, and sees all that was written there before. If nobody polls, a notice is
 * sent with the first bit of a word. Later bits are seen with this one.
 */
XRDMA_VERIFIED_ONCE int xrdma_cq_notify(__u32 slot, __u32 number, __u32 qpn)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	struct xrdma_notice notice = { .kind = XRDMA_NOTICE_NEWS, .data = number };
	__u32 bit = qpn % XRDMA_NOTIFY_BITS;

	if (cq && !XRDMA_SET(cq->notify[bit / 64], 1ULL << bit % 64) &&
	    (XRDMA_READ(cq->wake) || XRDMA_READ(cq->unattended)))
		xrdma_notify(slot, &notice);
	return 0;
}

/*
 * Set the notify bit, and send a notice, so that it is seen even if the program does not poll. If
 * the ring is full, the process looks at all notify bits after it has read the ring.
 */
XRDMA_VERIFIED_ONCE int xrdma_cq_alert(__u32 slot, __u32 number, __u32 qpn)
{
	struct xrdma_notice notice = { .kind = XRDMA_NOTICE_NEWS, .data = number };

	xrdma_cq_notify(slot, number, qpn);
	xrdma_notify(slot, &notice);
	return 0;
}

#endif

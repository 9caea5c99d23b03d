/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Receive queues. A message gets a receive of its own until it is complete. The memory of a receive
 * is found by its number.
 */
#ifndef XRDMA_OBJ_RQ_BPF_H
#define XRDMA_OBJ_RQ_BPF_H

#include "obj/notice.bpf.h"
#include "obj/queue.bpf.h"
#include "obj/space.h"

enum { XRDMA_RQ_SPINS = 16 };

/*
 * Try to claim the next receive of RQ, a queue that several queue pairs share: *NUMBER. Returns
 * XRDMA_V_BUSY if another CPU was faster. The number is read before the claim, because user space
 * may write another number there afterwards.
 */
static __always_inline enum xrdma_verdict xrdma_rq_try(__u32 slot, struct xrdma_queue_row *rq,
						       __u32 *number)
{
	__u32 next = XRDMA_READ(rq->xdp_index), mask = XRDMA_READ(rq->mask);
	__u32 first = XRDMA_READ(rq->ring) - 1;
	const __u32 *numbers;

	if (next == XRDMA_OBSERVE(rq->user_index))
		return XRDMA_V_RNR;
	numbers = xrdma_row(&xrdma_segments, slot, first + (next & mask) / XRDMA_NUMBERS_IN_ROW);
	if (!numbers)
		return XRDMA_V_RNR;
	*number = XRDMA_READ(numbers[next % XRDMA_NUMBERS_IN_ROW]) & mask;
	if (__sync_val_compare_and_swap(&rq->xdp_index, next, next + 1) != next)
		return XRDMA_V_BUSY;
	return XRDMA_V_OK;
}

/*
 * Send a notice if RQ, which is in ROW, has fewer receives than its limit. There is one notice
 * until user space sets a limit again.
 */
static __always_inline void xrdma_rq_check_limit(__u32 slot, __u32 row, struct xrdma_queue_row *rq)
{
	struct xrdma_notice notice = { .kind = XRDMA_NOTICE_SRQ_LIMIT, .data = row };
	__u32 limit = XRDMA_READ(rq->limit);

	if (limit && XRDMA_READ(rq->user_index) - XRDMA_READ(rq->xdp_index) < limit &&
	    __sync_val_compare_and_swap(&rq->limit, limit, 0) == limit &&
	    !xrdma_notify(slot, &notice))
		XRDMA_WRITE(rq->limit, limit); /* the next claim tries again */
}

/* Claim a receive of queue ROW, while other CPUs claim receives, too. */
XRDMA_VERIFIED_ONCE int xrdma_rq_claim(__u32 slot, __u32 row, __u32 *number)
{
	struct xrdma_queue_row *rq = xrdma_queue(slot, row, XRDMA_QUEUE_RQ);
	enum xrdma_verdict verdict = XRDMA_V_BUSY;

	if (!rq || !number)
		return XRDMA_V_RNR;
	for (int i = 0; i < XRDMA_RQ_SPINS && verdict == XRDMA_V_BUSY; i++)
		verdict = xrdma_rq_try(slot, rq, number);
	if (verdict == XRDMA_V_OK)
		xrdma_rq_check_limit(slot, row, rq);
	return verdict;
}

/*
 * Get the receive of RQ, a queue of one queue pair, for the message in progress or the next one:
 * *NUMBER. It stays the same until xrdma_rq_complete(), because a queue pair receives one message
 * at a time.
 */
static __always_inline enum xrdma_verdict xrdma_rq_next(const struct xrdma_queue_row *rq,
							__u32 *number)
{
	__u32 next = XRDMA_READ(rq->xdp_index);

	*number = next & XRDMA_READ(rq->mask);
	return next == XRDMA_OBSERVE(rq->user_index) ? XRDMA_V_RNR : XRDMA_V_OK;
}

static __always_inline void xrdma_rq_complete(struct xrdma_queue_row *rq)
{
	XRDMA_WRITE(rq->xdp_index, XRDMA_READ(rq->xdp_index) + 1);
}

/* Return the data segments of receive NUMBER. */
static __always_inline void xrdma_rq_sges(const struct xrdma_queue_row *rq, __u32 number,
					  struct xrdma_sges *sges)
{
	sges->count = XRDMA_READ(rq->stride);
	sges->row = XRDMA_READ(rq->first) + (number & XRDMA_READ(rq->mask)) * sges->count;
}

#endif

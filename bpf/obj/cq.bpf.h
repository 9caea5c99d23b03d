/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Completion queues: an entry is reserved before the first byte is written, filled, and published
 * last.
 */
#ifndef XRDMA_OBJ_CQ_BPF_H
#define XRDMA_OBJ_CQ_BPF_H

#include "lib/bounds.bpf.h"
#include "obj/queue.bpf.h"

enum { XRDMA_CQ_SPINS = 16 };

/*
 * Reserve the next entry of queue NUMBER: *ENTRY, which says *TURN once it is there for whoever
 * polls. Several CPUs may be at it.
 */
static __always_inline enum xrdma_verdict
xrdma_cq_reserve(__u32 slot, __u32 number, struct xrdma_cqe_row **entry, __u32 *turn)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	struct xrdma_cqe_row *cqe;
	__u32 next, mask;

	if (!cq)
		return XRDMA_V_CQ_FULL;
	for (int i = 0; i < XRDMA_CQ_SPINS; i++) {
		next = XRDMA_READ(cq->xdp_index);
		mask = XRDMA_READ(cq->mask);
		if (next - XRDMA_OBSERVE(cq->user_index) > mask)
			return XRDMA_V_CQ_FULL;
		cqe = xrdma_row(&xrdma_cqes, slot, XRDMA_READ(cq->first) + (next & mask));
		if (!cqe)
			return XRDMA_V_CQ_FULL;
		if (__sync_val_compare_and_swap(&cq->xdp_index, next, next + 1) == next) {
			*entry = cqe;
			*turn = next + 1;
			return XRDMA_V_OK;
		}
	}
	return XRDMA_V_BUSY;
}

/*
 * Whoever polls queue NUMBER is to look at queue pair QPN, whose row says what is new. What was
 * written there before is seen then.
 */
XRDMA_VERIFIED_ONCE int xrdma_cq_tell(__u32 slot, __u32 number, __u32 qpn)
{
	struct xrdma_queue_row *cq = xrdma_queue(slot, number, XRDMA_QUEUE_CQ);
	__u32 bit = qpn % XRDMA_NEWS_BITS;

	if (cq)
		XRDMA_SET(cq->news[bit / 64], 1ULL << bit % 64);
	return 0;
}

#endif

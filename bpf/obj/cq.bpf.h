/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Completion queues: an entry is reserved before the first byte is written, filled, and published
 * last.
 */
#ifndef XRDMA_OBJ_CQ_BPF_H
#define XRDMA_OBJ_CQ_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

enum { XRDMA_CQ_SPINS = 16 };

/*
 * Reserve the next entry of queue NUMBER for the completion of PKT's message. Several CPUs may be
 * at it.
 */
static __always_inline enum xrdma_verdict
xrdma_cq_reserve(struct xrdma_pkt *pkt, __u32 slot, __u32 number, struct xrdma_cqe_row **entry)
{
	struct xrdma_cq_row *cq = xrdma_row(&xrdma_cqs, slot, number);
	struct xrdma_cqe_row *cqe;
	__u32 tail, mask;

	if (!cq)
		return XRDMA_V_CQ_FULL;
	for (int i = 0; i < XRDMA_CQ_SPINS; i++) {
		tail = XRDMA_READ(cq->tail);
		mask = XRDMA_READ(cq->mask);
		if (tail - XRDMA_OBSERVE(cq->head) > mask)
			return XRDMA_V_CQ_FULL;
		cqe = xrdma_row(&xrdma_cqes, slot, XRDMA_READ(cq->first) + (tail & mask));
		if (!cqe)
			return XRDMA_V_CQ_FULL;
		if (__sync_val_compare_and_swap(&cq->tail, tail, tail + 1) == tail) {
			pkt->turn = tail + 1;
			*entry = cqe;
			return XRDMA_V_OK;
		}
	}
	return XRDMA_V_BUSY;
}

/* A queue pair that completes into queue NUMBER has an error. */
static __always_inline void xrdma_cq_stop(__u32 slot, __u32 number)
{
	struct xrdma_cq_row *cq = xrdma_row(&xrdma_cqs, slot, number);

	if (cq)
		XRDMA_ADD(cq->stops, 1);
}

/* What the packet does not have is 0: PKT still has it of others. */
static __always_inline void xrdma_cqe_fill(struct xrdma_cqe_row *cqe, const struct xrdma_pkt *pkt,
					   enum xrdma_verdict verdict)
{
	cqe->qpn = pkt->dest_qpn;
	cqe->rqe = pkt->rqe;
	cqe->byte_len = pkt->done + pkt->payload_len;
	cqe->imm = pkt->info.headers & XRDMA_HDR_IMMDT ? pkt->imm : 0;
	cqe->invalidated_key = pkt->info.headers & XRDMA_HDR_IETH ? pkt->invalidate_key : 0;
	cqe->verdict = verdict;
	cqe->op = pkt->info.op;
	cqe->headers = pkt->info.headers;
}

/* The entry is there for whoever polls. */
static __always_inline void xrdma_cqe_publish(struct xrdma_cqe_row *cqe,
					      const struct xrdma_pkt *pkt)
{
	XRDMA_PUBLISH(cqe->turn, pkt->turn);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Receive queues: which receive a message takes, and the memory that it names. */
#ifndef XRDMA_OBJ_RQ_BPF_H
#define XRDMA_OBJ_RQ_BPF_H

#include "obj/queue.bpf.h"

/* The oldest receive that no message took. */
static __always_inline enum xrdma_verdict xrdma_rq_next(const struct xrdma_queue_row *rq,
							struct xrdma_pkt *pkt)
{
	pkt->rqe = XRDMA_READ(rq->xdp_index);
	return pkt->rqe == XRDMA_OBSERVE(rq->user_index) ? XRDMA_V_RNR : XRDMA_V_OK;
}

/* Where the memory of receive PKT->rqe is named. */
static __always_inline void xrdma_rq_find(const struct xrdma_queue_row *rq, struct xrdma_pkt *pkt)
{
	pkt->max_sge = XRDMA_READ(rq->stride);
	pkt->sge_row = XRDMA_READ(rq->first) + (pkt->rqe & XRDMA_READ(rq->mask)) * pkt->max_sge;
}

#endif

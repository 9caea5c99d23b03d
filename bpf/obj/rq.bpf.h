/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Receive queues: which receive a message takes, and the memory that it names. */
#ifndef XRDMA_OBJ_RQ_BPF_H
#define XRDMA_OBJ_RQ_BPF_H

#include "obj/queue.bpf.h"
#include "obj/space.h"

/* *RQE is the number of the oldest receive that no message took. */
static __always_inline enum xrdma_verdict xrdma_rq_next(const struct xrdma_queue_row *rq,
							__u32 *rqe)
{
	*rqe = XRDMA_READ(rq->xdp_index);
	return *rqe == XRDMA_OBSERVE(rq->user_index) ? XRDMA_V_RNR : XRDMA_V_OK;
}

/* The data segments of receive RQE. */
static __always_inline void xrdma_rq_sges(const struct xrdma_queue_row *rq, __u32 rqe,
					  struct xrdma_sges *sges)
{
	sges->count = XRDMA_READ(rq->stride);
	sges->row = XRDMA_READ(rq->first) + (rqe & XRDMA_READ(rq->mask)) * sges->count;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The handover of a queue pair from XDP to the program at tc. XDP defers a request that it cannot
 * answer in place. From then on it defers all requests of the queue pair. Deferred requests may not
 * have reached tc yet, and a reply of XDP would overtake pending responses, so that the requester
 * would assume that those are lost (9.7.5.1). The handover ends when no response is pending and no
 * request was deferred for a while.
 */
#ifndef XRDMA_RESPONDER_HANDOVER_BPF_H
#define XRDMA_RESPONDER_HANDOVER_BPF_H

#include "obj/plan.bpf.h"

/* ns: after this time, a frame that was sent has left. */
#define XRDMA_HANDOVER_LASTS 100000000ULL

/* Begin the handover of QP, or prolong it. */
static __always_inline void xrdma_handover_begin(struct xrdma_qp_row *qp)
{
	XRDMA_WRITE(qp->respq.last, bpf_ktime_get_ns());
	XRDMA_WRITE(qp->resp.handed_over, 1);
}

/* Returns whether the last xrdma_handover_begin() was a short time ago. */
XRDMA_VERIFIED_ONCE int xrdma_handover_lasts(const struct xrdma_qp_row *qp)
{
	return qp && bpf_ktime_get_ns() - XRDMA_READ(qp->respq.last) < XRDMA_HANDOVER_LASTS;
}

/* Returns whether XDP defers all requests of QP. The program at tc always returns false. */
static __always_inline bool xrdma_is_handed_over(const struct xrdma_qp_row *qp)
{
	if (XRDMA_HAS_SENDER)
		return false;
	return XRDMA_READ(qp->resp.pending) ||
	       (XRDMA_READ(qp->resp.handed_over) && xrdma_handover_lasts(qp));
}

/* End the handover, because XDP has executed a request of QP. */
static __always_inline void xrdma_handover_end(struct xrdma_qp_row *qp)
{
	if (!XRDMA_HAS_SENDER && XRDMA_READ(qp->resp.handed_over))
		XRDMA_WRITE(qp->resp.handed_over, 0);
}

#endif

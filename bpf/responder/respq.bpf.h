/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The queue of pending responses of a queue pair: the responses to READs of several packets, and to
 * all requests after them. They leave in the order of the requests (9.7.3), whatever frame sends
 * them. No acknowledgement of the queue pair overtakes them, because it would say that their data
 * had arrived (9.7.5.1). Only the program at tc adds responses. The caller of each function has
 * locked the queue pair.
 */
#ifndef XRDMA_RESPONDER_RESPQ_BPF_H
#define XRDMA_RESPONDER_RESPQ_BPF_H

#include "wire/psn.h"
#include "obj/plan.bpf.h"
#include "responder/resource.bpf.h"

enum { XRDMA_RESPQ_MASK = XRDMA_RD_ATOMIC_MAX - 1 };

/* ns: a frame that has sent nothing for this time is no longer the sender. */
#define XRDMA_SENDER_STALLED 20000000LL

/* Return the resource of the first pending response. */
static __always_inline struct xrdma_resource *xrdma_respq_head(struct xrdma_qp_row *qp)
{
	return &qp->resource[XRDMA_READ(qp->respq.first) & XRDMA_RESPQ_MASK];
}

/* Make the response to PKT the first one, and start at its beginning. */
static __always_inline void xrdma_respq_start(struct xrdma_respq *respq,
					      const struct xrdma_pkt *pkt)
{
	XRDMA_WRITE(respq->va, pkt->va);
	XRDMA_WRITE(respq->length, xrdma_rd_atomic_len(pkt));
	XRDMA_WRITE(respq->psn, pkt->psn);
	XRDMA_WRITE(respq->sent, 0);
}

/* Remove the first response. The next one starts from its beginning. */
static __always_inline void xrdma_respq_pop(struct xrdma_qp_row *qp)
{
	struct xrdma_respq *respq = &qp->respq;
	__u32 left = XRDMA_READ(qp->resp.pending) - 1;
	const struct xrdma_resource *next;

	XRDMA_WRITE(qp->resp.pending, left);
	XRDMA_WRITE(respq->first, (XRDMA_READ(respq->first) + 1) & XRDMA_RESPQ_MASK);
	if (XRDMA_READ(respq->fresh) > left)
		XRDMA_WRITE(respq->fresh, left);
	next = xrdma_respq_head(qp);
	XRDMA_WRITE(respq->va, XRDMA_READ(next->va));
	XRDMA_WRITE(respq->length, XRDMA_READ(next->length));
	XRDMA_WRITE(respq->psn, XRDMA_READ(next->psn));
	XRDMA_WRITE(respq->sent, 0);
}

/*
 * Append the response to PKT, whose resource is the newest. If the queue is full, remove the oldest
 * response, which was sent before.
 */
static __always_inline void xrdma_respq_push(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt)
{
	__u32 newest = XRDMA_READ(qp->resp.resources) - 1;

	if (XRDMA_READ(qp->resp.pending) >= XRDMA_RD_ATOMIC_MAX)
		xrdma_respq_pop(qp);
	if (!XRDMA_READ(qp->resp.pending)) {
		XRDMA_WRITE(qp->respq.first, newest & XRDMA_RESPQ_MASK);
		XRDMA_WRITE(qp->respq.fresh, 0);
		xrdma_respq_start(&qp->respq, pkt);
	}
	XRDMA_WRITE(qp->resp.pending, XRDMA_READ(qp->resp.pending) + 1);
	XRDMA_WRITE(qp->respq.fresh, XRDMA_READ(qp->respq.fresh) + 1);
}

/*
 * Send all responses again from resource INDEX on, because PKT is a duplicate of its request.
 * Pending responses after it stay in the queue.
 */
static __always_inline void xrdma_respq_push_from(struct xrdma_qp_row *qp,
						  const struct xrdma_pkt *pkt, __u32 index)
{
	__u32 newest = XRDMA_READ(qp->resp.resources) - 1, count = XRDMA_READ(qp->resp.pending);
	__u32 first = count ? XRDMA_READ(qp->respq.first) : index;
	__u32 age = (newest - index) & XRDMA_RESPQ_MASK;
	__u32 oldest = (newest - first) & XRDMA_RESPQ_MASK;

	if (!count) {
		count = 1;
		XRDMA_WRITE(qp->respq.fresh, 0);
	}
	if (age >= oldest) {
		count += age - oldest;
		XRDMA_WRITE(qp->respq.first, index);
		xrdma_respq_start(&qp->respq, pkt);
	} else if (oldest - age >= count) {
		count = oldest - age + 1;
	}
	XRDMA_WRITE(qp->resp.pending, count);
}

/*
 * Note an acknowledgement of PSN to be sent behind the pending responses. It replaces an earlier
 * one if it says more: it has a later PSN, or refuses the same one. A refusal of the packet itself
 * says more than a NAK for a missing packet.
 */
static __always_inline void xrdma_respq_set_ack(struct xrdma_qp_row *qp, __u32 psn,
						__u32 syndrome_msn)
{
	bool refuses = syndrome_msn >> 24 & XRDMA_AETH_KIND_MASK;
	__u32 ack = XRDMA_READ(qp->respq.ack);

	if (ack >> 24 == XRDMA_AETH_NAK_PSN_SEQ)
		refuses = false;
	if (ack && xrdma_psn_cmp(psn, XRDMA_READ(qp->respq.ack_psn)) < refuses)
		return;
	XRDMA_WRITE(qp->respq.ack, syndrome_msn);
	XRDMA_WRITE(qp->respq.ack_psn, psn);
}

/* Drop all pending responses and the acknowledgement. */
static __always_inline void xrdma_respq_clear(struct xrdma_qp_row *qp)
{
	XRDMA_WRITE(qp->resp.pending, 0);
	XRDMA_WRITE(qp->respq.ack, 0);
	XRDMA_WRITE(qp->respq.since, 0);
}

/*
 * Make the frame that arrived at CAME the sender of QP's responses, unless another frame is the
 * sender and has sent lately. If the other frame continues after all, it finds that it is not the
 * sender. Returns whether the frame is the sender now.
 */
XRDMA_VERIFIED_ONCE int xrdma_sender_acquire(struct xrdma_qp_row *qp, __u64 came)
{
	__u64 since;

	if (!qp)
		return false;
	since = XRDMA_READ(qp->respq.since);
	if (since && (__s64)(came - since) < XRDMA_SENDER_STALLED)
		return false;
	XRDMA_WRITE(qp->respq.since, came);
	XRDMA_WRITE(qp->respq.sender, came);
	return true;
}

/*
 * Add the response to PKT, which is executed and has a resource, to the queue. Returns whether the
 * frame of PKT is the sender now.
 */
XRDMA_VERIFIED_ONCE int xrdma_respq_add(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt,
					const struct xrdma_plan *plan)
{
	if (!qp || !pkt || !plan)
		return false;
	if (plan->again)
		xrdma_respq_push_from(qp, pkt, plan->kept);
	else
		xrdma_respq_push(qp, pkt);
	return xrdma_sender_acquire(qp, plan->came);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Responses that are owed: those of READs that take several packets, and of what came after them.
 * They leave in the order of the requests (9.7.3), whatever run sends them, and no acknowledgement
 * of the queue pair overtakes them: it would say that their data had arrived (9.7.5.1). Only the
 * program at tc lets a queue pair owe any. Its row is taken in all that is here.
 */
#ifndef XRDMA_RESPONDER_OWED_BPF_H
#define XRDMA_RESPONDER_OWED_BPF_H

#include "wire/psn.h"
#include "obj/plan.bpf.h"
#include "responder/resource.bpf.h"

enum { XRDMA_OWED_INDEX_MASK = XRDMA_RD_ATOMIC_MAX - 1 };

/* ns: nobody sends who has sent nothing for so long. */
#define XRDMA_OWED_STALLED 20000000LL

static __always_inline struct xrdma_resource *xrdma_owed_first(struct xrdma_qp_row *qp)
{
	return &qp->resource[XRDMA_READ(qp->owed.first) & XRDMA_OWED_INDEX_MASK];
}

/* The first response is the one to PKT. */
static __always_inline void xrdma_owed_begin(struct xrdma_owed *owed, const struct xrdma_pkt *pkt)
{
	XRDMA_WRITE(owed->va, pkt->va);
	XRDMA_WRITE(owed->length, xrdma_rd_atomic_len(pkt));
	XRDMA_WRITE(owed->psn, pkt->psn);
	XRDMA_WRITE(owed->sent, 0);
}

/* What was owed first is sent: all of what comes next is. */
static __always_inline void xrdma_owed_pass(struct xrdma_qp_row *qp)
{
	struct xrdma_owed *owed = &qp->owed;
	__u32 left = XRDMA_READ(qp->resp.owed) - 1;
	const struct xrdma_resource *next;

	XRDMA_WRITE(qp->resp.owed, left);
	XRDMA_WRITE(owed->first, (XRDMA_READ(owed->first) + 1) & XRDMA_OWED_INDEX_MASK);
	if (XRDMA_READ(owed->fresh) > left)
		XRDMA_WRITE(owed->fresh, left);
	next = xrdma_owed_first(qp);
	XRDMA_WRITE(owed->va, XRDMA_READ(next->va));
	XRDMA_WRITE(owed->length, XRDMA_READ(next->length));
	XRDMA_WRITE(owed->psn, XRDMA_READ(next->psn));
	XRDMA_WRITE(owed->sent, 0);
}

/*
 * PKT is the newest that is kept. If all are owed already, the oldest was sent before, and gives
 * way.
 */
static __always_inline void xrdma_owe(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt)
{
	__u32 newest = XRDMA_READ(qp->resp.resources) - 1;

	if (XRDMA_READ(qp->resp.owed) >= XRDMA_RD_ATOMIC_MAX)
		xrdma_owed_pass(qp);
	if (!XRDMA_READ(qp->resp.owed)) {
		XRDMA_WRITE(qp->owed.first, newest & XRDMA_OWED_INDEX_MASK);
		XRDMA_WRITE(qp->owed.fresh, 0);
		xrdma_owed_begin(&qp->owed, pkt);
	}
	XRDMA_WRITE(qp->resp.owed, XRDMA_READ(qp->resp.owed) + 1);
	XRDMA_WRITE(qp->owed.fresh, XRDMA_READ(qp->owed.fresh) + 1);
}

/*
 * PKT is a duplicate of what is kept at INDEX. Its requester wants to have it, and all that came
 * after it, from there on once more; what is owed behind it anyway needs no more than that.
 */
static __always_inline void xrdma_owe_again(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt,
					    __u32 index)
{
	__u32 newest = XRDMA_READ(qp->resp.resources) - 1, count = XRDMA_READ(qp->resp.owed);
	__u32 first = count ? XRDMA_READ(qp->owed.first) : index;
	__u32 age = (newest - index) & XRDMA_OWED_INDEX_MASK;
	__u32 oldest = (newest - first) & XRDMA_OWED_INDEX_MASK;

	if (!count) {
		count = 1;
		XRDMA_WRITE(qp->owed.fresh, 0);
	}
	if (age >= oldest) {
		count += age - oldest;
		XRDMA_WRITE(qp->owed.first, index);
		xrdma_owed_begin(&qp->owed, pkt);
	} else if (oldest - age >= count) {
		count = oldest - age + 1;
	}
	XRDMA_WRITE(qp->resp.owed, count);
}

/*
 * Responses are owed, and an acknowledgement waits for them: the one that says the most. Of two
 * refusals of one PSN, it is the first, but the packet's own refusal says more than that the packet
 * was missing.
 */
static __always_inline void xrdma_owe_ack(struct xrdma_qp_row *qp, __u32 psn, __u32 syndrome_msn)
{
	bool refuses = syndrome_msn >> 24 & XRDMA_AETH_KIND_MASK;
	__u32 owed = XRDMA_READ(qp->owed.ack);

	if (owed >> 24 == XRDMA_AETH_NAK_PSN_SEQ)
		refuses = false;
	if (owed && xrdma_psn_cmp(psn, XRDMA_READ(qp->owed.ack_psn)) < refuses)
		return;
	XRDMA_WRITE(qp->owed.ack, syndrome_msn);
	XRDMA_WRITE(qp->owed.ack_psn, psn);
}

/* Nothing is owed any more. */
static __always_inline void xrdma_owe_nothing(struct xrdma_qp_row *qp)
{
	XRDMA_WRITE(qp->resp.owed, 0);
	XRDMA_WRITE(qp->owed.ack, 0);
	XRDMA_WRITE(qp->owed.since, 0);
}

/*
 * Returns whether nobody sends what QP owes. The frame that came at CAME does from now on; if
 * another did and goes on after all, it finds that this one does.
 */
XRDMA_VERIFIED_ONCE int xrdma_owed_take_over(struct xrdma_qp_row *qp, __u64 came)
{
	__u64 since;

	if (!qp)
		return false;
	since = XRDMA_READ(qp->owed.since);
	if (since && (__s64)(came - since) < XRDMA_OWED_STALLED)
		return false;
	XRDMA_WRITE(qp->owed.since, came);
	XRDMA_WRITE(qp->owed.sender, came);
	return true;
}

/*
 * The response to PKT, which is carried out and kept, is owed. Returns whether nobody sends it; the
 * frame does from now on.
 */
XRDMA_VERIFIED_ONCE int xrdma_owe_response(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt,
					   const struct xrdma_plan *plan)
{
	if (!qp || !pkt || !plan)
		return false;
	if (plan->again)
		xrdma_owe_again(qp, pkt, plan->kept);
	else
		xrdma_owe(qp, pkt);
	return xrdma_owed_take_over(qp, plan->came);
}

/* ns: frames that were sent longer ago have left. */
#define XRDMA_AT_TC_LINGERS 100000000ULL

/* The program at tc answers what comes to QP, from now on. */
static __always_inline void xrdma_be_at_tc(struct xrdma_qp_row *qp)
{
	XRDMA_WRITE(qp->owed.last, bpf_ktime_get_ns());
	XRDMA_WRITE(qp->resp.at_tc, 1);
}

/* Returns true if the program at tc has just ended with QP, or was just left a request. */
XRDMA_VERIFIED_ONCE int xrdma_lingers(const struct xrdma_qp_row *qp)
{
	return qp && bpf_ktime_get_ns() - XRDMA_READ(qp->owed.last) < XRDMA_AT_TC_LINGERS;
}

/*
 * Returns true if XDP leaves all requests of QP: what was left and is still to come is before them,
 * and what XDP sends would overtake responses that wait to leave (9.7.5.1: they would be taken for
 * lost).
 */
static __always_inline bool xrdma_is_at_tc(const struct xrdma_qp_row *qp)
{
	if (XRDMA_FRAME_MAY_FOLLOW)
		return false;
	return XRDMA_READ(qp->resp.owed) || (XRDMA_READ(qp->resp.at_tc) && xrdma_lingers(qp));
}

/* XDP executed a request, so the time after the last one that it left is over. */
static __always_inline void xrdma_be_at_xdp(struct xrdma_qp_row *qp)
{
	if (!XRDMA_FRAME_MAY_FOLLOW && XRDMA_READ(qp->resp.at_tc))
		XRDMA_WRITE(qp->resp.at_tc, 0);
}

#endif

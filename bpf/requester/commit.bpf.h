/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The commit of a response. No other file changes the row of the queue pair for a response. It
 * notifies the completion queue of the requests.
 */
#ifndef XRDMA_REQUESTER_COMMIT_BPF_H
#define XRDMA_REQUESTER_COMMIT_BPF_H

#include "obj/cq.bpf.h"
#include "obj/peer.bpf.h"
#include "obj/plan.bpf.h"

/* Move the requester on: PKT acknowledges the requests before PSN, and their data are in place. */
static __always_inline void xrdma_move_on(const struct xrdma_pkt *pkt, struct xrdma_requester *req,
					  __u32 psn)
{
	xrdma_learn_sport(&req->peer_sport, pkt);
	xrdma_strays_forget(&req->strays);
	XRDMA_WRITE(req->waiting, 0);
	XRDMA_PUBLISH(req->acked_psn, psn);
}

/*
 * Note a NAK with PSN for the library. RNR NAKs have fields of their own, because requests sent
 * after the refused one are reported as missing by other NAKs.
 */
static __always_inline void xrdma_note_nak(struct xrdma_requester *req, __u8 syndrome, __u32 psn)
{
	bool rnr = (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK;
	struct xrdma_nak *nak = rnr ? &req->rnr_nak : &req->nak;

	XRDMA_WRITE(nak->last, (__u32)syndrome << 24 | psn);
	XRDMA_PUBLISH(nak->count, XRDMA_READ(nak->count) + 1);
}

/*
 * Note that the response with PSN is lost. It is requested again as after a NAK, once for each lost
 * response, because later responses also arrive ahead of it.
 */
static __always_inline void xrdma_miss(struct xrdma_requester *req, __u32 psn)
{
	XRDMA_PUBLISH(req->acked_psn, psn);
	if (XRDMA_READ(req->waiting))
		return;
	XRDMA_WRITE(req->waiting, 1);
	xrdma_note_nak(req, XRDMA_AETH_NAK_PSN_SEQ, psn);
}

/* Returns whether PKT moved the requester on, by more than a packet of a READ. */
static __always_inline bool xrdma_needs_notify(const struct xrdma_pkt *pkt,
					       enum xrdma_verdict verdict)
{
	switch (verdict) {
	case XRDMA_V_OK:
		return pkt->info.position & XRDMA_POSITION_LAST;
	case XRDMA_V_ACKED:
	case XRDMA_V_NAKED:
	case XRDMA_V_RESPONSE_AHEAD:
	case XRDMA_V_RESPONSE_BAD:
	case XRDMA_V_RESPONSE_KEY:
		return true;
	default:
		return false;
	}
}

/*
 * Commit a response. VERDICT is that of the check stage, or of the execute stage if that failed.
 * Returns the verdict to count: placed data have one of their own.
 */
static __always_inline enum xrdma_verdict xrdma_commit_response(const struct xrdma_pkt *pkt,
								const struct xrdma_target *to,
								const struct xrdma_plan *plan,
								enum xrdma_verdict verdict)
{
	struct xrdma_requester *req = &to->qp->req;

	switch (verdict) {
	case XRDMA_V_OK:
		if (pkt->info.position & XRDMA_POSITION_LAST)
			XRDMA_WRITE(req->rd_atomics_done, XRDMA_READ(req->rd_atomics_done) + 1);
		/* fallthrough */
	case XRDMA_V_ACKED:
		if (pkt->info.headers & XRDMA_HDR_AETH)
			XRDMA_WRITE(req->msn, pkt->msn);
		xrdma_move_on(pkt, req, plan->acked);
		break;
	case XRDMA_V_NAKED:
		xrdma_move_on(pkt, req, plan->acked);
		xrdma_note_nak(req, pkt->syndrome, plan->acked);
		break;
	case XRDMA_V_RESPONSE_AHEAD:
		xrdma_miss(req, plan->acked);
		break;
	case XRDMA_V_ACK_OLD:
	case XRDMA_V_ACK_UNSENT:
		xrdma_strays_add(&req->strays);
		break;
	case XRDMA_V_RESPONSE_BAD:
	case XRDMA_V_RESPONSE_KEY:
		XRDMA_WRITE(req->acked_psn, pkt->psn);
		XRDMA_PUBLISH(req->error, verdict);
		break;
	default:
		break;
	}
	xrdma_qp_release(to->qp);
	if (xrdma_needs_notify(pkt, verdict))
		xrdma_cq_notify(to->space.slot, XRDMA_READ(to->qp->send_cq), to->qpn);
	return verdict == XRDMA_V_OK ? XRDMA_V_PLACED : verdict;
}

#endif

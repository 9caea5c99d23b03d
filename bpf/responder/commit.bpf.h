/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The commit of a request: all changes to its queue pair, its receive, its completion and the key
 * that it ends.
 */
#ifndef XRDMA_RESPONDER_COMMIT_BPF_H
#define XRDMA_RESPONDER_COMMIT_BPF_H

#include "wire/psn.h"
#include "obj/cntr.bpf.h"
#include "obj/cq.bpf.h"
#include "obj/peer.bpf.h"
#include "obj/plan.bpf.h"
#include "obj/rq.bpf.h"
#include "responder/order.bpf.h"
#include "responder/respq.bpf.h"
#include "responder/pause.bpf.h"
#include "responder/reply.bpf.h"

/* The consequences of a verdict. */
struct xrdma_outcome {
	__u8 action; /* enum xrdma_action */
	__u8 syndrome;
};

static const struct xrdma_outcome xrdma_outcomes[] = {
#define X(number, symbol, action_, syndrome_, text) \
	{ .action = XRDMA_ACTION_##action_, .syndrome = XRDMA_AETH_##syndrome_ },
	XRDMA_VERDICTS(X)
#undef X
};

static __always_inline struct xrdma_outcome xrdma_outcome(enum xrdma_verdict verdict)
{
	__u64 index = verdict;

	return xrdma_outcomes[XRDMA_WITHIN(index, XRDMA_VERDICT_COUNT - 1) ? index : XRDMA_V_OK];
}

/* Note the place where the next packet of the message continues. */
static __always_inline void xrdma_commit_message(struct xrdma_responder *resp,
						 const struct xrdma_pkt *pkt,
						 const struct xrdma_plan *plan)
{
	XRDMA_WRITE(resp->op, pkt->info.op);
	XRDMA_WRITE(resp->done, plan->done + pkt->payload_len);
	if (pkt->info.op == XRDMA_OP_SEND)
		return;
	XRDMA_WRITE(resp->key, plan->key);
	XRDMA_WRITE(resp->va, plan->va + pkt->payload_len);
	XRDMA_WRITE(resp->left, plan->left - pkt->payload_len);
}

/*
 * Returns whether PKT, which was executed, changed memory. ORIGINAL is the former value of an
 * atomic.
 */
static __always_inline bool xrdma_modified(const struct xrdma_pkt *pkt, __u64 original)
{
	return pkt->info.op != XRDMA_OP_CMP_SWAP || original == pkt->compare;
}

/* Complete the receive of a message. RQ is that of struct xrdma_plan_rows. */
static __always_inline void xrdma_commit_receive(struct xrdma_responder *resp,
						 struct xrdma_queue_row *rq)
{
	if (rq)
		xrdma_rq_complete(rq);
	else
		XRDMA_WRITE(resp->claim, 0);
}

/*
 * Alert the receive completion queue once, if the queue pair is in RTR: its peer is ready, and so
 * the connection is established (IBA 11.6.3.1).
 */
static __always_inline void xrdma_commit_established(const struct xrdma_pkt *pkt,
						     const struct xrdma_target *to)
{
	struct xrdma_qp_row *qp = to->qp;

	if (XRDMA_READ(qp->state) != XRDMA_QPS_RTR || XRDMA_READ(qp->resp.established) ||
	    !xrdma_service_is(pkt->opcode, XRDMA_SERVICE_CONNECTED))
		return;
	XRDMA_WRITE(qp->resp.established, 1);
	xrdma_cq_alert(to->space.slot, XRDMA_READ(qp->recv_cq), to->qpn);
}

/* Update the row after the request with the expected PSN was executed. */
static __always_inline void xrdma_commit_done(const struct xrdma_pkt *pkt,
					      const struct xrdma_target *to,
					      const struct xrdma_plan *plan,
					      const struct xrdma_plan_rows *rows, __u64 original)
{
	struct xrdma_qp_row *qp = to->qp;
	struct xrdma_responder *resp = &qp->resp;

	xrdma_learn_sport(&resp->peer_sport, pkt);
	xrdma_strays_forget(&qp->respq.strays);
	xrdma_handover_end(qp);
	XRDMA_WRITE(resp->psn, xrdma_psn_add(pkt->psn, plan->psns));
	XRDMA_WRITE(resp->waiting, 0);
	if (pkt->info.position & XRDMA_POSITION_LAST) {
		XRDMA_WRITE(resp->op, XRDMA_OP_NONE);
		XRDMA_WRITE(resp->msn, xrdma_psn_add(XRDMA_READ(resp->msn), 1));
	} else {
		xrdma_commit_message(resp, pkt, plan);
	}
	if (xrdma_op_is_rd_atomic(pkt->info.op))
		xrdma_resource_keep(qp, pkt, original);
	xrdma_commit_established(pkt, to);
	if (rows->cqe)
		xrdma_commit_receive(resp, rows->rq);
	if (rows->invalidated)
		XRDMA_WRITE(rows->invalidated->state, XRDMA_MKEY_STATE_FREE);
	if (plan->cntr && pkt->info.position & XRDMA_POSITION_LAST && xrdma_modified(pkt, original))
		xrdma_cntr_count(to->space.slot, plan->cntr);
}

/*
 * Fill in a completion. Fields without a header in PKT become 0, because PKT still holds values of
 * earlier packets there.
 */
static __always_inline void xrdma_commit_completion(struct xrdma_cqe_row *cqe,
						    const struct xrdma_pkt *pkt,
						    const struct xrdma_plan *plan,
						    enum xrdma_verdict verdict)
{
	cqe->qpn = pkt->dest_qpn;
	cqe->rqe = plan->rqe;
	cqe->byte_len = plan->done + plan->transfer.len;
	cqe->imm = pkt->info.headers & XRDMA_HDR_IMMDT ? pkt->imm : 0;
	cqe->invalidated_key = pkt->info.headers & XRDMA_HDR_IETH ? pkt->invalidate_key : 0;
	cqe->verdict = verdict;
	cqe->src_qpn = pkt->info.headers & XRDMA_HDR_DETH ? pkt->src_qpn : 0;
	cqe->op = pkt->info.op;
	cqe->headers = pkt->info.headers;
}

/* Publish the completion CQE, and wake who waits for it. */
static __always_inline void xrdma_commit_publish(const struct xrdma_pkt *pkt,
						 const struct xrdma_target *to,
						 const struct xrdma_plan *plan,
						 struct xrdma_cqe_row *cqe)
{
	XRDMA_PUBLISH(cqe->sequence, plan->sequence);
	if (XRDMA_READ(to->qp->recv_events))
		xrdma_cq_wake(to->space.slot, XRDMA_READ(to->qp->recv_cq),
			      pkt->bth_flags & XRDMA_BTH_SOLICITED);
}

/*
 * Return the syndrome of a reply. An RNR NAK carries the time to wait (9.7.5.2.8), an ACK carries
 * no credits.
 */
static __always_inline __u8 xrdma_syndrome(const struct xrdma_outcome *outcome,
					   const struct xrdma_qp_row *qp)
{
	if (outcome->syndrome == XRDMA_AETH_RNR_NAK)
		return XRDMA_AETH_RNR_NAK | (XRDMA_READ(qp->rnr_timer) & XRDMA_AETH_VALUE_MASK);
	return outcome->syndrome == XRDMA_AETH_ACK ? XRDMA_AETH_ACK_NO_CREDIT : outcome->syndrome;
}

/*
 * Return the consequences of a verdict. An unreliable service drops packets that a reliable one
 * refuses or acknowledges again. Only an error in a receive, which is one of the application, stops
 * the queue pair (IBA 9.9.3).
 */
static __always_inline struct xrdma_outcome xrdma_outcome_for(const struct xrdma_pkt *pkt,
							      enum xrdma_verdict verdict)
{
	struct xrdma_outcome outcome = xrdma_outcome(verdict);

	if (!xrdma_is_reliable(pkt) && outcome.action > XRDMA_ACTION_DONE &&
	    verdict != XRDMA_V_RECV_KEY)
		outcome.action = XRDMA_ACTION_DROP;
	return outcome;
}

/*
 * Returns whether PKT gets a reply. A packet that fills a gap is always acknowledged, even if it
 * does not ask for that. A requester counts its retries until an ACK arrives, and one that already
 * retransmits may ignore NAKs until then (docs/interop.md).
 */
static __always_inline bool xrdma_is_replied_to(const struct xrdma_pkt *pkt,
						const struct xrdma_plan *plan,
						const struct xrdma_outcome *outcome)
{
	if (!xrdma_is_reliable(pkt))
		return false;
	if (outcome->action != XRDMA_ACTION_DONE)
		return outcome->action > XRDMA_ACTION_DONE;
	return pkt->ack_req || plan->fills || xrdma_op_is_rd_atomic(pkt->info.op);
}

/*
 * Set the PSN and the syndrome of a reply. A refusal has the expected PSN, all other replies that
 * of the packet: a duplicate was executed, even if its memory does not exist at present, but that
 * says nothing about later requests. A later READ may have been executed, too, and its requester
 * would take an acknowledgement of it for the response (9.7.5.1).
 */
static __always_inline void xrdma_reply_head(const struct xrdma_pkt *pkt,
					     const struct xrdma_plan_rows *rows,
					     const struct xrdma_qp_row *qp,
					     const struct xrdma_outcome *outcome,
					     struct xrdma_reply_head *head)
{
	bool refused = outcome->action >= XRDMA_ACTION_NAK && !rows->again;

	head->psn = refused ? XRDMA_READ(qp->resp.psn) : pkt->psn;
	head->msn = XRDMA_READ(qp->resp.msn) & XRDMA_PSN_MASK;
	head->syndrome = xrdma_syndrome(outcome, qp);
}

/* Returns whether the PSN of a request was not the expected one (xrdma_check_psn()). */
static __always_inline bool xrdma_is_stray(const struct xrdma_plan *plan,
					   enum xrdma_verdict verdict)
{
	return plan->again || verdict == XRDMA_V_DUPLICATE || verdict == XRDMA_V_PSN_AHEAD ||
	       verdict == XRDMA_V_PSN_WAITING;
}

/*
 * Update the row for a request that was not executed, or not for the first time. The message of a
 * lost packet is lost if the service is unreliable.
 */
static __always_inline void xrdma_commit_refused(struct xrdma_qp_row *qp,
						 const struct xrdma_pkt *pkt,
						 const struct xrdma_plan *plan,
						 enum xrdma_verdict verdict, __u8 action)
{
	if (xrdma_is_stray(plan, verdict))
		xrdma_strays_add(&qp->respq.strays);
	if (!xrdma_is_reliable(pkt))
		XRDMA_WRITE(qp->resp.op, XRDMA_OP_NONE);
	if (action == XRDMA_ACTION_NAK)
		XRDMA_WRITE(qp->resp.error, verdict);
	if (action == XRDMA_ACTION_LATER)
		XRDMA_WRITE(qp->resp.waiting, verdict == XRDMA_V_PSN_AHEAD);
}

/*
 * Update the row for a request that XDP defers to the program at tc. A request that is deferred
 * only because it follows others does not prolong the handover.
 */
static __always_inline void xrdma_commit_deferred(struct xrdma_qp_row *qp)
{
	if (!xrdma_is_handed_over(qp))
		xrdma_handover_begin(qp);
	xrdma_qp_release(qp);
}

/* Notify the completion queues that the responder of TO, which is unlocked, has stopped. */
static __always_inline void xrdma_notify_stopped(const struct xrdma_target *to)
{
	xrdma_cq_notify(to->space.slot, XRDMA_READ(to->qp->send_cq), to->qpn);
	xrdma_cq_alert(to->space.slot, XRDMA_READ(to->qp->recv_cq), to->qpn);
}

/* The response to a request. */
enum xrdma_due {
	XRDMA_DUE_NOTHING,
	XRDMA_DUE_REPLY,
	XRDMA_DUE_PENDING, /* responses are pending, and this frame is their sender */
};

/*
 * Return how the reply to PKT with HEAD is sent: at once or, if there are pending responses, behind
 * them. The reply to a segment waits until its super packet is done, because the frame is needed
 * until then.
 */
static __always_inline enum xrdma_due xrdma_commit_pending(const struct xrdma_pkt *pkt,
							   const struct xrdma_plan *plan,
							   struct xrdma_qp_row *qp,
							   const struct xrdma_reply_head *head,
							   enum xrdma_verdict verdict)
{
	bool done = verdict == XRDMA_V_OK || verdict == XRDMA_V_DUPLICATE;

	if (done && plan->pending)
		return xrdma_respq_add(qp, pkt, plan) ? XRDMA_DUE_PENDING : XRDMA_DUE_NOTHING;
	if (!XRDMA_READ(qp->resp.pending) && !pkt->super_came)
		return XRDMA_DUE_REPLY;
	xrdma_respq_set_ack(qp, head->psn, xrdma_reply_word(head));
	/*
	 * For most segments this frame is the sender already, and a call would cost each of them
	 * time.
	 */
	if (!pkt->super_came || XRDMA_READ(qp->respq.since) == pkt->super_came)
		return XRDMA_DUE_NOTHING;
	return xrdma_sender_acquire(qp, pkt->super_came) ? XRDMA_DUE_PENDING : XRDMA_DUE_NOTHING;
}

/*
 * Commit a request with RESULT. If it was executed, its changes are committed already. Unlock the
 * queue pair, and publish the completion. Returns the kind of response, and sets the responder's
 * fields of a reply in RESULT.
 */
static __always_inline enum xrdma_due xrdma_commit_request(const struct xrdma_pkt *pkt,
							   const struct xrdma_target *to,
							   const struct xrdma_plan *plan,
							   const struct xrdma_plan_rows *rows,
							   struct xrdma_result *result)
{
	enum xrdma_verdict verdict = result->verdict;
	struct xrdma_outcome outcome = xrdma_outcome_for(pkt, verdict);
	struct xrdma_reply_head *head = &result->head;
	struct xrdma_qp_row *qp = to->qp;
	enum xrdma_due due = XRDMA_DUE_NOTHING;

	if (rows->cqe)
		xrdma_commit_completion(rows->cqe, pkt, plan, verdict);
	if (outcome.action != XRDMA_ACTION_DONE)
		xrdma_commit_refused(qp, pkt, plan, verdict, outcome.action);
	xrdma_reply_head(pkt, rows, qp, &outcome, head);
	if (verdict == XRDMA_V_PAUSED)
		head->syndrome =
			XRDMA_AETH_RNR_NAK |
			xrdma_pause_timer(head->syndrome & XRDMA_AETH_VALUE_MASK, to->paused_for);
	if (xrdma_is_replied_to(pkt, plan, &outcome))
		due = XRDMA_HAS_SENDER ? xrdma_commit_pending(pkt, plan, qp, head, verdict)
				       : XRDMA_DUE_REPLY;
	xrdma_qp_release(qp);
	if (rows->cqe)
		xrdma_commit_publish(pkt, to, plan, rows->cqe);
	if (outcome.action == XRDMA_ACTION_NAK)
		xrdma_notify_stopped(to);
	return due;
}

#endif

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What happens to a packet: parse, steer, check, place, reply. Each stage returns a verdict; the
 * first that is not XRDMA_V_OK is the last, and decides with its action and syndrome what the reply
 * is.
 */
#include <linux/bpf.h>
#undef NULL /* stddef.h has the one that both sides share */

#include "lib/base.h"
#include "obj/epoch.bpf.h"
#include "obj/context.bpf.h"
#include "obj/counters.bpf.h"
#include "arrive/frame.bpf.h"
#include "arrive/steer.bpf.h"
#include "responder/check.bpf.h"
#include "requester/response.bpf.h"
#include "memory/place.bpf.h"
#include "responder/reply.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* What follows from a verdict. */
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

/*
 * A READ or an atomic that was checked. A duplicate harms nobody: it came late, and what it names
 * may be gone.
 */
static __always_inline enum xrdma_verdict xrdma_execute_rd_atomic(struct xdp_md *xdp,
								  struct xrdma_pkt *pkt,
								  struct xrdma_target *to,
								  enum xrdma_verdict verdict)
{
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_response_make_room(xdp);
	if (pkt->again && verdict != XRDMA_V_NOT_KEPT)
		return verdict == XRDMA_V_OK ? XRDMA_V_DUPLICATE : XRDMA_V_GONE;
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_rd_atomic_execute(pkt, to);
	if (verdict == XRDMA_V_OK)
		xrdma_qp_advance(to->qp, pkt);
	return verdict;
}

/* A request or a response at its queue pair, which is taken. */
static __always_inline enum xrdma_verdict xrdma_execute(struct xdp_md *xdp, struct xrdma_pkt *pkt,
							struct xrdma_target *to)
{
	bool is_response = xrdma_op_is_response(pkt->info.op);
	enum xrdma_verdict verdict;

	if (!is_response && !xrdma_reply_fits(xdp, pkt))
		return XRDMA_V_FIRST_BUFFER;
	verdict = is_response ? xrdma_check_response(xdp, pkt, to) : xrdma_check_request(pkt, to);
	if (xrdma_op_is_rd_atomic(pkt->info.op))
		return xrdma_execute_rd_atomic(xdp, pkt, to, verdict);
	if (verdict == XRDMA_V_OK)
		verdict = pkt->spans == 1 ? xrdma_place(xdp, pkt, to)
					  : xrdma_place_spans(xdp, pkt->spans);
	if (is_response)
		return xrdma_commit_response(pkt, &to->qp->req, verdict);
	if (verdict == XRDMA_V_HEAP && pkt->info.op == XRDMA_OP_SEND)
		verdict = XRDMA_V_RECV_KEY;
	if (to->cqe)
		xrdma_cqe_fill(to->cqe, pkt, verdict);
	if (verdict != XRDMA_V_OK)
		return verdict;
	xrdma_qp_advance(to->qp, pkt);
	if (to->rq)
		XRDMA_WRITE(to->rq->xdp_index, pkt->rqe + 1);
	if (to->invalidated)
		XRDMA_WRITE(to->invalidated->state, XRDMA_MKEY_FREE);
	return verdict;
}

/*
 * What the reply says of the responder, and what becomes of it. A refusal names the expected PSN,
 * all else the packet's own: a duplicate was carried out, which says nothing of what came after it.
 * A READ may have, and its requester takes an acknowledgement of that for the response (9.7.5.1).
 */
static __always_inline void xrdma_commit(struct xrdma_pkt *pkt, struct xrdma_qp_row *qp,
					 enum xrdma_verdict verdict,
					 const struct xrdma_outcome *outcome)
{
	bool refused = outcome->action >= XRDMA_ACTION_NAK;

	pkt->reply_psn = refused ? XRDMA_READ(qp->resp.psn) : pkt->psn;
	pkt->reply_msn = XRDMA_READ(qp->resp.msn) & XRDMA_PSN_MASK;
	if (outcome->action == XRDMA_ACTION_NAK)
		XRDMA_WRITE(qp->resp.error, verdict);
	if (outcome->action == XRDMA_ACTION_LATER)
		XRDMA_WRITE(qp->resp.waiting, verdict == XRDMA_V_PSN_AHEAD);
}

/* An RNR NAK carries the time that the peer waits (9.7.5.2.8), an ACK no credits. */
static __always_inline __u8 xrdma_syndrome(const struct xrdma_outcome *outcome,
					   const struct xrdma_qp_row *qp)
{
	if (outcome->syndrome == XRDMA_AETH_RNR_NAK)
		return XRDMA_AETH_RNR_NAK | (XRDMA_READ(qp->rnr_timer) & XRDMA_AETH_VALUE_MASK);
	return outcome->syndrome == XRDMA_AETH_ACK ? XRDMA_AETH_ACK_NO_CREDIT : outcome->syndrome;
}

/*
 * At the queue pair that the packet names: the verdict, and in *XDP_ACTION what becomes of the
 * frame.
 */
static __always_inline enum xrdma_verdict
xrdma_handle(struct xdp_md *xdp, struct xrdma_scratch *scratch, int *xdp_action)
{
	struct xrdma_pkt *pkt = &scratch->pkt;
	struct xrdma_target to;
	enum xrdma_verdict verdict = xrdma_steer(pkt, &to);
	struct xrdma_outcome outcome;

	if (verdict != XRDMA_V_OK)
		return verdict;
	verdict = xrdma_execute(xdp, pkt, &to);
	outcome = xrdma_outcome(verdict);
	xrdma_commit(pkt, to.qp, verdict, &outcome);
	xrdma_qp_release(to.qp);
	if (to.cqe)
		xrdma_cqe_publish(to.cqe, pkt);
	if (outcome.action == XRDMA_ACTION_NAK)
		xrdma_cq_stop(to.slot, XRDMA_READ(to.qp->recv_cq));
	if (outcome.action >= XRDMA_ACTION_AGAIN ||
	    (outcome.action == XRDMA_ACTION_DONE &&
	     (pkt->ack_req || xrdma_op_is_rd_atomic(pkt->info.op))))
		*xdp_action = xrdma_reply_send(xdp, pkt, to.qp, xrdma_syndrome(&outcome, to.qp));
	return verdict;
}

/* What becomes of a frame without a reply. A global function, so that it is verified once. */
__noinline int xrdma_no_reply(__u32 verdict)
{
	bool pass = xrdma_outcome(verdict).action == XRDMA_ACTION_PASS;

	/* What is for none of our queue pairs may be for one of the kernel's RDMA devices. */
	if (verdict == XRDMA_V_CONTEXT || verdict == XRDMA_V_QPN)
		pass = xrdma_device_is_shared();
	return pass ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int xrdma(struct xdp_md *xdp)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_epoch *epoch;
	enum xrdma_verdict verdict;
	int action = XDP_DROP;

	if (!scratch)
		return XDP_ABORTED;
	verdict = xrdma_arrive(xdp, NULL, xrdma_first_buffer(xdp), &scratch->pkt);
	if (verdict == XRDMA_V_TRUNCATED)
		verdict = xrdma_arrive_frags(xdp);
	XRDMA_FORGET();
	if (verdict == XRDMA_V_OK) {
		epoch = xrdma_epoch_enter();
		if (!epoch)
			return XDP_ABORTED;
		verdict = xrdma_handle(xdp, scratch, &action);
		xrdma_epoch_leave(epoch);
	}
	if (verdict != XRDMA_V_OK && action == XDP_DROP)
		action = xrdma_no_reply(verdict);
	xrdma_count(verdict, &scratch->pkt);
	return action;
}

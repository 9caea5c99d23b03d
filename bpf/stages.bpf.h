/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The stages of a packet are arrive, steer, check, execute, commit and reply. Each stage returns a
 * verdict. The first verdict that is not XRDMA_V_OK ends the stages, and its action and syndrome
 * choose the reply. A stage writes its result, and no later stage changes it: arrive writes the
 * packet, steer the target, and check the plan.
 */
#ifndef XRDMA_STAGES_BPF_H
#define XRDMA_STAGES_BPF_H

#include <linux/bpf.h>
#undef NULL /* stddef.h defines it for both sides */

#include "lib/base.h"
#include "obj/epoch.bpf.h"
#include "obj/counters.bpf.h"
#include "arrive/arrive.bpf.h"
#include "arrive/steer.bpf.h"
#include "memory/fault.bpf.h"
#include "responder/check.bpf.h"
#include "responder/execute.bpf.h"
#include "responder/commit.bpf.h"
#include "responder/reply.bpf.h"
#include "requester/check.bpf.h"
#include "requester/commit.bpf.h"

/* Return the action for a frame to none of our queue pairs. */
XRDMA_VERIFIED_ONCE int xrdma_refuse(__u32 verdict)
{
	bool pass = xrdma_outcome(verdict).action == XRDMA_ACTION_PASS;

	/* The packet may be for an RDMA device of the kernel. */
	if (verdict == XRDMA_V_CONTEXT || verdict == XRDMA_V_QPN)
		pass = xrdma_device_is_shared();
	return pass ? XRDMA_FRAME_PASS : XRDMA_FRAME_DROP;
}

/* Run the stages from steer on. Returns the verdict, and sets *ACTION for the frame. */
static __always_inline enum xrdma_verdict xrdma_handle(xrdma_ctx *ctx,
						       struct xrdma_scratch *scratch, int *action)
{
	const struct xrdma_pkt *pkt = &scratch->pkt;
	struct xrdma_plan *plan = &scratch->plan;
	struct xrdma_result *result = &scratch->result;
	bool is_response = xrdma_op_is_response(pkt->info.op);
	struct xrdma_target to;
	struct xrdma_plan_rows rows = {};
	enum xrdma_verdict verdict = xrdma_steer(pkt, &to);
	__u64 original = 0;

	if (verdict != XRDMA_V_OK) {
		*action = xrdma_refuse(verdict);
		return verdict;
	}
	verdict = is_response ? xrdma_check_response(pkt, &to, plan, &rows)
			      : xrdma_check_request(ctx, pkt, &to, plan, &rows);
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_execute(ctx, pkt, &to, plan, &rows, &original);
	if (!XRDMA_HAS_SENDER && verdict == XRDMA_V_DEFERRED) {
		xrdma_commit_deferred(to.qp);
		*action = XRDMA_FRAME_PASS;
		return verdict;
	}
	result->original = original;
	if (verdict == XRDMA_V_OK && !is_response)
		xrdma_commit_done(pkt, &to, plan, &rows, original);
	if (verdict != XRDMA_V_OK)
		verdict = xrdma_fault_verdict(to.qpn, to.space.psn,
					      XRDMA_READ(to.qp->resp.unbacked), verdict);
	result->verdict = verdict;
	XRDMA_FORGET();
	if (is_response)
		return xrdma_commit_response(pkt, &to, plan, result->verdict);
	switch (xrdma_commit_request(pkt, &to, plan, &rows, result)) {
	case XRDMA_DUE_REPLY:
		*action = xrdma_reply(ctx, pkt, &to, plan, &rows, result) ? xrdma_frame_return(ctx)
									  : XRDMA_FRAME_LOST;
		break;
	case XRDMA_DUE_PENDING:
		*action = XRDMA_FRAME_TO_SENDER;
		break;
	default:
		break;
	}
	return result->verdict;
}

/* Run all stages. Returns the action for the frame. */
static __always_inline int xrdma_run(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	struct xrdma_epoch *epoch;
	enum xrdma_verdict verdict;
	int action = XRDMA_FRAME_DROP;

	if (!scratch)
		return XRDMA_FRAME_LOST;
	if (xrdma_frame_yields(ctx))
		return xrdma_frame_yield(ctx);
	verdict = xrdma_arrive(ctx, scratch);
	if (verdict != XRDMA_V_OK) {
		action = xrdma_refuse(verdict);
	} else if (xrdma_frame_is_resumed(ctx)) {
		return xrdma_frame_call_sender(ctx);
	} else {
		epoch = xrdma_epoch_enter();
		if (!epoch)
			return XRDMA_FRAME_LOST;
		verdict = xrdma_handle(ctx, scratch, &action);
		xrdma_epoch_leave(epoch);
	}
	if (action != XRDMA_FRAME_PASS || !xrdma_frame_is_deferred())
		xrdma_count(verdict, &scratch->pkt);
	if (XRDMA_HAS_SENDER && scratch->pkt.super_came)
		return xrdma_super_next(ctx, scratch, action);
	return action == XRDMA_FRAME_TO_SENDER ? xrdma_frame_call_sender(ctx) : action;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A run that sends what a queue pair owes. The request's frame becomes one response after the
 * other, of which copies are sent. After as many as a run sends at most, or as there is room for,
 * the frame is the request again, and comes back to the netdev's ingress behind what waits there.
 */
#ifndef XRDMA_RESPONDER_TURN_BPF_H
#define XRDMA_RESPONDER_TURN_BPF_H

#include "obj/epoch.bpf.h"
#include "responder/several.bpf.h"

enum {
	XRDMA_ANSWERS_MAX = 64,	   /* of a turn of each: a netdev's ring may have places for 256 */
	XRDMA_ANSWERS_MIN = 2,	   /* of a run */
	XRDMA_ROUNDS_MAX = 0xffff, /* in which a frame sends, whatever an application does */
	XRDMA_WAITED_MAX = 4096,   /* some 30 ms */
};

/*
 * Whether this frame still sends for the queue pair, which is taken. Meanwhile the queue pair may
 * have been reset and connected to another peer, or another frame may have taken over because this
 * one seemed to have stalled. A queue pair that has refused a request sends what it owed before.
 */
static __always_inline bool xrdma_qp_answers(const struct xrdma_answering *run)
{
	const struct xrdma_qp_row *qp = run->to.qp;
	__u8 state = XRDMA_OBSERVE(qp->state);

	return state >= XRDMA_QPS_RTR && (state < XRDMA_QPS_ERR || XRDMA_READ(qp->resp.error)) &&
	       run->answer->round.sender == XRDMA_READ(qp->owed.sender) &&
	       xrdma_is_of_peer(run->pkt, qp);
}

/*
 * The run begins. Those that go on in turn share the places that what is sent has to wait in: as
 * many as had a turn since this frame's last, and one more with each that begins.
 */
static __always_inline void xrdma_answer_turn(struct xrdma_answering *run)
{
	struct xrdma_answer *answer = run->answer;
	__u32 turn = answer->turn + 1, shared = answer->shared + 1;

	if (run->goes_on)
		shared = turn - answer->round.turn;
	if (shared > XRDMA_ANSWERS_MAX / XRDMA_ANSWERS_MIN || !shared)
		shared = XRDMA_ANSWERS_MAX / XRDMA_ANSWERS_MIN;
	answer->turn = turn;
	answer->shared = shared;
	answer->round.turn = turn;
	run->most = XRDMA_ANSWERS_MAX / shared;
}

/* The frame becomes what a queue pair's only run sends last, of which nobody learns if it left. */
static __always_inline bool xrdma_answer_takes_frame(const struct xrdma_answering *run)
{
	return !run->answer->more && !run->goes_on;
}

/* Nothing is owed any more. */
static __always_inline void xrdma_answer_end(struct xrdma_answering *run)
{
	if (run->answer->shared)
		run->answer->shared--;
	XRDMA_WRITE(run->to.qp->owed.since, 0);
	xrdma_be_at_tc(run->to.qp);
}

/* With the queue pair taken, and INDEX of this run sent: whether one more is to be. */
static __always_inline bool xrdma_answer_choose(struct xrdma_answering *run, __u64 index,
						struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	bool any;

	if (index)
		xrdma_answer_sent(run);
	if (index == 1)
		XRDMA_WRITE(qp->owed.since, bpf_ktime_get_ns());
	run->has_sent = index;
	if (index && index >= run->most)
		return false;
	run->action = XRDMA_FRAME_LOST;
	if (!xrdma_qp_answers(run))
		return false;
	if (!index)
		xrdma_answer_turn(run);
	any = xrdma_answer_next(run, rows);
	if (any && xrdma_answer_takes_frame(run))
		xrdma_answer_sent(run);
	if (!any || xrdma_answer_takes_frame(run))
		xrdma_answer_end(run);
	return any;
}

/* Nothing was sent, as there is no room, and nothing has been for long. */
static __always_inline bool xrdma_answer_is_stuck(const struct xrdma_answering *run)
{
	__u64 since = XRDMA_READ(run->to.qp->owed.since);

	return !run->has_sent && bpf_ktime_get_ns() - since >= XRDMA_OWED_STALLED;
}

/*
 * Returns whether the frame comes again because another CPU has the queue pair, or the context is
 * paused. That may last, and without the frame nobody would send until the peer asks once more. But
 * an application can make its queue pair look busy, so the frame does not wait for ever.
 */
static __always_inline bool xrdma_answer_may_wait(struct xrdma_answering *run)
{
	return ++run->answer->round.waited < XRDMA_WAITED_MAX;
}

/*
 * A step, as bpf_loop() wants it. Returns 0 to go on. What could not be sent is owed still: as long
 * as the places are taken that it would have to wait in, runs end here.
 */
static long xrdma_answer_step(__u64 index, void *data)
{
	struct xrdma_answering *run = data;
	struct xrdma_plan_rows rows = {};
	enum xrdma_verdict verdict;
	bool any;

	verdict = xrdma_steer_take(run->pkt, &run->to);
	if (verdict == XRDMA_V_OK && run->to.paused_for) {
		xrdma_qp_release(run->to.qp);
		verdict = XRDMA_V_BUSY;
	}
	if (verdict != XRDMA_V_OK) {
		if (verdict == XRDMA_V_BUSY && xrdma_answer_may_wait(run))
			run->action = XRDMA_FRAME_FOLLOWS;
		return 1;
	}
	run->answer->round.waited = 0;
	any = xrdma_answer_choose(run, index, &rows);
	xrdma_qp_release(run->to.qp);
	if (any && run->answer->stopped)
		xrdma_tell_stopped(&run->to);
	if (!any || !xrdma_answer_write(run, &rows))
		return 1;
	if (xrdma_answer_takes_frame(run)) {
		run->action = xrdma_frame_return(run->ctx);
		return 1;
	}
	run->action = XRDMA_FRAME_FOLLOWS;
	if (xrdma_frame_send(run->ctx))
		return 0;
	if (xrdma_answer_is_stuck(run))
		run->action = XRDMA_FRAME_LOST;
	return 1;
}

/*
 * Read what the run before has left: at the frame's end, or, if this is the first, in the scratch
 * memory. The frame of a super packet becomes one that a queue pair's answers can be made of.
 */
static __always_inline bool xrdma_answer_take_round(struct xrdma_answering *run,
						    struct xrdma_scratch *scratch)
{
	struct xrdma_round *round = &run->answer->round;
	__u64 super_came = run->pkt->super_came;

	run->goes_on = xrdma_frame_goes_on(run->ctx);
	run->ctx->mark = 0;
	if (run->goes_on)
		return xrdma_frame_load_round(run->ctx, round);
	*round = (struct xrdma_round){ .sender = super_came ?: run->plan->came,
				       .turn = run->answer->turn };
	return !super_came || xrdma_super_end(run->ctx, scratch, round);
}

/* Keep the request, and begin its reply. */
static __always_inline bool xrdma_answer_begin(struct xrdma_answering *run)
{
	__u64 len = run->pkt->icrc_at + XRDMA_ICRC_LEN;

	run->answer->frame_len = 0;
	run->answer->stopped = false;
	run->answer->summed = false;
	return XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) && XRDMA_AT_LEAST(len, 1) &&
	       xrdma_frame_load(run->ctx, 0, run->answer->request, len) &&
	       xrdma_link_turn(run->ctx);
}

/* The request comes again. */
static __always_inline int xrdma_answer_go_on(struct xrdma_answering *run)
{
	struct xrdma_round *round = &run->answer->round;
	__u64 len = run->pkt->icrc_at + XRDMA_ICRC_LEN;

	if (round->sent == XRDMA_ROUNDS_MAX)
		return XRDMA_FRAME_LOST;
	round->sent += run->has_sent;
	if (!XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) || !XRDMA_AT_LEAST(len, 1) ||
	    !xrdma_frame_become(run->ctx, 0, len + sizeof(*round)) ||
	    !xrdma_frame_store(run->ctx, 0, run->answer->request, len) ||
	    !xrdma_frame_store(run->ctx, len, round, sizeof(*round)))
		return XRDMA_FRAME_LOST;
	return xrdma_frame_go_on(run->ctx);
}

/* What becomes of the frame, whose packet the run before has left in the scratch memory. */
static __always_inline int xrdma_answer_run(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	struct xrdma_epoch *epoch;
	__u32 zero = 0;
	struct xrdma_answering run = {
		.ctx = ctx,
		.answer = bpf_map_lookup_elem(&xrdma_answers, &zero),
		.action = XRDMA_FRAME_LOST,
	};

	if (!scratch || !run.answer)
		return XRDMA_FRAME_LOST;
	run.pkt = &scratch->pkt;
	run.plan = &scratch->plan;
	epoch = xrdma_epoch_enter();
	if (!epoch)
		return XRDMA_FRAME_LOST;
	if (xrdma_answer_take_round(&run, scratch) && xrdma_answer_begin(&run))
		bpf_loop(XRDMA_ANSWERS_MAX + 1, xrdma_answer_step, &run, 0);
	xrdma_epoch_leave(epoch);
	return run.action == XRDMA_FRAME_FOLLOWS ? xrdma_answer_go_on(&run) : run.action;
}

#endif

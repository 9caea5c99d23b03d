/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A run that sends what a queue pair owes. The request's frame becomes one response after the
 * other; of all but the last a copy is sent. After as many as a run sends at most the frame is the
 * request again, and comes back to the netdev's ingress behind what waits there.
 */
#ifndef XRDMA_RESPONDER_ANSWER_BPF_H
#define XRDMA_RESPONDER_ANSWER_BPF_H

#include "obj/epoch.bpf.h"
#include "responder/check.bpf.h"
#include "responder/commit.bpf.h"
#include "responder/owed.bpf.h"
#include "responder/reply.bpf.h"

enum {
	XRDMA_ANSWERS_MAX = 64, /* of a turn of each: a netdev's ring may have places for 256 */
	XRDMA_ANSWERS_MIN = 2,	/* of a run */
	XRDMA_REQUEST_MAX = 128,
};

/*
 * What is sent next, and whose turn it is on this CPU. Numbers are here and not on the stack for
 * the reason at struct xrdma_plan.
 */
struct xrdma_answer {
	__u32 turn;   /* of the last run */
	__u32 shared; /* by how many queue pairs in turn */
	__u8 request[XRDMA_REQUEST_MAX];
	__u64 original; /* what an atomic found */
	__u32 psn;
	__u32 syndrome_msn;
	__u32 data_at;
	__u32 data_len; /* without what pads them */
	__u32 frame_len;
	__u8 opcode;
	bool more;    /* more follows it */
	bool stopped; /* it is a refusal that stops the responder */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_answer);
} xrdma_answers SEC(".maps");

/* What a run goes through the steps with. */
struct xrdma_answering {
	xrdma_ctx *ctx;
	const struct xrdma_pkt *pkt;
	struct xrdma_plan *plan; /* its transfer is that of the next response */
	struct xrdma_answer *answer;
	struct xrdma_target to;
	__u32 most;   /* as many responses */
	int action;   /* what becomes of the frame */
	bool goes_on; /* there was a run before, of the same SENDER */
	__u8 sender;
};

static __always_inline __u8 xrdma_read_response(bool is_first, bool is_last)
{
	if (is_first)
		return is_last ? XRDMA_RC_READ_RESPONSE_ONLY : XRDMA_RC_READ_RESPONSE_FIRST;
	return is_last ? XRDMA_RC_READ_RESPONSE_LAST : XRDMA_RC_READ_RESPONSE_MIDDLE;
}

/* The next response to the READ that RESOURCE is of. XRDMA_V_OK: it may be sent. */
static __always_inline enum xrdma_verdict xrdma_answer_read(struct xrdma_answering *run,
							    const struct xrdma_resource *resource,
							    struct xrdma_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_plan *plan = run->plan;
	__u32 mtu = XRDMA_READ(qp->mtu), length = XRDMA_READ(qp->owed.length);
	__u32 sent = XRDMA_READ(qp->owed.sent);
	__u64 done = (__u64)sent * mtu;
	bool is_last = done + mtu >= length;

	if (done > length || mtu < XRDMA_MTU_MIN || mtu > XRDMA_MTU_MAX)
		return XRDMA_V_LENGTH;
	run->answer->opcode = xrdma_read_response(!sent, is_last);
	if (run->answer->opcode == XRDMA_RC_READ_RESPONSE_MIDDLE)
		run->answer->data_at -= sizeof(struct xrdma_aeth);
	run->answer->data_len = is_last ? length - done : mtu;
	__builtin_memset(plan, 0, sizeof(*plan));
	plan->key = XRDMA_READ(resource->key);
	plan->va = XRDMA_READ(qp->owed.va) + done;
	plan->left = plan->transfer.len = run->answer->data_len;
	plan->transfer.at = run->answer->data_at;
	if (is_last)
		xrdma_owed_pass(qp);
	else
		XRDMA_WRITE(qp->owed.sent, sent + 1);
	return xrdma_check_key(&run->to, plan, rows, XRDMA_ACCESS_REMOTE_READ);
}

/*
 * Nothing more is sent, as VERDICT says. What was sent before is owed to nobody, and what was
 * missed will be asked for again; all else is refused.
 */
static __always_inline bool xrdma_answer_refuse(struct xrdma_answering *run, bool again,
						enum xrdma_verdict verdict)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_outcome outcome;
	__u32 unbacked = XRDMA_READ(qp->resp.unbacked);

	xrdma_owe_nothing(qp);
	verdict = xrdma_fault_verdict(run->answer->psn, unbacked, verdict);
	outcome = xrdma_outcome(verdict);
	if (again && outcome.action != XRDMA_ACTION_LATER)
		return false;
	run->answer->stopped = outcome.action == XRDMA_ACTION_NAK;
	if (run->answer->stopped)
		XRDMA_WRITE(qp->resp.error, verdict);
	run->answer->opcode = XRDMA_RC_ACK;
	run->answer->data_at = xrdma_response_data_at(run->pkt);
	run->answer->data_len = 0;
	run->answer->syndrome_msn = (__u32)xrdma_syndrome(&outcome, qp) << 24 |
				    (run->answer->syndrome_msn & XRDMA_PSN_MASK);
	return true;
}

/* The response that is owed first. What is sent again has the newest MSN. */
static __always_inline bool xrdma_answer_first(struct xrdma_answering *run, struct xrdma_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	const struct xrdma_resource *resource = xrdma_owed_first(qp);
	struct xrdma_answer *answer = run->answer;
	__u32 op_msn = XRDMA_READ(resource->op_msn);
	bool again = XRDMA_READ(qp->resp.owed) > XRDMA_READ(qp->owed.fresh);
	__u32 msn = again ? XRDMA_READ(qp->resp.msn) : op_msn;
	enum xrdma_verdict verdict;

	answer->psn = xrdma_psn_add(XRDMA_READ(qp->owed.psn), XRDMA_READ(qp->owed.sent));
	answer->syndrome_msn = (__u32)XRDMA_AETH_ACK_NO_CREDIT << 24 | (msn & XRDMA_PSN_MASK);
	run->to.space.psn = answer->psn;
	if (op_msn >> 24 != XRDMA_OP_READ) {
		answer->opcode = XRDMA_RC_ATOMIC_ACK;
		answer->data_len = sizeof(struct xrdma_atomicacketh);
		answer->original = XRDMA_READ(resource->original);
		xrdma_owed_pass(qp);
		return true;
	}
	verdict = xrdma_answer_read(run, resource, rows);
	return verdict == XRDMA_V_OK || xrdma_answer_refuse(run, again, verdict);
}

/* Whether something is to be sent; the queue pair, which is taken, owes it no longer. */
static __always_inline bool xrdma_answer_next(struct xrdma_answering *run, struct xrdma_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_answer *answer = run->answer;
	bool any;

	answer->data_at = xrdma_response_data_at(run->pkt);
	answer->data_len = 0;
	if (XRDMA_READ(qp->resp.owed)) {
		any = xrdma_answer_first(run, rows);
	} else {
		answer->opcode = XRDMA_RC_ACK;
		answer->psn = XRDMA_READ(qp->owed.ack_psn);
		answer->syndrome_msn = XRDMA_READ(qp->owed.ack);
		any = answer->syndrome_msn;
		XRDMA_WRITE(qp->owed.ack, 0);
	}
	answer->more = XRDMA_READ(qp->resp.owed) || XRDMA_READ(qp->owed.ack);
	if (!answer->more) {
		if (answer->shared)
			answer->shared--;
		XRDMA_WRITE(qp->owed.since, 0);
		xrdma_be_at_tc(qp);
	}
	return any;
}

/* The frame gets LEN bytes, all of them linear. */
static __always_inline bool xrdma_answer_resize(struct xrdma_answering *run, __u32 len)
{
	__u32 had = run->answer->frame_len;

	run->answer->frame_len = len;
	return had == len || xrdma_frame_become(run->ctx, had, len);
}

/* The frame becomes the answer. Where a response has no AETH, the data cover it. */
static __always_inline bool xrdma_answer_write(struct xrdma_answering *run,
					       const struct xrdma_rows *rows)
{
	const struct xrdma_answer *answer = run->answer;
	const struct xrdma_pkt *pkt = run->pkt;
	struct xrdma_reply reply = xrdma_reply_to(pkt, answer->psn, answer->syndrome_msn);
	__u32 icrc_at;

	reply.opcode = answer->opcode;
	reply.pad_len = xrdma_pad_len(answer->data_len);
	icrc_at = answer->data_at + answer->data_len + reply.pad_len;
	reply.payload_len = icrc_at - xrdma_response_data_at(pkt);
	if (!xrdma_answer_resize(run, icrc_at + XRDMA_ICRC_LEN) ||
	    !xrdma_reply_write(run->ctx, pkt, run->to.qp, &reply))
		return false;
	if (answer->opcode == XRDMA_RC_ACK)
		return true;
	if (answer->opcode == XRDMA_RC_ATOMIC_ACK
		    ? !xrdma_response_atomic(run->ctx, pkt, answer->original)
		    : !xrdma_response_read(run->ctx, &run->to, run->plan, rows))
		return false;
	return xrdma_response_seal(run->ctx, pkt, icrc_at);
}

/*
 * Whether the queue pair, which is taken, still sends. One that has refused a request sends what it
 * owed before.
 */
static __always_inline bool xrdma_qp_answers(const struct xrdma_qp_row *qp)
{
	__u8 state = XRDMA_OBSERVE(qp->state);

	return state >= XRDMA_QPS_RTR && (state < XRDMA_QPS_ERR || XRDMA_READ(qp->resp.error));
}

/*
 * The run begins. Those that go on in turn share the places that what is sent has to wait in: as
 * many as had a turn since this queue pair's last, and one more with each that begins. False:
 * another has taken over, as if this one had stalled.
 */
static __always_inline bool xrdma_answer_turn(struct xrdma_answering *run)
{
	struct xrdma_owed *owed = &run->to.qp->owed;
	struct xrdma_answer *answer = run->answer;
	__u32 turn = answer->turn + 1, shared = answer->shared + 1;

	if (!run->goes_on)
		run->sender = XRDMA_READ(owed->sender);
	else if (run->sender != XRDMA_READ(owed->sender))
		return false;
	else
		shared = turn - XRDMA_READ(owed->turn);
	if (shared > XRDMA_ANSWERS_MAX / XRDMA_ANSWERS_MIN || !shared)
		shared = XRDMA_ANSWERS_MAX / XRDMA_ANSWERS_MIN;
	answer->turn = turn;
	answer->shared = shared;
	run->most = XRDMA_ANSWERS_MAX / shared;
	XRDMA_WRITE(owed->turn, turn);
	XRDMA_WRITE(owed->since, bpf_ktime_get_ns());
	return true;
}

/* A step, as bpf_loop() wants it. Returns 0 to go on. */
static long xrdma_answer_step(__u64 index, void *data)
{
	struct xrdma_answering *run = data;
	struct xrdma_rows rows = {};
	bool any;

	run->action = XRDMA_FRAME_LOST;
	if (xrdma_steer_take(run->pkt, &run->to) != XRDMA_V_OK)
		return 1;
	any = xrdma_qp_answers(run->to.qp) && (index || xrdma_answer_turn(run)) &&
	      xrdma_answer_next(run, &rows);
	xrdma_qp_release(run->to.qp);
	if (any && run->answer->stopped)
		xrdma_tell_stopped(&run->to);
	if (!any || !xrdma_answer_write(run, &rows))
		return 1;
	run->action = run->answer->more ? XRDMA_FRAME_FOLLOWS : xrdma_frame_return(run->ctx);
	return !run->answer->more || !xrdma_frame_send(run->ctx) || index + 1 >= run->most;
}

/* Keep the request, and begin its reply. */
static __always_inline bool xrdma_answer_begin(struct xrdma_answering *run)
{
	const struct xrdma_link *request;
	struct xrdma_link link;
	__u64 len = run->pkt->icrc_at + XRDMA_ICRC_LEN;

	run->answer->frame_len = 0;
	run->answer->stopped = false;
	if (!XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) || !XRDMA_AT_LEAST(len, 1) ||
	    !xrdma_frame_load(run->ctx, 0, run->answer->request, len))
		return false;
	request = xrdma_link_at(run->ctx);
	if (!request)
		return false;
	link = *request;
	return xrdma_link_write(run->ctx, &link);
}

/* The request comes again. */
static __always_inline int xrdma_answer_go_on(struct xrdma_answering *run)
{
	__u64 len = run->pkt->icrc_at + XRDMA_ICRC_LEN;

	if (!XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) || !XRDMA_AT_LEAST(len, 1) ||
	    !xrdma_frame_become(run->ctx, 0, len) ||
	    !xrdma_frame_store(run->ctx, 0, run->answer->request, len))
		return XRDMA_FRAME_LOST;
	return xrdma_frame_go_on(run->ctx, run->sender);
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
	run.goes_on = xrdma_frame_gone_on(ctx, &run.sender);
	epoch = xrdma_epoch_enter();
	if (!epoch)
		return XRDMA_FRAME_LOST;
	if (xrdma_answer_begin(&run))
		bpf_loop(XRDMA_ANSWERS_MAX, xrdma_answer_step, &run, 0);
	xrdma_epoch_leave(epoch);
	return run.action == XRDMA_FRAME_FOLLOWS ? xrdma_answer_go_on(&run) : run.action;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The response that a queue pair owes first, and how a frame becomes it. */
#ifndef XRDMA_RESPONDER_ANSWER_BPF_H
#define XRDMA_RESPONDER_ANSWER_BPF_H

#include "responder/check.bpf.h"
#include "responder/commit.bpf.h"
#include "responder/owed.bpf.h"
#include "responder/reply.bpf.h"

enum { XRDMA_REQUEST_MAX = 128 };

/*
 * What is sent next, and whose turn it is on this CPU. Numbers are here and not on the stack for
 * the reason at struct xrdma_plan.
 */
struct xrdma_answer {
	__u32 turn;   /* of the last run */
	__u32 shared; /* by how many queue pairs in turn */
	struct xrdma_round round;
	__u8 request[XRDMA_REQUEST_MAX];
	__u64 original; /* what an atomic found */
	__u32 psn;
	__u32 syndrome_msn;
	__u32 data_at;
	__u32 data_len; /* without what pads them */
	__u32 frame_len;
	__u8 opcode;
	bool ends;    /* what was owed first is sent then */
	bool more;    /* more follows it */
	bool stopped; /* it is a refusal that stops the responder */
	bool summed;  /* this run knows how the frame's UDP checksum ends */
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
	struct xrdma_pkt *pkt;
	struct xrdma_plan *plan; /* its transfer is that of the next response */
	struct xrdma_answer *answer;
	struct xrdma_target to;
	__u32 most;   /* as many responses */
	int action;   /* what becomes of the frame */
	bool goes_on; /* there was a run before, of the same frame */
	bool has_sent;
};

static __always_inline __u8 xrdma_read_response(bool is_first, bool is_last)
{
	if (is_first)
		return is_last ? XRDMA_RC_READ_RESPONSE_ONLY : XRDMA_RC_READ_RESPONSE_FIRST;
	return is_last ? XRDMA_RC_READ_RESPONSE_LAST : XRDMA_RC_READ_RESPONSE_MIDDLE;
}

/*
 * The next response to the READ that RESOURCE is of. XRDMA_V_OK: it may be sent. The program may
 * have withdrawn the queue pair's right since the READ came.
 */
static __always_inline enum xrdma_verdict xrdma_answer_read(struct xrdma_answering *run,
							    const struct xrdma_resource *resource,
							    struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_plan *plan = run->plan;
	__u32 mtu = XRDMA_READ(qp->mtu), length = XRDMA_READ(qp->owed.length);
	__u32 sent = XRDMA_READ(qp->owed.sent);
	__u64 done = (__u64)sent * mtu;
	bool is_last = done + mtu >= length;

	if (!(XRDMA_READ(qp->access) & XRDMA_ACCESS_REMOTE_READ))
		return XRDMA_V_QP_ACCESS;
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
	run->answer->ends = is_last;
	return xrdma_check_key(&run->to, plan, rows, XRDMA_ACCESS_REMOTE_READ);
}

/*
 * Stop the responses with VERDICT. If they were sent before (AGAIN), no NAK follows, with two
 * exceptions: a page is missing, and the READ must be repeated; or the process has no memory for
 * the page, and the READ must not be repeated.
 */
static __always_inline bool xrdma_answer_refuse(struct xrdma_answering *run, bool again,
						enum xrdma_verdict verdict)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_outcome outcome;
	__u32 unbacked = XRDMA_READ(qp->resp.unbacked);

	xrdma_owe_nothing(qp);
	verdict = xrdma_fault_verdict(run->to.qpn, run->answer->psn, unbacked, verdict);
	outcome = xrdma_outcome(verdict);
	if (again && outcome.action != XRDMA_ACTION_LATER &&
	    unbacked != (XRDMA_UNBACKED | run->answer->psn))
		return false;
	run->answer->ends = true;
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
static __always_inline bool xrdma_answer_first(struct xrdma_answering *run,
					       struct xrdma_plan_rows *rows)
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
		return true;
	}
	verdict = xrdma_answer_read(run, resource, rows);
	return verdict == XRDMA_V_OK || xrdma_answer_refuse(run, again, verdict);
}

/* The queue pair owes the answer no longer, unless it was asked for once more meanwhile. */
static __always_inline void xrdma_answer_sent(struct xrdma_answering *run)
{
	struct xrdma_qp_row *qp = run->to.qp;
	const struct xrdma_answer *answer = run->answer;
	__u32 sent = XRDMA_READ(qp->owed.sent);

	if (answer->opcode == XRDMA_RC_ACK) {
		if (answer->psn == XRDMA_READ(qp->owed.ack_psn))
			XRDMA_WRITE(qp->owed.ack, 0);
	} else if (XRDMA_READ(qp->resp.owed) &&
		   answer->psn == xrdma_psn_add(XRDMA_READ(qp->owed.psn), sent)) {
		if (answer->ends)
			xrdma_owed_pass(qp);
		else
			XRDMA_WRITE(qp->owed.sent, sent + 1);
	}
}

/* Whether the queue pair, which is taken, owes something: the answer. */
static __always_inline bool xrdma_answer_next(struct xrdma_answering *run,
					      struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = run->to.qp;
	struct xrdma_answer *answer = run->answer;
	bool any;

	answer->data_at = xrdma_response_data_at(run->pkt);
	answer->data_len = 0;
	answer->ends = true;
	if (XRDMA_READ(qp->resp.owed)) {
		any = xrdma_answer_first(run, rows);
		answer->more =
			!answer->ends || XRDMA_READ(qp->resp.owed) > 1 || XRDMA_READ(qp->owed.ack);
	} else {
		answer->opcode = XRDMA_RC_ACK;
		answer->psn = XRDMA_READ(qp->owed.ack_psn);
		answer->syndrome_msn = XRDMA_READ(qp->owed.ack);
		answer->more = false;
		any = answer->syndrome_msn;
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

/* Write the data of a response, whose headers are written, and the ICRC at ICRC_AT. */
static __always_inline bool xrdma_answer_fill(struct xrdma_answering *run,
					      const struct xrdma_plan_rows *rows, __u32 icrc_at)
{
	const struct xrdma_answer *answer = run->answer;

	if (answer->opcode == XRDMA_RC_ATOMIC_ACK
		    ? !xrdma_response_atomic(run->ctx, run->pkt, answer->original)
		    : !xrdma_response_read(run->ctx, &run->to, run->plan, rows))
		return false;
	return xrdma_response_seal(run->ctx, run->pkt, icrc_at);
}

/*
 * End the UDP checksum of the frame. All responses of a run are the same frame for the kernel: if
 * it does not have to compute the checksum of the first one, it does not for any.
 */
static __always_inline bool xrdma_answer_end_checksum(struct xrdma_answering *run,
						      __u16 payload_len)
{
	struct xrdma_pkt *pkt = run->pkt;
	__u16 checksum;

	if (run->answer->summed)
		return true;
	run->answer->summed = true;
	if (!xrdma_reply_end_checksum(run->ctx, pkt, payload_len) ||
	    !xrdma_frame_load(run->ctx, xrdma_checksum_at(pkt), &checksum, sizeof(checksum)))
		return false;
	if (!checksum)
		pkt->udp_rest = 0;
	return true;
}

/* The frame becomes the answer. Where a response has no AETH, the data cover it. */
static __always_inline bool xrdma_answer_write(struct xrdma_answering *run,
					       const struct xrdma_plan_rows *rows)
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
	if (answer->opcode != XRDMA_RC_ACK && !xrdma_answer_fill(run, rows, icrc_at))
		return false;
	return xrdma_answer_end_checksum(run, reply.payload_len);
}

#endif

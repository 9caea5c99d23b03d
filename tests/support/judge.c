// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Checks for every case. They follow from the verdict's action. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "judge_effects.h"
#include "judge_frame.h"
#include "lib/frame.h"
#include "lib/opcode.h"

static const enum xrdma_action actions[] = {
#define X(number, symbol, action, syndrome, text) XRDMA_ACTION_##action,
	XRDMA_VERDICTS(X)
#undef X
};

static bool is_rnr(__u8 syndrome)
{
	return (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK;
}

/* Check that only responses and acknowledgements move or stop the requester. */
static void check_requester(const struct run *run, enum xrdma_verdict verdict,
			    struct xrdma_requester *before)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	__u32 psn = run->packet.psn & XRDMA_PSN_MASK,
	      syndrome = run->packet.syndrome_msn & 0xff000000;
	__u32 next = run->next_psn;
	struct xrdma_nak *nak;

	switch (verdict) {
	case XRDMA_V_PLACED:
		before->rd_atomics_done += info->position & XRDMA_POSITION_LAST ? 1 : 0;
		/* fall through */
	case XRDMA_V_ACKED:
		before->acked_psn = (psn + 1) & XRDMA_PSN_MASK;
		if (info->headers & XRDMA_HDR_AETH)
			before->msn = run->packet.syndrome_msn & XRDMA_PSN_MASK;
		before->waiting = 0;
		break;
	case XRDMA_V_NAKED:
		before->acked_psn = psn;
		before->waiting = 0;
		nak = is_rnr(syndrome >> 24) ? &before->rnr_nak : &before->nak;
		nak->last = syndrome | psn;
		nak->count++;
		break;
	case XRDMA_V_RESPONSE_AHEAD:
		before->acked_psn = next;
		if (before->waiting)
			break;
		before->waiting = 1;
		before->nak.last = XRDMA_AETH_NAK_PSN_SEQ << 24 | next;
		before->nak.count++;
		break;
	case XRDMA_V_RESPONSE_BAD:
	case XRDMA_V_RESPONSE_KEY:
		before->acked_psn = psn;
		before->error = verdict;
		break;
	default:
		break;
	}
	expect(!memcmp(&run->qp->req, before, sizeof(*before)));
}

/* A copy, made before the packet, of everything that the packet may change. */
struct state {
	struct xrdma_responder resp;
	struct xrdma_requester req;
	__u32 strays; /* of requests */
	struct xrdma_mkey_row keys[TARGET_ROWS];
	struct xrdma_resource resources[XRDMA_RD_ATOMIC_MAX];
	__u32 next; /* entry of the receive queue's ring */
	__u8 region[CASE_REGION];
};

static bool is_response(const struct run *run)
{
	const enum xrdma_op op = xrdma_opcode_info(run->packet.opcode)->op;

	return op == XRDMA_OP_ACK || op == XRDMA_OP_READ_RESPONSE || op == XRDMA_OP_ATOMIC_ACK;
}

/* Returns whether a packet is refused only for its PSN. */
static bool is_stray(const struct run *run, enum xrdma_verdict verdict, __u32 expected_psn)
{
	switch (verdict) {
	case XRDMA_V_PSN_AHEAD:
	case XRDMA_V_PSN_WAITING:
	case XRDMA_V_DUPLICATE:
	case XRDMA_V_NOT_KEPT:
	case XRDMA_V_GONE:
	case XRDMA_V_ACK_OLD:
	case XRDMA_V_ACK_UNSENT:
		return true;
	case XRDMA_V_FAULT: /* a READ that is sent again because a page was missing */
		return (run->packet.psn & XRDMA_PSN_MASK) != expected_psn;
	default:
		return false;
	}
}

static bool counts(enum xrdma_verdict verdict)
{
	return verdict == XRDMA_V_OK || verdict == XRDMA_V_PLACED || verdict == XRDMA_V_ACKED ||
	       verdict == XRDMA_V_NAKED;
}

/*
 * Check the source ports, and the counts of packets with wrong PSNs. A request changes only those
 * for requests, and a response only those for responses. BEFORE gets the new values. The count is
 * not checked if the packet is deferred to the program at tc.
 */
static void check_peer(const struct run *run, enum xrdma_verdict verdict, struct state *before)
{
	__u32 strays[] = { before->strays, before->req.strays.count };
	__u32 ports[] = { before->resp.peer_sport, before->req.peer_sport };
	bool response = is_response(run);

	if (is_stray(run, verdict, before->resp.psn) && strays[response] < XRDMA_STRAYS_MAX)
		strays[response]++;
	if (counts(verdict)) {
		strays[response] = 0;
		ports[response] = ports[response] ?: PACKET_SPORT;
	}
	if (verdict != XRDMA_V_DEFERRED)
		expect_int(run->qp->respq.strays.count, ==, strays[0]);
	expect_int(run->qp->req.strays.count, ==, strays[1]);
	expect_int(run->qp->resp.peer_sport, ==, ports[0]);
	expect_int(run->qp->req.peer_sport, ==, ports[1]);
	before->req.strays = run->qp->req.strays;
	before->req.peer_sport = ports[1];
}

static bool has_notify_bit(const struct xrdma_queue_row *cq)
{
	static const __u64 none[XRDMA_NOTIFY_WORDS];
	__u32 bit = CASE_QPN % XRDMA_NOTIFY_BITS;
	__u64 news[XRDMA_NOTIFY_WORDS];
	bool notified;

	memcpy(news, cq->notify, sizeof(news));
	notified = news[bit / 64] >> bit % 64 & 1;
	news[bit / 64] &= ~(1ULL << bit % 64);
	expect(!memcmp(news, none, sizeof(news)));
	return notified;
}

/* Returns whether a packet was executed that establishes the connection: the first one in RTR. */
static bool establishes(const struct run *run, const struct xrdma_responder *before)
{
	return run->qp->state == XRDMA_QPS_RTR && run->qp->transport != XRDMA_TRANSPORT_UD &&
	       run->qp->resp.psn != before->psn && !before->established;
}

/*
 * Check the notify bits. The completion queue of requests gets one when the requester has moved by
 * more than a packet of a READ. Both completion queues get one when the responder has stopped. That
 * of receives gets one when the connection is established, too.
 */
static void check_notify_bits(const struct run *run, enum xrdma_verdict verdict,
			      const struct state *before, bool stopped)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	bool is_part = verdict == XRDMA_V_PLACED && !(info->position & XRDMA_POSITION_LAST);
	bool moved = memcmp(&run->qp->req, &before->req, sizeof(before->req)) && !is_part;
	bool establishes_it = establishes(run, &before->resp);

	expect_int(has_notify_bit(run->send_cq), ==, moved || stopped);
	expect_int(has_notify_bit(run->cq), ==, stopped || establishes_it);
	expect_int(run->qp->resp.established, ==, before->resp.established || establishes_it);
}

/*
 * Returns the action for VERDICT. An unreliable service does not report refusals. A wrong key in a
 * receive stops its queue pair, too, but without a NAK.
 */
static enum xrdma_action action_of(const struct run *run, enum xrdma_verdict verdict)
{
	enum xrdma_action action = actions[verdict];

	if (case_is_reliable(run) || action <= XRDMA_ACTION_DONE || verdict == XRDMA_V_RECV_KEY)
		return action;
	return XRDMA_ACTION_DROP;
}

static struct state *state_of(const struct run *run)
{
	struct state *state = malloc(sizeof(*state));

	state->resp = run->qp->resp;
	state->req = run->qp->req;
	state->strays = run->qp->respq.strays.count;
	memcpy(state->keys, run->target.mkeys, sizeof(state->keys));
	memcpy(state->resources, case_resource(run, 0), sizeof(state->resources));
	state->next = run->rq->xdp_index;
	memcpy(state->region, run->target.heap + CASE_REGION_AT, sizeof(state->region));
	return state;
}

/* Check that only an executed packet advances the responder. */
static void check_responder(const struct run *run, enum xrdma_verdict verdict,
			    enum xrdma_action action, const struct xrdma_responder *before)
{
	const struct xrdma_responder *resp = &run->qp->resp;
	__u8 waiting = before->waiting;

	if (action == XRDMA_ACTION_LATER || action == XRDMA_ACTION_DONE)
		waiting = verdict == XRDMA_V_PSN_AHEAD;

	expect_int(resp->error, ==, action == XRDMA_ACTION_NAK ? verdict : before->error);
	expect_int(resp->waiting, ==, waiting);
	expect_int(resp->lock, ==, before->lock ? XRDMA_QP_LOCK_TAKEN_LONG : XRDMA_QP_LOCK_FREE);
	if (!target_is_at_tc)
		expect_int(resp->handed_over, ==, verdict == XRDMA_V_DEFERRED && !before->pending);
	if (action == XRDMA_ACTION_DONE)
		return;
	expect(resp->psn == before->psn && resp->msn == before->msn && resp->left == before->left);
	/* A message of an unreliable service ends with the loss of its packet. */
	expect(resp->op == before->op || (!case_is_reliable(run) && resp->op == XRDMA_OP_NONE));
}

void case_check(enum xrdma_verdict verdict, void (*set)(struct run *))
{
	enum xrdma_action action;
	struct target_result result;
	struct state *before;
	struct run run;
	bool done;

	case_open(&run);
	memset(run.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	set(&run);
	if ((run.target.first_buffer || run.target.metadata) && !target_can_split(&run.target))
		SKIP("this kernel's test_run neither splits short frames nor takes much headroom");
	if (run.target.in_a_page && target_is_at_tc)
		SKIP("at tc every frame can get longer");
	if (run.has_one_frame && target_is_at_tc)
		SKIP("at tc one frame can be answered with many");
	run.len = packet_build(&run.packet, run.frame);
	if (run.edit_frame)
		run.edit_frame(&run);
	if (run.len > target_frame_max())
		SKIP("the frame is longer than test_run takes at tc");
	action = action_of(&run, verdict);
	done = action == XRDMA_ACTION_DONE;
	before = state_of(&run);
	run.qp->ack_icrc = xrdma_frame_ack_icrc(run.qp);
	target_run(&run.target, run.frame, run.len, &result);

	expect_msg(result.verdict == verdict, "verdict %d instead of %d", result.verdict, verdict);
	judge_frame(&run, &result, action, &before->resp);
	judge_memory(&run, before->region, done || verdict == XRDMA_V_PLACED);
	judge_counter(&run, done);
	judge_completion(&run, verdict, before->resp.done);
	judge_claim(&run, before->resp.claim, before->next, done);
	judge_keys(&run, before->keys, done);
	judge_results(&run, before->resources, before->resp.resources, done);
	check_responder(&run, verdict, action, &before->resp);
	check_peer(&run, verdict, before);
	check_notify_bits(&run, verdict, before, action == XRDMA_ACTION_NAK);
	check_requester(&run, verdict, &before->req);
	free(before);
}

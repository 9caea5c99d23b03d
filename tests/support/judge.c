// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Checks for every case. They follow from the verdict's action. */
#include "case.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "judge_frame.h"
#include "lib/frame.h"
#include "lib/opcode.h"

static const enum xrdma_action actions[] = {
#define X(number, symbol, action, syndrome, text) XRDMA_ACTION_##action,
	XRDMA_VERDICTS(X)
#undef X
};

/* Execute the packet on the word at WORD. */
static void execute(const struct run *run, __u8 *word)
{
	__u64 value;

	memcpy(&value, word, sizeof(value));
	if (run->packet.opcode == XRDMA_RC_FETCH_ADD)
		value += run->packet.swap_add;
	else if (value == run->packet.compare)
		value = run->packet.swap_add;
	memcpy(word, &value, sizeof(value));
}

static bool are_zero(const __u8 *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

/*
 * Check memory. Only an executed packet changes it: its payload goes to the place of its key, or
 * the word of an atomic changes and its result is placed. EXPECTED is the region before the packet.
 * A region that is PAGED is at the same place.
 */
static void check_memory(const struct run *run, __u8 *expected, bool done)
{
	const __u64 offset = run->mkey->offset & XRDMA_PAGED ? CASE_REGION_AT : run->mkey->offset;
	size_t at = offset - CASE_REGION_AT + (run->packet.va - run->mkey->base);
	const __u8 *region = run->target.heap + CASE_REGION_AT, *behind = region + CASE_REGION;

	for (size_t i = 0; done && i < run->packet.payload_len; i++)
		expected[at + i] = i;
	if (done && case_is_atomic(run))
		execute(run, expected + at);
	if (done && run->packet.opcode == XRDMA_RC_ATOMIC_ACK)
		memcpy(expected + at, &run->packet.original, sizeof(run->packet.original));
	expect_msg(!memcmp(region, expected, CASE_REGION), "the region is not as it should be");
	expect(are_zero(run->target.heap, CASE_REGION_AT));
	expect(are_zero(behind, TARGET_HEAP - CASE_REGION_AT - CASE_REGION));
}

/*
 * Check completions. There is one that names the receive if the packet ends a message that uses
 * one, and none otherwise.
 */
static void check_completion(const struct run *run, enum xrdma_verdict verdict, __u32 done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	const struct xrdma_cqe_row *cqe =
		&run->target.cqes[CASE_CQES + (CASE_ENTRY & CASE_CQ_MASK)];
	bool last = info->position & XRDMA_POSITION_LAST;
	bool ends = last && (info->op == XRDMA_OP_SEND || info->headers & XRDMA_HDR_IMMDT);

	if (!ends || verdict != XRDMA_V_OK) {
		expect_int(run->cq->xdp_index, ==, (__u32)CASE_ENTRY);
		expect_int(cqe->sequence, ==, 0);
		return;
	}
	expect_int(run->cq->xdp_index, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->sequence, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->verdict, ==, verdict);
	expect_int(cqe->qpn, ==, CASE_QPN);
	expect_int(cqe->rqe, ==, case_number(run, CASE_RECEIVE));
	expect_int(cqe->byte_len, ==, done + run->packet.payload_len);
	expect_int(cqe->op, ==, info->op);
	expect_int(cqe->headers, ==, info->headers);
	expect_int(cqe->imm, ==, info->headers & XRDMA_HDR_IMMDT ? htonl(run->packet.imm) : 0);
	expect_int(cqe->invalidated_key, ==, info->headers & XRDMA_HDR_IETH ? run->packet.imm : 0);
}

/* Check that no key changes, except that an executed SEND with invalidate invalidates one. */
static void check_keys(const struct run *run, struct xrdma_mkey_row *before, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);

	if (done && info->headers & XRDMA_HDR_IETH)
		before[run->packet.imm >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)].state =
			XRDMA_MKEY_STATE_FREE;
	expect_msg(!memcmp(run->target.mkeys, before, TARGET_ROWS * sizeof(*before)),
		   "keys are not as they should be");
}

/*
 * Check the responder resources. An executed READ or atomic has a new one. KEPT is the number
 * before the packet.
 */
static void check_results(const struct run *run, struct xrdma_resource *before, __u32 kept,
			  bool done)
{
	__u32 next = kept;

	if (done && (case_is_atomic(run) || run->packet.opcode == XRDMA_RC_READ_REQUEST)) {
		before[kept % XRDMA_RD_ATOMIC_MAX] = case_made(run);
		before[kept % XRDMA_RD_ATOMIC_MAX].op_msn++; /* the MSN after the request */
		next = kept < 31 ? kept + 1 : 16;
	}
	expect_int(run->qp->resp.resources, ==, next);
	expect_msg(!memcmp(case_resource(run, 0), before, XRDMA_RD_ATOMIC_MAX * sizeof(*before)),
		   "results are not as they should be");
}

/*
 * Check the counter. It counts the last packet of a message that has changed memory under the row's
 * key.
 */
static void check_counted(const struct run *run, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	const bool writes = info->op == XRDMA_OP_WRITE && run->packet.payload_len;
	const bool swaps = info->op == XRDMA_OP_CMP_SWAP && run->packet.compare == run->original;
	const bool modifies = writes || swaps || info->op == XRDMA_OP_FETCH_ADD;
	const bool ends = done && info->position & XRDMA_POSITION_LAST;
	__u32 counts = ends && modifies ? run->mkey->cntr : 0;

	if (!(run->target.slots.rows[run->target.slot].uses & XRDMA_USES_CNTRS))
		counts = 0;
	for (__u32 i = 0; i < TARGET_CNTRS; i++)
		expect_int(run->target.cntrs[i].value, ==, i + 1 == counts);
}

/*
 * Check the claim of a receive. A SEND needs a receive from its first packet on, and a WRITE with
 * immediate when its last packet arrives. A queue pair's own queue moves on when the message is
 * complete. A shared queue moves on when the message claims the receive. The queue pair keeps the
 * claim until a message is complete, even if this packet is refused. BEFORE is the claim that the
 * queue pair had, and NEXT the queue's next entry.
 */
static void check_claim(const struct run *run, __u32 before, __u32 next, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	bool needs = info->op == XRDMA_OP_SEND || info->headers & XRDMA_HDR_IMMDT;
	bool completes = done && needs && info->position & XRDMA_POSITION_LAST;
	bool claims = needs && !before;
	__u32 claim = run->qp->resp.claim;

	if (!run->rq->ring) {
		expect_int(claim, ==, before);
		claims = completes;
	} else if (completes) {
		expect_int(claim, ==, 0);
	} else if (claims && (done || run->rq->xdp_index != next)) {
		expect_int(claim, ==, case_number(run, next) + 1);
	} else {
		expect_int(claim, ==, before);
		claims = false;
	}
	expect_int(run->rq->xdp_index, ==, next + claims);
}

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

/*
 * Check the notify bits. The completion queue of requests gets one when the requester has moved by
 * more than a packet of a READ. Both completion queues get one when the responder has stopped.
 */
static void check_notify_bits(const struct run *run, enum xrdma_verdict verdict,
			      const struct xrdma_requester *req, bool stopped)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);
	bool is_part = verdict == XRDMA_V_PLACED && !(info->position & XRDMA_POSITION_LAST);
	bool moved = memcmp(&run->qp->req, req, sizeof(*req)) && !is_part;

	expect_int(has_notify_bit(run->send_cq), ==, moved || stopped);
	expect_int(has_notify_bit(run->cq), ==, stopped);
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
	check_memory(&run, before->region, done || verdict == XRDMA_V_PLACED);
	check_counted(&run, done);
	check_completion(&run, verdict, before->resp.done);
	check_claim(&run, before->resp.claim, before->next, done);
	check_keys(&run, before->keys, done);
	check_results(&run, before->resources, before->resp.resources, done);
	check_responder(&run, verdict, action, &before->resp);
	check_peer(&run, verdict, before);
	check_notify_bits(&run, verdict, &before->req, action == XRDMA_ACTION_NAK);
	check_requester(&run, verdict, &before->req);
	free(before);
}

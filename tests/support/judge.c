// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What must hold of a case whatever it is: it follows from the verdict's action. */
#include "case.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "lib/opcode.h"

static const struct {
	enum xrdma_action action;
	__u8 syndrome;
} outcomes[] = {
#define X(number, symbol, action, syndrome, text) { XRDMA_ACTION_##action, XRDMA_AETH_##syndrome },
	XRDMA_VERDICTS(X)
#undef X
};

/* The request's class of traffic; that the request met congestion is not handed back. */
static __u8 answer_tclass(const struct run *r)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	xrdma_frame_parse(&frame, r->frame, r->len, &pkt);
	return pkt.tclass & 3 ? (pkt.tclass & ~3) | 2 : pkt.tclass;
}

static __u16 ones_complement_sum(const __u8 *bytes, size_t len)
{
	__u32 sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += bytes[i] << 8 | bytes[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return sum + (sum >> 16);
}

static bool is_atomic(const struct run *r)
{
	return r->packet.opcode == XRDMA_RC_FETCH_ADD || r->packet.opcode == XRDMA_RC_CMP_SWAP;
}

/*
 * Whether the packet, with a verdict that leads to ACTION, is answered with what the memory held.
 */
static bool is_answered_with_data(const struct run *r, enum xrdma_action action)
{
	return (r->packet.opcode == XRDMA_RC_READ_REQUEST || is_atomic(r)) &&
	       (action == XRDMA_ACTION_DONE || action == XRDMA_ACTION_AGAIN);
}

/* The bytes that the packet reads, and zeroes up to a multiple of four. */
static void check_data(const struct run *r, const struct xrdma_frame *frame,
		       const struct xrdma_pkt *pkt)
{
	const __u8 *data = r->target.heap + r->mkey->offset + (r->packet.va - r->mkey->base);

	if (is_atomic(r)) {
		expect_int(pkt->opcode, ==, XRDMA_RC_ATOMIC_ACK);
		expect_int(pkt->original, ==, r->original);
		return;
	}
	expect_int(pkt->opcode, ==, XRDMA_RC_READ_RESPONSE_ONLY);
	expect_int(pkt->payload_len, ==, r->packet.length);
	expect_msg(!memcmp(frame->bytes + pkt->payload_at, data, r->packet.length), "data differ");
	for (__u32 at = pkt->payload_at + pkt->payload_len; at < pkt->icrc_at; at++)
		expect_int(frame->bytes[at], ==, 0);
}

/*
 * What is in other buffers than the first stays behind the answer; data are written where the
 * request was.
 */
static size_t answer_len(const struct run *r, const struct xrdma_pkt *pkt, bool data)
{
	size_t packet = pkt->icrc_at + XRDMA_ICRC_LEN;

	if (!r->target.first_buffer)
		return packet;
	return data ? r->len : packet + r->len - r->target.first_buffer;
}

/* The answer, as the parser of user space and its ICRC see it. */
static void check_answer(const struct run *r, const struct target_result *result, bool data,
			 __u8 syndrome, __u32 psn, __u32 msn)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	size_t ip_at = 14 + 4 * r->packet.vlan_tags;

	expect_msg(result->action == XDP_TX, "answered with action %d", result->action);
	expect_int(xrdma_frame_parse(&frame, result->frame, result->len, &pkt), ==, XRDMA_V_OK);
	if (data)
		check_data(r, &frame, &pkt);
	else
		expect_int(pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(pkt.dest_qpn, ==, CASE_PEER_QPN);
	expect_msg(pkt.psn == psn, "PSN %06x, not %06x", pkt.psn, psn);
	expect_msg(pkt.syndrome == syndrome, "syndrome %02x, not %02x", pkt.syndrome, syndrome);
	expect_int(pkt.msn, ==, msn);
	expect_int(pkt.udp_sport, ==, htons(0xd001));
	expect_int(result->len, ==, answer_len(r, &pkt, data));
	expect(!memcmp(pkt.saddr, r->qp->addr, sizeof(pkt.saddr)));
	expect(!memcmp(pkt.daddr, r->qp->peer_addr, sizeof(pkt.daddr)));
	expect(!memcmp(result->frame, r->frame + 6, 6));
	expect(!memcmp(result->frame + 6, r->frame, 6));
	expect(!memcmp(result->frame + 12, r->frame + 12, ip_at - 12));
	expect_int(pkt.tclass, ==, answer_tclass(r));
	expect_int(result->frame[ip_at + (pkt.ip_version == 4 ? 8 : 7)], ==, 64);
	expect(pkt.ip_version == 6 || ones_complement_sum(result->frame + ip_at, 20) == 0xffff);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
}

/* What the packet makes of the word at WORD. */
static void execute(const struct run *r, __u8 *word)
{
	__u64 value;

	memcpy(&value, word, sizeof(value));
	if (r->packet.opcode == XRDMA_RC_FETCH_ADD)
		value += r->packet.swap_add;
	else if (value == r->packet.compare)
		value = r->packet.swap_add;
	memcpy(word, &value, sizeof(value));
}

static bool are_zero(const __u8 *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

/*
 * Nothing but the payload or what an atomic found, where the key says, or the word of an atomic, if
 * that was carried out. EXPECTED: the region as it was before.
 */
static void check_memory(const struct run *r, __u8 *expected, bool done)
{
	size_t at = r->mkey->offset - CASE_REGION_AT + (r->packet.va - r->mkey->base);
	const __u8 *region = r->target.heap + CASE_REGION_AT, *behind = region + CASE_REGION;

	for (size_t i = 0; done && i < r->packet.payload_len; i++)
		expected[at + i] = i;
	if (done && is_atomic(r))
		execute(r, expected + at);
	if (done && r->packet.opcode == XRDMA_RC_ATOMIC_ACK)
		memcpy(expected + at, &r->packet.original, sizeof(r->packet.original));
	expect_msg(!memcmp(region, expected, CASE_REGION), "the region is not as it should be");
	expect(are_zero(r->target.heap, CASE_REGION_AT));
	expect(are_zero(behind, TARGET_HEAP - CASE_REGION_AT - CASE_REGION));
}

/* One completion that names the receive, if the packet ends a message that takes one. Else none. */
static void check_completion(const struct run *r, enum xrdma_verdict verdict, __u32 done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(r->packet.opcode);
	const struct xrdma_cqe_row *cqe = &r->target.cqes[CASE_CQES + (CASE_ENTRY & CASE_CQ_MASK)];
	bool last = info->position & XRDMA_POSITION_LAST;
	bool ends = last && (info->op == XRDMA_OP_SEND || info->headers & XRDMA_HDR_IMMDT);

	if (!ends || verdict != XRDMA_V_OK) {
		expect_int(r->cq->xdp_index, ==, (__u32)CASE_ENTRY);
		expect_int(cqe->turn, ==, 0);
		return;
	}
	expect_int(r->cq->xdp_index, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->turn, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->verdict, ==, verdict);
	expect_int(cqe->qpn, ==, CASE_QPN);
	expect_int(cqe->rqe, ==, (__u32)CASE_RECEIVE);
	expect_int(cqe->byte_len, ==, done + r->packet.payload_len);
	expect_int(cqe->op, ==, info->op);
	expect_int(cqe->headers, ==, info->headers);
	expect_int(cqe->imm, ==, info->headers & XRDMA_HDR_IMMDT ? htonl(r->packet.imm) : 0);
	expect_int(cqe->invalidated_key, ==, info->headers & XRDMA_HDR_IETH ? r->packet.imm : 0);
}

/* No key changes, but the one that a SEND which is carried out invalidates. */
static void check_keys(const struct run *r, struct xrdma_mkey_row *before, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(r->packet.opcode);

	if (done && info->headers & XRDMA_HDR_IETH)
		before[r->packet.imm >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)].state =
			XRDMA_MKEY_FREE;
	expect_msg(!memcmp(r->target.mkeys, before, TARGET_ROWS * sizeof(*before)),
		   "keys are not as they should be");
}

/*
 * A READ or an atomic is kept if it was carried out, and nothing else is. KEPT: how many were
 * before.
 */
static void check_results(const struct run *r, struct xrdma_resource *before, __u32 kept, bool done)
{
	__u32 next = kept;

	if (done && (is_atomic(r) || r->packet.opcode == XRDMA_RC_READ_REQUEST)) {
		before[kept % XRDMA_RD_ATOMIC_MAX] = case_made(r);
		next = kept < 31 ? kept + 1 : 16;
	}
	expect_int(r->qp->resp.resources, ==, next);
	expect_msg(!memcmp(case_result(r, 0), before, XRDMA_RD_ATOMIC_MAX * sizeof(*before)),
		   "results are not as they should be");
}

/* A receive is taken by the first packet of a SEND, and by the last of a WRITE with immediate. */
static void check_taken(const struct run *r, __u32 before, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(r->packet.opcode);
	bool takes = info->op == XRDMA_OP_SEND ? info->position & XRDMA_POSITION_FIRST
					       : info->headers & XRDMA_HDR_IMMDT;

	expect_int(r->rq->xdp_index, ==, before + (done && takes));
}

static bool is_rnr(__u8 syndrome)
{
	return (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK;
}

/* What answers our requests moves the requester on, or stops it; nothing else touches it. */
static void check_requester(const struct run *r, enum xrdma_verdict verdict,
			    struct xrdma_requester *before)
{
	__u32 psn = r->packet.psn & XRDMA_PSN_MASK, syndrome = r->packet.syndrome_msn & 0xff000000;
	struct xrdma_nak *nak;

	switch (verdict) {
	case XRDMA_V_PLACED:
		before->rd_atomics_done++;
		/* fall through */
	case XRDMA_V_ACKED:
		before->acked_psn = (psn + 1) & XRDMA_PSN_MASK;
		before->msn = r->packet.syndrome_msn & XRDMA_PSN_MASK;
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
		before->acked_psn = r->rd_atomic->psn;
		if (before->waiting)
			break;
		before->waiting = 1;
		before->nak.last = XRDMA_AETH_NAK_PSN_SEQ << 24 | r->rd_atomic->psn;
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
	expect(!memcmp(&r->qp->req, before, sizeof(*before)));
}

static bool has_told(const struct xrdma_queue_row *cq)
{
	static const __u64 none[XRDMA_NEWS_WORDS];
	__u32 bit = CASE_QPN % XRDMA_NEWS_BITS;
	__u64 news[XRDMA_NEWS_WORDS];
	bool told;

	memcpy(news, cq->news, sizeof(news));
	told = news[bit / 64] >> bit % 64 & 1;
	news[bit / 64] &= ~(1ULL << bit % 64);
	expect(!memcmp(news, none, sizeof(news)));
	return told;
}

/*
 * Who polls for completions of requests is told when the requester has moved, and both are when the
 * responder has stopped.
 */
static void check_news(const struct run *r, const struct xrdma_requester *req, bool stopped)
{
	bool moved = memcmp(&r->qp->req, req, sizeof(*req));

	expect_int(has_told(r->send_cq), ==, moved || stopped);
	expect_int(has_told(r->cq), ==, stopped);
}

static __u8 nak_syndrome(enum xrdma_verdict verdict)
{
	__u8 syndrome = outcomes[verdict].syndrome;

	return syndrome == XRDMA_AETH_RNR_NAK ? syndrome | (CASE_RNR_TIMER & 0x1f) : syndrome;
}

static bool is_reliable(const struct run *r)
{
	return r->qp->transport == XRDMA_TRANSPORT_RC;
}

/* A service that is not reliable does not say what it refuses. */
static enum xrdma_action action_of(const struct run *r, enum xrdma_verdict verdict)
{
	enum xrdma_action action = outcomes[verdict].action;

	return action > XRDMA_ACTION_DONE && !is_reliable(r) ? XRDMA_ACTION_DROP : action;
}

/* What may change, as it was before. */
struct state {
	struct xrdma_responder resp;
	struct xrdma_requester req;
	struct xrdma_mkey_row keys[TARGET_ROWS];
	struct xrdma_resource resources[XRDMA_RD_ATOMIC_MAX];
	__u32 taken;
	__u8 region[CASE_REGION];
};

static struct state *state_of(const struct run *r)
{
	struct state *state = malloc(sizeof(*state));

	state->resp = r->qp->resp;
	state->req = r->qp->req;
	memcpy(state->keys, r->target.mkeys, sizeof(state->keys));
	memcpy(state->resources, case_result(r, 0), sizeof(state->resources));
	state->taken = r->rq->xdp_index;
	memcpy(state->region, r->target.heap + CASE_REGION_AT, sizeof(state->region));
	return state;
}

/* What becomes of the frame. */
static void check_frame(const struct run *r, const struct target_result *result,
			enum xrdma_action action, const struct xrdma_responder *before)
{
	bool data = is_answered_with_data(r, action);
	__u32 psn = r->packet.psn & XRDMA_PSN_MASK;

	switch (action) {
	case XRDMA_ACTION_PASS:
		expect_int(result->action, ==, XDP_PASS);
		expect(!memcmp(result->frame, r->frame, r->len));
		break;
	case XRDMA_ACTION_DROP:
		expect_int(result->action, ==, r->left_to_stack ? XDP_PASS : XDP_DROP);
		break;
	case XRDMA_ACTION_DONE:
		if (!is_reliable(r) || (!data && !(r->packet.psn & XRDMA_BTH_ACKREQ)))
			expect_int(result->action, ==, XDP_DROP);
		else
			check_answer(r, result, data, XRDMA_AETH_ACK_NO_CREDIT, psn,
				     r->qp->resp.msn);
		break;
	case XRDMA_ACTION_AGAIN:
		check_answer(r, result, data, XRDMA_AETH_ACK_NO_CREDIT, psn, before->msn);
		break;
	case XRDMA_ACTION_NAK:
	case XRDMA_ACTION_LATER:
		check_answer(r, result, false, nak_syndrome(result->verdict), before->psn,
			     before->msn);
		break;
	}
}

/* Only what is carried out moves the responder on. */
static void check_responder(const struct run *r, enum xrdma_verdict verdict,
			    enum xrdma_action action, const struct xrdma_responder *before)
{
	const struct xrdma_responder *resp = &r->qp->resp;
	__u8 waiting = before->waiting;

	if (action == XRDMA_ACTION_LATER || action == XRDMA_ACTION_DONE)
		waiting = verdict == XRDMA_V_PSN_AHEAD;

	expect_int(resp->error, ==, action == XRDMA_ACTION_NAK ? verdict : before->error);
	expect_int(resp->waiting, ==, waiting);
	expect_int(resp->busy, ==, before->busy);
	if (action != XRDMA_ACTION_DONE)
		expect(resp->psn == before->psn && resp->msn == before->msn &&
		       resp->op == before->op && resp->left == before->left);
}

void case_check(enum xrdma_verdict verdict, void (*set)(struct run *), void (*bend)(struct run *))
{
	enum xrdma_action action;
	struct target_result result;
	struct state *before;
	struct run r;
	bool done;

	case_open(&r);
	memset(r.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	if (set)
		set(&r);
	if (r.target.first_buffer && !target_can_split(&r.target))
		SKIP("this kernel does not let test_run split short frames");
	r.len = packet_build(&r.packet, r.frame);
	if (bend)
		bend(&r);
	action = action_of(&r, verdict);
	done = action == XRDMA_ACTION_DONE;
	before = state_of(&r);
	r.qp->ack_icrc = xrdma_frame_ack_icrc(r.qp);
	target_run(&r.target, r.frame, r.len, &result);

	expect_msg(result.verdict == verdict, "verdict %d instead of %d", result.verdict, verdict);
	check_frame(&r, &result, action, &before->resp);
	check_memory(&r, before->region, done || verdict == XRDMA_V_PLACED);
	check_completion(&r, verdict, before->resp.done);
	check_taken(&r, before->taken, done);
	check_keys(&r, before->keys, done);
	check_results(&r, before->resources, before->resp.resources, done);
	check_responder(&r, verdict, action, &before->resp);
	check_news(&r, &before->req, action == XRDMA_ACTION_NAK);
	check_requester(&r, verdict, &before->req);
	free(before);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "judge_effects.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <string.h>

#include "lib/opcode.h"

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

/* Returns the number of bytes before the payload in a receive. */
static __u32 before_payload(const struct run *run)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);

	return info->headers & XRDMA_HDR_DETH ? XRDMA_GRH_LEN : 0;
}

/* Place the payload at AT, and before that of a datagram the IP header. */
static void place(const struct run *run, __u8 *at)
{
	const __u8 *header = run->frame + ETH_HLEN, *payload = run->packet.payload;
	const bool is_ipv6 = run->packet.ip_version == 6;
	const __u32 len = is_ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	const __u32 before = before_payload(run);

	if (before) {
		memset(at, 0, before - len);
		memcpy(at + before - len, header, len);
	}
	for (size_t i = 0; i < run->packet.payload_len; i++)
		at[before + i] = payload ? payload[i] : i;
}

static bool are_zero(const __u8 *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

void judge_memory(const struct run *run, __u8 *expected, bool done)
{
	const __u64 offset = run->mkey->offset & XRDMA_PAGED ? CASE_REGION_AT : run->mkey->offset;
	size_t at = offset - CASE_REGION_AT + (run->packet.va - run->mkey->base);
	const __u8 *region = run->target.heap + CASE_REGION_AT, *behind = region + CASE_REGION;

	if (done)
		place(run, expected + at);
	if (done && case_is_atomic(run))
		execute(run, expected + at);
	if (done && run->packet.opcode == XRDMA_RC_ATOMIC_ACK)
		memcpy(expected + at, &run->packet.original, sizeof(run->packet.original));
	expect_msg(!memcmp(region, expected, CASE_REGION), "the region is not as it should be");
	expect(are_zero(run->target.heap, CASE_REGION_AT));
	expect(are_zero(behind, TARGET_HEAP - CASE_REGION_AT - CASE_REGION));
}

void judge_completion(const struct run *run, enum xrdma_verdict verdict, __u32 done)
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
	expect_int(cqe->byte_len, ==, done + before_payload(run) + run->packet.payload_len);
	expect_int(cqe->op, ==, info->op);
	expect_int(cqe->headers, ==, info->headers);
	expect_int(cqe->src_qpn, ==, info->headers & XRDMA_HDR_DETH ? run->packet.src_qpn : 0);
	expect_int(cqe->imm, ==, info->headers & XRDMA_HDR_IMMDT ? htonl(run->packet.imm) : 0);
	expect_int(cqe->invalidated_key, ==, info->headers & XRDMA_HDR_IETH ? run->packet.imm : 0);
}

void judge_keys(const struct run *run, struct xrdma_mkey_row *before, bool done)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(run->packet.opcode);

	if (done && info->headers & XRDMA_HDR_IETH)
		before[run->packet.imm >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)].state =
			XRDMA_MKEY_STATE_FREE;
	expect_msg(!memcmp(run->target.mkeys, before, TARGET_ROWS * sizeof(*before)),
		   "keys are not as they should be");
}

void judge_results(const struct run *run, struct xrdma_resource *before, __u32 kept, bool done)
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

void judge_counter(const struct run *run, bool done)
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

void judge_claim(const struct run *run, __u32 before, __u32 next, bool done)
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

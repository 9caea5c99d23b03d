// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "judge_frame.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <string.h>

#include "lib/frame.h"
#include "wire/psn.h"

static const __u8 syndromes[] = {
#define X(number, symbol, action, syndrome, text) XRDMA_AETH_##syndrome,
	XRDMA_VERDICTS(X)
#undef X
};

/*
 * Returns the traffic class of the reply. It is that of the request, but without the mark of
 * congestion.
 */
static __u8 answer_tclass(const struct run *run)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	xrdma_frame_parse(&frame, run->frame, run->len, &pkt);
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

/* Returns whether the reply to the packet, whose verdict has ACTION, contains data. */
static bool is_answered_with_data(const struct run *run, enum xrdma_action action)
{
	return (run->packet.opcode == XRDMA_RC_READ_REQUEST || case_is_atomic(run)) &&
	       (action == XRDMA_ACTION_DONE || action == XRDMA_ACTION_AGAIN);
}

/* Check the data: the bytes that the packet reads, with zeroes up to a multiple of four. */
static void check_data(const struct run *run, const struct xrdma_frame *frame,
		       const struct xrdma_pkt *pkt)
{
	const __u8 *data =
		run->target.heap + run->mkey->offset + (run->packet.va - run->mkey->base);

	if (case_is_atomic(run)) {
		expect_int(pkt->opcode, ==, XRDMA_RC_ATOMIC_ACK);
		expect_int(pkt->original, ==, run->original);
		return;
	}
	expect_int(pkt->opcode, ==, XRDMA_RC_READ_RESPONSE_ONLY);
	expect_int(pkt->payload_len, ==, run->packet.length);
	expect_msg(!memcmp(frame->bytes + pkt->payload_at, data, run->packet.length),
		   "data differ");
	for (__u32 at = pkt->payload_at + pkt->payload_len; at < pkt->icrc_at; at++)
		expect_int(frame->bytes[at], ==, 0);
}

/*
 * Returns the length of the reply. Bytes in other buffers than the first remain after it. Data are
 * written over the request.
 */
static size_t answer_len(const struct run *run, const struct xrdma_pkt *pkt, bool data)
{
	size_t packet = pkt->icrc_at + XRDMA_ICRC_LEN;

	if (!run->target.first_buffer)
		return packet;
	return data ? run->len : packet + run->len - run->target.first_buffer;
}

/* Check the reply with the parser and the ICRC of user space. */
static void check_answer(const struct run *run, const struct target_result *result, bool data,
			 __u8 syndrome, __u32 psn, __u32 msn)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	size_t ip_at = 14 + 4 * run->packet.vlan_tags;

	expect_msg(result->action == XDP_TX, "answered with action %d", result->action);
	expect_int(xrdma_frame_parse(&frame, result->frame, result->len, &pkt), ==, XRDMA_V_OK);
	if (data)
		check_data(run, &frame, &pkt);
	else
		expect_int(pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(pkt.dest_qpn, ==, CASE_PEER_QPN);
	expect_msg(pkt.psn == psn, "PSN %06x, not %06x", pkt.psn, psn);
	expect_msg(pkt.syndrome == syndrome, "syndrome %02x, not %02x", pkt.syndrome, syndrome);
	expect_int(pkt.msn, ==, msn);
	expect_int(pkt.udp_sport, ==, htons(0xd001));
	expect_int(pkt.udp_rest, ==, 0);
	expect_int(result->len, ==, answer_len(run, &pkt, data));
	expect(!memcmp(pkt.saddr, run->qp->addr, sizeof(pkt.saddr)));
	expect(!memcmp(pkt.daddr, run->qp->peer_addr, sizeof(pkt.daddr)));
	expect(!memcmp(result->frame, run->frame + 6, 6));
	expect(!memcmp(result->frame + 6, run->frame, 6));
	expect(!memcmp(result->frame + 12, run->frame + 12, ip_at - 12));
	expect_int(pkt.tclass, ==, answer_tclass(run));
	expect_int(result->frame[ip_at + (pkt.ip_version == 4 ? 8 : 7)], ==, 64);
	expect(pkt.ip_version == 6 || ones_complement_sum(result->frame + ip_at, 20) == 0xffff);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
}

static __u8 nak_syndrome(const struct run *run, enum xrdma_verdict verdict)
{
	__u8 syndrome = syndromes[verdict];

	return syndrome == XRDMA_AETH_RNR_NAK ? syndrome | (run->qp->rnr_timer & 0x1f) : syndrome;
}

void judge_frame(const struct run *run, const struct target_result *result,
		 enum xrdma_action action, const struct xrdma_responder *before)
{
	bool data = is_answered_with_data(run, action);
	__u32 psn = run->packet.psn & XRDMA_PSN_MASK;

	switch (action) {
	case XRDMA_ACTION_PASS:
		expect_int(result->action, ==, XDP_PASS);
		expect(!memcmp(result->frame, run->frame, run->len));
		break;
	case XRDMA_ACTION_DROP:
		expect_int(result->action, ==, run->left_to_stack ? XDP_PASS : XDP_DROP);
		break;
	case XRDMA_ACTION_DONE:
		if (!case_is_reliable(run) ||
		    (!data && !(run->packet.psn & XRDMA_BTH_ACKREQ) && !before->waiting))
			expect_int(result->action, ==, XDP_DROP);
		else
			check_answer(run, result, data, XRDMA_AETH_ACK_NO_CREDIT, psn,
				     run->qp->resp.msn);
		break;
	case XRDMA_ACTION_AGAIN:
		check_answer(run, result, data, XRDMA_AETH_ACK_NO_CREDIT, psn, before->msn);
		break;
	case XRDMA_ACTION_NAK:
	case XRDMA_ACTION_LATER:
		if (!case_is_reliable(run)) {
			expect_int(result->action, ==, XDP_DROP);
			break;
		}
		/* The PSN is the expected one, or that of a duplicate, which is lower. */
		if (xrdma_psn_cmp(psn, before->psn) > 0)
			psn = before->psn;
		check_answer(run, result, false, nak_syndrome(run, result->verdict), psn,
			     before->msn);
		break;
	}
}

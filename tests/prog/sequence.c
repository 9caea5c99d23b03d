// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * State that one packet leaves for the next one: messages, PSNs, errors, acknowledgements, epochs
 * and counters.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "support/case.h"

static struct run run;
static struct target_result result;

static void open_run(void)
{
	case_open(&run);
}

static void send_write(__u8 opcode, __u32 psn, const __u8 *payload, size_t len)
{
	run.packet.opcode = opcode;
	run.packet.psn = psn;
	run.packet.payload = payload;
	run.packet.payload_len = len;
	case_send(&run, &result);
}

static struct xrdma_pkt answer(void)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_int(result.action, ==, XDP_TX);
	expect_int(xrdma_frame_parse(&frame, result.frame, result.len, &pkt), ==, XRDMA_V_OK);
	return pkt;
}

TestSuite(prog_sequence, .once = target_load, .init = open_run, .in_one_process = true);

/* A message goes across the wrap of the PSN and across two elements of the heap. */
Test(prog_sequence, message_of_many_packets)
{
	enum { LEN = 4 * 1024 + 5 };
	__u8 *at = run.target.heap + CASE_REGION_AT + 16, data[LEN];
	__u32 psn = CASE_PSN;

	for (int i = 0; i < LEN; i++)
		data[i] = rand();
	run.packet.length = LEN;
	send_write(XRDMA_RC_WRITE_FIRST, psn++, data, 1024);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	for (int i = 1; i < 4; i++) {
		send_write(XRDMA_RC_WRITE_MIDDLE, psn++ & XRDMA_PSN_MASK, data + i * 1024, 1024);
		expect_int(result.verdict, ==, XRDMA_V_OK);
		expect_int(result.action, ==, XDP_DROP);
		expect_int(run.qp->resp.msn, ==, CASE_MSN);
	}
	psn &= XRDMA_PSN_MASK;
	send_write(XRDMA_RC_WRITE_LAST, psn | XRDMA_BTH_ACKREQ, data + 4096, 5);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_int(answer().msn, ==, CASE_MSN + 1);
	expect_int(run.qp->resp.psn, ==, psn + 1);
	expect_msg(!memcmp(at, data, LEN), "payload is not in place");
	expect_int(at[LEN], ==, 0);
	expect_int(at[-1], ==, 0);
}

/* Each message continues under its own key and address, whatever arrives in between. */
Test(prog_sequence, messages_of_two_queue_pairs)
{
	const __u32 other_key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	const __u8 *at = run.target.heap + CASE_REGION_AT + 16;
	__u8 data[3072];

	run.qp[1] = run.qp[0];
	run.mkey[1] = run.mkey[0];
	run.mkey[1].key = other_key;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rand();
	run.packet.length = 1024 + 7;
	send_write(XRDMA_RC_WRITE_FIRST, CASE_PSN, data, 1024);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	run.packet.dest_qpn++;
	run.packet.key = other_key;
	run.packet.va += 2048;
	run.packet.length = 1024;
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, data + 2048, 1024);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	run.mkey[1].state = XRDMA_MKEY_STATE_INVALID;
	run.packet.dest_qpn--;
	send_write(XRDMA_RC_WRITE_LAST, CASE_PSN + 1, data + 1024, 7);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_msg(!memcmp(at, data, 1024 + 7), "the message of two packets is not in place");
	expect_msg(!memcmp(at + 2048, data + 2048, 1024), "the message between is not in place");
}

/* A key becomes invalid in the middle of a message, which stops (IBA 9.7.4.1). */
Test(prog_sequence, key_invalidated_within_a_message)
{
	__u8 data[1024] = { 1 };

	run.packet.length = 2048;
	send_write(XRDMA_RC_WRITE_FIRST, CASE_PSN, data, 1024);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	run.mkey->state = XRDMA_MKEY_STATE_INVALID;
	send_write(XRDMA_RC_WRITE_LAST, CASE_PSN + 1, data, 1024);
	expect_int(result.verdict, ==, XRDMA_V_KEY_STATE);
	expect_int(run.target.heap[CASE_REGION_AT + 16 + 1024], ==, 0);
}

/*
 * A gap is reported by one NAK. The packet that closes it is executed. After it, a new gap is
 * reported again (IBA 9.7.5.2).
 */
Test(prog_sequence, gap_is_reported_once)
{
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN + 1, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_AHEAD);
	send_write(XRDMA_RC_WRITE_ONLY, (CASE_PSN + 2) & XRDMA_PSN_MASK, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_WAITING);
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	send_write(XRDMA_RC_WRITE_ONLY, (CASE_PSN + 2) & XRDMA_PSN_MASK, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_AHEAD);
}

/*
 * A packet that fills a gap is acknowledged, even if it does not ask for that. The packets after it
 * are not.
 */
Test(prog_sequence, what_fills_a_gap)
{
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN + 1, NULL, 64);
	expect_int(answer().syndrome, ==, XRDMA_AETH_NAK_PSN_SEQ);
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_int(answer().syndrome, ==, XRDMA_AETH_ACK_NO_CREDIT);
	expect_int(answer().psn, ==, CASE_PSN);
	expect_int(answer().msn, ==, CASE_MSN + 1);
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN + 1, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_int(result.action, ==, XDP_DROP);
}

/* After an RNR NAK, packets arrive in order again. A loss among them is reported. */
Test(prog_sequence, gap_after_no_receive)
{
	const __u32 psn = CASE_PSN;

	case_set_send(&run);
	run.rq->user_index--;
	send_write(XRDMA_RC_SEND_ONLY, psn + 1, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_AHEAD);
	send_write(XRDMA_RC_SEND_ONLY, psn, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_RNR);
	send_write(XRDMA_RC_SEND_ONLY, psn + 1, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_AHEAD);
	send_write(XRDMA_RC_SEND_ONLY, psn + 1, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_PSN_WAITING);
	run.rq->user_index++;
	send_write(XRDMA_RC_SEND_ONLY, psn, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_OK);
}

/* A refusal stops the queue pair (IBA 9.9.3). Later packets are not executed. */
Test(prog_sequence, refusal_stops_the_queue_pair)
{
	run.packet.key ^= 1;
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_KEY);
	run.packet.key ^= 1;
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	expect_int(result.verdict, ==, XRDMA_V_QP_STATE);
}

static void send_ack(__u8 syndrome, __u32 psn)
{
	run.packet.opcode = XRDMA_RC_ACK;
	run.packet.payload_len = 0;
	run.packet.psn = psn;
	run.packet.syndrome_msn = (__u32)syndrome << 24 | 0x456;
	case_send(&run, &result);
}

Test(prog_sequence, ack_moves_the_requester)
{
	send_ack(0, CASE_ACKED_PSN + 1);
	expect_int(result.verdict, ==, XRDMA_V_ACKED);
	expect_int(run.qp->req.acked_psn, ==, CASE_ACKED_PSN + 2);
	expect_int(run.qp->req.msn, ==, 0x456);
	expect_int(run.qp->req.nak.count, ==, 0);
}

/* A NAK acknowledges the packets before its PSN, and no others. */
Test(prog_sequence, nak_is_noted)
{
	send_ack(XRDMA_AETH_NAK_REMOTE_ACCESS, CASE_ACKED_PSN + 3);
	expect_int(result.verdict, ==, XRDMA_V_NAKED);
	expect_int(run.qp->req.acked_psn, ==, CASE_ACKED_PSN + 3);
	expect_int(run.qp->req.nak.last, ==,
		   XRDMA_AETH_NAK_REMOTE_ACCESS << 24 | (CASE_ACKED_PSN + 3));
	expect_int(run.qp->req.nak.count, ==, 1);
}

/* An RNR NAK does not acknowledge packets after the refused one, which are reported as missing. */
Test(prog_sequence, rnr_nak_is_kept)
{
	send_ack(XRDMA_AETH_RNR_NAK | 5, CASE_ACKED_PSN + 3);
	send_ack(XRDMA_AETH_NAK_PSN_SEQ, CASE_ACKED_PSN + 3);
	expect_int(run.qp->req.rnr_nak.last, ==,
		   (XRDMA_AETH_RNR_NAK | 5) << 24 | (CASE_ACKED_PSN + 3));
	expect_int(run.qp->req.rnr_nak.count, ==, 1);
	expect_int(run.qp->req.nak.last, ==, XRDMA_AETH_NAK_PSN_SEQ << 24 | (CASE_ACKED_PSN + 3));
	expect_int(run.qp->req.nak.count, ==, 1);
}

/*
 * The ICRC is right for every length of payload, in the longest and the shortest packet. The length
 * decides how the CRC ends.
 */
Test(prog_sequence, icrc_of_every_length)
{
	__u32 psn = CASE_PSN;
	__u8 data[4096];

	run.qp->mtu = 4096;
	run.mkey->offset = 0;
	for (int i = 0; i < 4096; i++)
		data[i] = rand();
	for (int len = 0; len <= 4096 && len + 128 <= (int)target_frame_max();
	     len += len < 600 || len > 4000 ? 1 : 97) {
		run.packet.length = len;
		send_write(XRDMA_RC_WRITE_ONLY, psn | XRDMA_BTH_ACKREQ, data, len);
		expect_msg(result.verdict == XRDMA_V_OK, "verdict %d for %d bytes", result.verdict,
			   len);
		expect(!memcmp(run.target.heap + 16, data, len));
		psn = (psn + 1) & XRDMA_PSN_MASK;
	}
}

static void sum_epochs(__u64 *entered, __u64 *left)
{
	const struct xrdma_epochs *epochs = &run.target.slots.epochs;

	*entered = *left = 0;
	for (__u32 cpu = 0; cpu < epochs->count; cpu++) {
		*entered += epochs->cpus[cpu].entered;
		*left += epochs->cpus[cpu].left;
	}
}

/*
 * Each run that may read a context's rows is counted when it begins and when it ends, whether it
 * refuses the packet or executes it.
 */
Test(prog_sequence, runs_enter_and_leave)
{
	__u64 entered, left, first;

	sum_epochs(&first, &left);
	expect_int(left, ==, first);
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	run.packet.dest_qpn += TARGET_ROWS;
	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	sum_epochs(&entered, &left);
	expect_int(entered, ==, first + 3);
	expect_int(left, ==, entered);
}

Test(prog_sequence, opcodes_are_counted)
{
	struct xrdma_counters counters;

	send_write(XRDMA_RC_WRITE_ONLY, CASE_PSN, NULL, 64);
	send_write(0x15, (CASE_PSN + 1) & XRDMA_PSN_MASK, NULL, 64);
	run.frame[12] = 0; /* not IP: counted only by verdict */
	target_run(&run.target, run.frame, run.len, &result);
	target_counters(&run.target, &counters);
	expect_int(counters.opcodes.RC_WRITE_ONLY, ==, 1);
	expect_int(counters.opcodes.UNASSIGNED, ==, 1);
	expect_int(counters.verdicts.NOT_ROCE, ==, 1);
	for (size_t i = 0; i < sizeof(counters.opcodes) / sizeof(__u64); i++)
		expect(((__u64 *)&counters.opcodes)[i] <= 1);
}

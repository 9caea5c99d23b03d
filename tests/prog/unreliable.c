// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets of UC one after the other (IBA 9.8.2, 9.8.3.2, 9.9.3). If a packet is lost, its message
 * is lost, and no other one.
 */
#include <linux/bpf.h>
#include <string.h>

#include "support/case.h"

enum { MTU = 1024, LATER = 100 /* more than one PSN was lost */ };

static struct run run;
static __u8 data[3 * MTU];
static __u32 psn; /* of the next packet */

static void open_run(void)
{
	case_open(&run);
	run.qp->transport = XRDMA_TRANSPORT_UC;
	run.rq->user_index += 2;
	run.sges[0].length = sizeof(data);
	*case_sges(&run, CASE_RECEIVE + 1) = run.sges[0];
	run.mkey->rights |= XRDMA_ACCESS_RECV;
	run.packet.length = sizeof(data);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i % 251 + 1;
	psn = CASE_PSN;
}

TestSuite(prog_unreliable, .once = target_load, .init = open_run, .in_one_process = true);

/* Lose COUNT packets. */
static void lose(__u32 count)
{
	psn = (psn + count) & XRDMA_PSN_MASK;
}

/* Send the next packet, with LEN bytes of the message from AT on. Expect VERDICT and no reply. */
static void send(__u8 opcode, size_t at, size_t len, enum xrdma_verdict verdict)
{
	struct target_result result;

	run.packet.opcode = opcode;
	run.packet.psn = psn | XRDMA_BTH_ACKREQ;
	run.packet.payload = data + at;
	run.packet.payload_len = len;
	lose(1);
	case_send(&run, &result);
	expect_msg(result.verdict == verdict, "verdict %d instead of %d", result.verdict, verdict);
	expect_int(result.action, ==, XDP_DROP);
	expect_int(run.qp->resp.error, ==, 0);
}

/* Expect COUNT completions. The last one is for receive RECEIVE of the two, and has LEN bytes. */
static void expect_completed(__u32 count, __u32 receive, __u32 len)
{
	const __u32 place = (CASE_ENTRY + count - 1) & CASE_CQ_MASK;
	const struct xrdma_cqe_row *cqe = &run.target.cqes[CASE_CQES + place];

	expect_int(run.cq->xdp_index, ==, (__u32)CASE_ENTRY + count);
	if (!count)
		return;
	expect_int(cqe->rqe, ==, case_number(&run, CASE_RECEIVE + receive));
	expect_int(cqe->byte_len, ==, len);
}

/* Each message may begin with any PSN. The next packet is expected after it. */
Test(prog_unreliable, begins_anywhere)
{
	static const __s32 gaps[] = { 0, 1, LATER, 1 << 23, -1, -LATER };

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		lose(gaps[i]);
		send(XRDMA_UC_WRITE_FIRST, 0, MTU, XRDMA_V_OK);
		expect_int(run.qp->resp.psn, ==, psn);
		send(XRDMA_UC_WRITE_MIDDLE, MTU, MTU, XRDMA_V_OK);
		send(XRDMA_UC_WRITE_LAST, 2 * MTU, MTU, XRDMA_V_OK);
		expect_msg(!memcmp(case_word(&run), data, sizeof(data)), "not in place");
		memset(case_word(&run), 0, sizeof(data));
	}
	expect_int(run.qp->resp.msn, ==, CASE_MSN + 6);
}

/* The packets after a lost one are dropped until a message begins, even if their PSNs follow. */
static void lose_middle(__u8 first, __u8 middle, __u8 last)
{
	send(first, 0, MTU, XRDMA_V_OK);
	lose(1);
	send(middle, MTU, MTU, XRDMA_V_PSN_AHEAD);
	lose(-2);
	send(middle, MTU, MTU, XRDMA_V_OPCODE_ORDER);
	lose(-1);
	send(last, 2 * MTU, MTU, XRDMA_V_OPCODE_ORDER);
	expect_completed(0, 0, 0);
	lose(LATER);
}

Test(prog_unreliable, torn_send)
{
	lose_middle(XRDMA_UC_SEND_FIRST, XRDMA_UC_SEND_MIDDLE, XRDMA_UC_SEND_LAST);
	send(XRDMA_UC_SEND_ONLY, 0, 64, XRDMA_V_OK);
	expect_completed(1, 0, 64);
	send(XRDMA_UC_SEND_ONLY_IMM, 0, 65, XRDMA_V_OK);
	expect_completed(2, 1, 65);
}

Test(prog_unreliable, torn_write)
{
	lose_middle(XRDMA_UC_WRITE_FIRST, XRDMA_UC_WRITE_MIDDLE, XRDMA_UC_WRITE_LAST_IMM);
	run.packet.length = 64;
	send(XRDMA_UC_WRITE_ONLY_IMM, 0, 64, XRDMA_V_OK);
	expect_completed(1, 0, 64);
	expect_int(run.qp->resp.msn, ==, CASE_MSN + 1);
}

/* The end of a message is lost. The next one begins in the middle of it. */
Test(prog_unreliable, lost_end)
{
	send(XRDMA_UC_SEND_FIRST, 0, MTU, XRDMA_V_OK);
	lose(1);
	send(XRDMA_UC_SEND_FIRST, MTU, MTU, XRDMA_V_OK);
	send(XRDMA_UC_SEND_LAST, 2 * MTU, 7, XRDMA_V_OK);
	expect_completed(1, 0, MTU + 7);
	expect_msg(!memcmp(case_word(&run), data + MTU, MTU + 7), "not in place");
	send(XRDMA_UC_SEND_FIRST, 0, MTU, XRDMA_V_OK);
	run.packet.length = 64;
	send(XRDMA_UC_WRITE_ONLY_IMM, 0, 64, XRDMA_V_OK);
	expect_completed(2, 1, 64);
}

/* A repeated packet in the middle of a message is a wrong one. */
Test(prog_unreliable, doubled_middle)
{
	send(XRDMA_UC_WRITE_FIRST, 0, MTU, XRDMA_V_OK);
	send(XRDMA_UC_WRITE_MIDDLE, MTU, MTU, XRDMA_V_OK);
	lose(-1);
	send(XRDMA_UC_WRITE_MIDDLE, MTU, MTU, XRDMA_V_DUPLICATE);
	send(XRDMA_UC_WRITE_LAST_IMM, 2 * MTU, MTU, XRDMA_V_OPCODE_ORDER);
	expect_completed(0, 0, 0);
}

/* A refusal in the middle of a message drops the message. The queue pair goes on. */
Test(prog_unreliable, refused_middle)
{
	send(XRDMA_UC_WRITE_FIRST, 0, MTU, XRDMA_V_OK);
	run.mkey->state = XRDMA_MKEY_STATE_INVALID;
	send(XRDMA_UC_WRITE_MIDDLE, MTU, MTU, XRDMA_V_KEY_STATE);
	run.mkey->state = XRDMA_MKEY_STATE_VALID;
	lose(-1);
	send(XRDMA_UC_WRITE_MIDDLE, MTU, MTU, XRDMA_V_OPCODE_ORDER);
	send(XRDMA_UC_WRITE_LAST_IMM, 2 * MTU, MTU, XRDMA_V_PSN_AHEAD);
	expect_completed(0, 0, 0);
	send(XRDMA_UC_SEND_ONLY, 0, 64, XRDMA_V_OK);
	expect_completed(1, 0, 64);
}

/* Messages without a receive, or longer than theirs, are lost. Later ones arrive. */
Test(prog_unreliable, messages_without_room)
{
	run.rq->user_index -= 2;
	send(XRDMA_UC_SEND_ONLY, 0, 64, XRDMA_V_RNR);
	run.rq->user_index += 2;
	run.sges[0].length = 64;
	send(XRDMA_UC_SEND_ONLY, 0, 65, XRDMA_V_RECV_LENGTH);
	send(XRDMA_UC_SEND_ONLY, 0, 64, XRDMA_V_OK);
	expect_completed(1, 0, 64);
	run.cq->user_index = run.cq->xdp_index - CASE_CQ_MASK - 1;
	send(XRDMA_UC_SEND_ONLY, 0, 64, XRDMA_V_CQ_FULL);
	run.cq->user_index = CASE_ENTRY;
	send(XRDMA_UC_SEND_ONLY, 0, 63, XRDMA_V_OK);
	expect_completed(2, 1, 63);
}

/* A packet shorter than an acknowledgement, in a frame that cannot grow, needs no reply. */
static void set_tight(struct run *tight)
{
	case_set_send(tight);
	tight->qp->transport = XRDMA_TRANSPORT_UC;
	tight->packet.opcode = XRDMA_UC_SEND_ONLY;
	tight->packet.payload_len = 0;
	tight->target.in_a_page = true;
}

Test(prog_unreliable, no_room_for_a_reply)
{
	case_check(XRDMA_V_OK, set_tight);
}

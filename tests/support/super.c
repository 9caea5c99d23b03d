// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "super.h"

#include <linux/bpf.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"

struct run super_run;
struct packet super_packets[SUPER_SEGMENTS_MAX];
__u8 super_data[4 * SUPER_MTU];
__u32 super_segment, super_mark;
int super_id_step;
struct target_result super_result;

static struct xrdma_counters before;

void super_load(void)
{
	expect_int(unshare(CLONE_NEWNET), ==, 0);
	target_load();
}

void super_open(void)
{
	case_open(&super_run);
	super_run.qp->mtu = SUPER_MTU;
	super_id_step = 1;
	super_mark = 0;
	memset(super_run.target.heap, SUPER_FILL, TARGET_HEAP);
	for (size_t i = 0; i < sizeof(super_data); i++)
		super_data[i] = rand();
}

void super_write_parts(int count)
{
	for (int i = 0; i < count; i++) {
		super_packets[i] = super_run.packet;
		super_packets[i].psn = (CASE_PSN + i) & XRDMA_PSN_MASK;
		super_packets[i].va = CASE_BASE + SUPER_STEP * i;
		super_packets[i].payload = super_data + SUPER_PART * (i % 16);
	}
}

void super_send_parts(void)
{
	static const __u8 opcodes[] = { XRDMA_RC_SEND_FIRST, XRDMA_RC_SEND_MIDDLE,
					XRDMA_RC_SEND_MIDDLE, XRDMA_RC_SEND_LAST };

	case_set_send(&super_run);
	super_run.sges[0].length = sizeof(super_data);
	for (int i = 0; i < 4; i++) {
		super_packets[i] = super_run.packet;
		super_packets[i].opcode = opcodes[i];
		super_packets[i].psn = (CASE_PSN + i) & XRDMA_PSN_MASK;
		super_packets[i].payload = super_data + i * SUPER_MTU;
		super_packets[i].payload_len = i < 3 ? SUPER_MTU : SUPER_SEND_LEN - 3 * SUPER_MTU;
	}
}

void super_build(int count)
{
	size_t headers =
		super_packets[0].ip_version == 6 ? SUPER_DATAGRAM_AT + 20 : SUPER_DATAGRAM_AT;

	super_run.len = packet_build(&super_packets[0], super_run.frame);
	super_segment = super_run.len - headers;
	super_run.len = packet_build_super(super_packets, count, super_id_step, super_run.frame);
}

void super_arrive(void)
{
	super_run.qp->ack_icrc = xrdma_frame_ack_icrc(super_run.qp);
	target_counters(&super_run.target, &before);
	target_run_super(&super_run.target, super_run.frame, super_run.len, super_segment,
			 super_mark, &super_result);
}

void super_build_and_arrive(int count)
{
	super_build(count);
	super_arrive();
}

__u64 super_counted(enum xrdma_verdict verdict)
{
	const __u64 *was = (const __u64 *)&before.verdicts;
	struct xrdma_counters after;

	target_counters(&super_run.target, &after);
	return ((const __u64 *)&after.verdicts)[verdict] - was[verdict];
}

struct xrdma_pkt super_reply(__u32 psn)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_int(super_result.action, ==, XDP_TX);
	expect_int(xrdma_frame_parse(&frame, super_result.frame, super_result.len, &pkt), ==,
		   XRDMA_V_OK);
	expect_int(pkt.icrc_at + XRDMA_ICRC_LEN, ==, super_result.len);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
	expect_int(pkt.psn, ==, psn & XRDMA_PSN_MASK);
	return pkt;
}

void super_expect_ack(__u32 psn)
{
	expect_int(super_reply(psn).syndrome, ==, XRDMA_AETH_ACK_NO_CREDIT);
}

void super_expect_nak(__u32 psn, __u8 syndrome)
{
	expect_int(super_reply(psn).syndrome, ==, syndrome);
}

void super_expect_written(int count)
{
	const __u8 *at = super_run.target.heap + CASE_REGION_AT;

	for (int i = 0; i < count; i++) {
		expect_msg(!memcmp(at + SUPER_STEP * i, super_packets[i].payload, SUPER_PART),
			   "packet %d", i);
		expect_int(at[SUPER_STEP * i + SUPER_PART], ==, SUPER_FILL);
	}
	expect_int(at[SUPER_STEP * count], ==, SUPER_FILL);
}

void super_expect_parts(int count)
{
	expect_int(super_counted(XRDMA_V_OK), ==, count);
	expect_int(super_run.qp->resp.psn, ==, (CASE_PSN + count) & XRDMA_PSN_MASK);
	super_expect_written(count);
}

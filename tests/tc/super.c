// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Super packets: what each of their segments, and what all of them together, lead to. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "support/case.h"

enum { SEGMENTS_MAX = PACKET_SEGMENTS_MAX, MTU = 256, DATAGRAM_AT = 42, SEND_LEN = 4 * MTU - 50 };

bool target_is_at_tc = true;

static struct run r;
static struct target_result result;
static struct xrdma_counters before;
static struct packet packets[SEGMENTS_MAX];
static __u8 data[4 * MTU];
static __u32 segment; /* bytes of a datagram */

static void open_run(void)
{
	case_open(&r);
	r.qp->mtu = MTU;
	memset(r.target.heap, 0xa5, TARGET_HEAP);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rand();
}

TestSuite(tc_super, .once = target_load, .init = open_run, .end = target_unload);

/* Packet I writes its part of the data to a place of its own. */
static void write_parts(int count)
{
	for (int i = 0; i < count; i++) {
		packets[i] = r.packet;
		packets[i].psn = (CASE_PSN + i) & XRDMA_PSN_MASK;
		packets[i].va = CASE_BASE + 100 * i;
		packets[i].payload = data + 64 * i;
	}
}

/* Four packets send the data. */
static void send_parts(void)
{
	static const __u8 opcodes[] = { XRDMA_RC_SEND_FIRST, XRDMA_RC_SEND_MIDDLE,
					XRDMA_RC_SEND_MIDDLE, XRDMA_RC_SEND_LAST };

	case_set_send(&r);
	r.sges[0].length = sizeof(data);
	for (int i = 0; i < 4; i++) {
		packets[i] = r.packet;
		packets[i].opcode = opcodes[i];
		packets[i].psn = (CASE_PSN + i) & XRDMA_PSN_MASK;
		packets[i].payload = data + i * MTU;
		packets[i].payload_len = i < 3 ? MTU : SEND_LEN - 3 * MTU;
	}
}

static void build(int count)
{
	size_t headers = packets[0].ip_version == 6 ? DATAGRAM_AT + 20 : DATAGRAM_AT;

	r.len = packet_build(&packets[0], r.frame);
	segment = r.len - headers;
	r.len = packet_build_super(packets, count, r.frame);
}

static void arrive(void)
{
	r.qp->ack_icrc = xrdma_frame_ack_icrc(r.qp);
	target_counters(&r.target, &before);
	target_run_super(&r.target, r.frame, r.len, segment, &result);
}

static void build_and_arrive(int count)
{
	build(count);
	arrive();
}

static __u64 counted(enum xrdma_verdict verdict)
{
	const __u64 *was = (const __u64 *)&before.verdicts;
	struct xrdma_counters after;

	target_counters(&r.target, &after);
	return ((const __u64 *)&after.verdicts)[verdict] - was[verdict];
}

/* The frame has become a reply that is whole, and nothing else. */
static struct xrdma_pkt reply(__u32 psn)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_int(result.action, ==, XDP_TX);
	expect_int(xrdma_frame_parse(&frame, result.frame, result.len, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.icrc_at + XRDMA_ICRC_LEN, ==, result.len);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
	expect_int(pkt.psn, ==, psn & XRDMA_PSN_MASK);
	return pkt;
}

static void expect_ack(__u32 psn)
{
	expect_int(reply(psn).syndrome, ==, XRDMA_AETH_ACK_NO_CREDIT);
}

static void expect_nak(__u32 psn, __u8 syndrome)
{
	expect_int(reply(psn).syndrome, ==, syndrome);
}

/* So many packets were carried out, in this order; nothing else was written. */
static void expect_parts(int count)
{
	const __u8 *at = r.target.heap + CASE_REGION_AT;

	expect_int(counted(XRDMA_V_OK), ==, count);
	expect_int(r.qp->resp.psn, ==, (CASE_PSN + count) & XRDMA_PSN_MASK);
	for (int i = 0; i < count; i++) {
		expect_msg(!memcmp(at + 100 * i, data + 64 * i, 64), "packet %d", i);
		expect_int(at[100 * i + 64], ==, 0xa5);
	}
	expect_int(at[100 * count], ==, 0xa5);
}

/* With an identification of each that wraps. */
Test(tc_super, each_is_carried_out)
{
	write_parts(8);
	build_and_arrive(8);
	expect_parts(8);
	expect_int(result.action, ==, XDP_DROP);
}

Test(tc_super, of_ipv6)
{
	case_set_ipv6(&r);
	write_parts(8);
	packets[3].psn |= XRDMA_BTH_ACKREQ;
	build_and_arrive(8);
	expect_parts(8);
	expect_ack(CASE_PSN + 7);
}

/* 9.7.3.1: the acknowledgement of a packet is one of all before it. */
Test(tc_super, one_acknowledgement_for_all)
{
	write_parts(8);
	packets[0].psn |= XRDMA_BTH_ACKREQ;
	packets[3].psn |= XRDMA_BTH_ACKREQ;
	build_and_arrive(8);
	expect_parts(8);
	expect_ack(CASE_PSN + 7);
	expect_int(r.qp->resp.msn, ==, CASE_MSN + 8);
}

/* What fills a gap is acknowledged, though it does not ask for that. */
Test(tc_super, fills_a_gap)
{
	r.qp->resp.waiting = 1;
	write_parts(8);
	build_and_arrive(8);
	expect_parts(8);
	expect_ack(CASE_PSN + 7);
	expect_int(r.qp->resp.msn, ==, CASE_MSN + 8);
}

Test(tc_super, a_message)
{
	const struct xrdma_cqe_row *cqe = &r.target.cqes[CASE_CQES + (CASE_ENTRY & CASE_CQ_MASK)];

	send_parts();
	packets[3].psn |= XRDMA_BTH_ACKREQ;
	build_and_arrive(4);
	expect_int(counted(XRDMA_V_OK), ==, 4);
	expect(!memcmp(r.target.heap + CASE_REGION_AT + 16, data, SEND_LEN));
	expect_int(r.target.heap[CASE_REGION_AT + 16 + SEND_LEN], ==, 0xa5);
	expect_int(cqe->turn, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->byte_len, ==, SEND_LEN);
	expect_ack(CASE_PSN + 3);
}

/* What is missed is asked for at once (9.7.5.2): nothing behind it would be carried out. */
Test(tc_super, one_is_damaged)
{
	write_parts(8);
	build(8);
	r.frame[DATAGRAM_AT + 2 * segment + 40] ^= 1;
	arrive();
	expect_int(counted(XRDMA_V_ICRC), ==, 1);
	expect_int(counted(XRDMA_V_PSN_AHEAD), ==, 1);
	expect_parts(2);
	expect_nak(CASE_PSN + 2, XRDMA_AETH_NAK_PSN_SEQ);
}

Test(tc_super, the_last_is_damaged)
{
	write_parts(8);
	build(8);
	r.frame[DATAGRAM_AT + 7 * segment + 40] ^= 1;
	arrive();
	expect_int(counted(XRDMA_V_ICRC), ==, 1);
	expect_parts(7);
	expect_int(result.action, ==, XDP_DROP);
}

/* 9.7.5.1: what comes again is acknowledged again, and so is what is new behind it. */
Test(tc_super, begins_with_duplicates)
{
	write_parts(8);
	build_and_arrive(4);
	packets[0].psn |= XRDMA_BTH_ACKREQ;
	build_and_arrive(8);
	expect_int(counted(XRDMA_V_DUPLICATE), ==, 4);
	expect_int(counted(XRDMA_V_OK), ==, 4);
	expect_ack(CASE_PSN + 7);
}

Test(tc_super, of_duplicates)
{
	write_parts(8);
	build_and_arrive(8);
	build_and_arrive(8);
	expect_int(counted(XRDMA_V_DUPLICATE), ==, 8);
	expect_ack(CASE_PSN + 7);
	expect_int(r.qp->resp.msn, ==, CASE_MSN + 8);
}

Test(tc_super, one_is_refused)
{
	write_parts(8);
	packets[2].key ^= 1;
	build_and_arrive(8);
	expect_parts(2);
	expect_int(counted(XRDMA_V_KEY), ==, 1);
	expect_nak(CASE_PSN + 2, XRDMA_AETH_NAK_REMOTE_ACCESS);
	expect_int(r.qp->resp.error, ==, XRDMA_V_KEY);
}

Test(tc_super, one_finds_no_receive)
{
	write_parts(4);
	packets[2].opcode = XRDMA_RC_SEND_ONLY;
	packets[2].payload_len = 80; /* as long as the others, with their RETH */
	build_and_arrive(4);
	expect_parts(2);
	expect_int(counted(XRDMA_V_RNR), ==, 1);
	expect_nak(CASE_PSN + 2, XRDMA_AETH_RNR_NAK | (CASE_RNR_TIMER & XRDMA_AETH_VALUE_MASK));
}

/* The acknowledgement of the last would not be one of another queue pair's. */
Test(tc_super, for_two_queue_pairs)
{
	r.qp[1] = r.qp[0];
	write_parts(4);
	packets[2].dest_qpn++;
	packets[3].psn = packets[2].psn;
	packets[2].psn = packets[0].psn | XRDMA_BTH_ACKREQ;
	packets[3].va -= 100;
	packets[3].payload = data + 128;
	build_and_arrive(4);
	expect_int(counted(XRDMA_V_SEGMENT), ==, 1);
	expect_parts(3);
	expect_int(result.action, ==, XDP_DROP);
	expect_int(r.qp[1].resp.psn, ==, CASE_PSN);
}

/* The frame becomes the response: what is behind the request comes again. */
Test(tc_super, with_a_read)
{
	struct xrdma_pkt pkt;

	write_parts(4);
	r.mkey->rights = r.qp->access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
	r.qp->max_dest_rd_atomic = 1;
	for (int i = 0; i < 4; i++)
		packets[i].payload_len = packets[i].length = 0;
	packets[1].opcode = XRDMA_RC_READ_REQUEST;
	packets[1].length = 200;
	packets[1].va = CASE_BASE;
	memcpy(r.target.heap + CASE_REGION_AT, data, 200);
	build_and_arrive(4);
	expect_int(counted(XRDMA_V_OK), ==, 2);
	expect_int(r.qp->resp.psn, ==, (CASE_PSN + 2) & XRDMA_PSN_MASK);
	pkt = reply(CASE_PSN + 1);
	expect_int(pkt.opcode, ==, XRDMA_RC_READ_RESPONSE_ONLY);
	expect_int(pkt.payload_len, ==, 200);
	expect(!memcmp(result.frame + pkt.payload_at, data, 200));
}

Test(tc_super, with_an_atomic)
{
	struct xrdma_pkt pkt;

	write_parts(2);
	r.mkey->rights = r.qp->access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
	r.qp->max_dest_rd_atomic = 1;
	packets[0].payload_len = packets[0].length = 12; /* as long as an AtomicETH */
	packets[1].opcode = XRDMA_RC_FETCH_ADD;
	packets[1].payload_len = 0;
	packets[1].swap_add = 1;
	packets[1].va = CASE_BASE - CASE_BASE % 8 + 104;
	build_and_arrive(2);
	expect_int(counted(XRDMA_V_OK), ==, 2);
	pkt = reply(CASE_PSN + 1);
	expect_int(pkt.opcode, ==, XRDMA_RC_ATOMIC_ACK);
	expect(pkt.original == 0xa5a5a5a5a5a5a5a5);
}

Test(tc_super, lengths_disagree)
{
	write_parts(4);
	build(4);
	segment += 4;
	arrive();
	expect_int(counted(XRDMA_V_ICRC), >=, 1);
	expect_int(counted(XRDMA_V_OK), ==, 0);
	segment = 16;
	arrive();
	expect_int(counted(XRDMA_V_OK), ==, 0);
	segment = 0xffff;
	arrive();
	expect_int(counted(XRDMA_V_OVERSIZED), ==, 1);
	expect_parts(0);
}

Test(tc_super, headers_disagree)
{
	write_parts(4);
	build(4);
	r.frame[39] ^= 4;
	arrive();
	expect_int(counted(XRDMA_V_UDP_LENGTH), ==, 4);
	r.frame[39] ^= 4;
	r.frame[17] ^= 4;
	arrive();
	expect_int(counted(XRDMA_V_TRUNCATED), ==, 4);
	r.frame[17] ^= 4;
	r.frame[24] ^= 1;
	arrive();
	expect_int(counted(XRDMA_V_IPV4_CHECKSUM), ==, 4);
	expect_parts(0);
}

/* The kernel calls no program more often: what is behind it comes again. */
Test(tc_super, of_too_many)
{
	write_parts(SEGMENTS_MAX);
	for (int i = 0; i < SEGMENTS_MAX; i++)
		packets[i].payload_len = packets[i].length = 0;
	build_and_arrive(SEGMENTS_MAX);
	expect_int(counted(XRDMA_V_OK), >=, 32);
	expect_int(counted(XRDMA_V_OK), <, SEGMENTS_MAX);
	r.packet.psn = r.qp->resp.psn | XRDMA_BTH_ACKREQ;
	case_send(&r, &result); /* and what comes next begins anew */
	expect_int(result.verdict, ==, XRDMA_V_OK);
}

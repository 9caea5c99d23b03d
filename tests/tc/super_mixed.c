// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Super packets that kernels merge (GRO): with packets for several queue pairs, with READs in the
 * middle, with one identification for all, and with more packets than a program has runs.
 */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/frame.h"
#include "support/super.h"

enum { READ_LEN = 200, PACKETS = 150, MARK_GOES_ON = 0x58520000, MARK_SEGMENTS = 0x58530000 };

/* Packet socket for all frames that leave by lo or arrive at it. */
static int wire = -1;

static void load(void)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	const int room = 1 << 20;

	super_load();
	wire = socket(AF_PACKET, SOCK_RAW, 0);
	expect_int(ioctl(wire, SIOCSIFFLAGS, &request), ==, 0);
	setsockopt(wire, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	at.sll_ifindex = if_nametoindex("lo");
	expect_int(bind(wire, (struct sockaddr *)&at, sizeof(at)), ==, 0);
}

static void open_target(void)
{
	__u8 bytes[PACKET_MAX];

	super_open();
	super_run.mkey->rights = super_run.qp->access =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
	super_run.qp->max_dest_rd_atomic = 4;
	while (recv(wire, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

TestSuite(tc_super_mixed, .once = load, .init = open_target, .in_one_process = true);

/* Set the result to the next frame that leaves, or that arrives again if IN. */
static void receive_frame(bool in)
{
	struct pollfd ready = { .fd = wire, .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t len;

	do {
		expect_int(poll(&ready, 1, 1000), ==, 1);
		len = sizeof(from);
		super_result.len = recvfrom(wire, super_result.frame, sizeof(super_result.frame), 0,
					    (struct sockaddr *)&from, &len);
	} while ((from.sll_pkttype == PACKET_OUTGOING) == in);
	super_result.action = XDP_TX;
}

/* Run the program with the result again, as long as it is redirected. */
static void come_again(__u32 mark)
{
	struct target_result frame = super_result;

	while (mark && frame.action == XDP_TX)
		target_run_marked(&super_run.target, frame.frame, frame.len, &mark, &frame);
	expect_int(frame.action, ==, XDP_DROP);
}

/* Make packet I a READ of LENGTH bytes, or an atomic. */
static void make_read(int i, __u32 length)
{
	super_packets[i].opcode = XRDMA_RC_READ_REQUEST;
	super_packets[i].payload_len = 0;
	super_packets[i].length = length;
	super_packets[i].va = CASE_BASE;
}

static void make_atomic(int i)
{
	super_packets[i].opcode = XRDMA_RC_FETCH_ADD;
	super_packets[i].payload_len = 0;
	super_packets[i].swap_add = 1;
	super_packets[i].va = CASE_BASE - CASE_BASE % 8 + 104;
}

/* Make COUNT packets that are as short as a READ, and write nothing. */
static void write_nothing(int count)
{
	super_write_parts(count);
	for (int i = 0; i < count; i++)
		super_packets[i].payload_len = super_packets[i].length = 0;
	memcpy(super_run.target.heap + CASE_REGION_AT, super_data, READ_LEN);
}

static void expect_read(__u32 psn)
{
	struct xrdma_pkt pkt = super_reply(psn);

	expect_int(pkt.opcode, ==, XRDMA_RC_READ_RESPONSE_ONLY);
	expect_int(pkt.payload_len, ==, READ_LEN);
	expect(!memcmp(super_result.frame + pkt.payload_at, super_data, READ_LEN));
}

/* RFC 6864, 4.1: packets that must not be fragmented may all have the same identification. */
Test(tc_super_mixed, of_one_identification)
{
	super_id_step = 0;
	super_write_parts(8);
	super_packets[7].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(8);
	super_expect_parts(8);
	expect_int(super_counted(XRDMA_V_ICRC), ==, 0);
	super_expect_ack(CASE_PSN + 7);
}

Test(tc_super_mixed, of_one_identification_and_damaged)
{
	super_id_step = 0;
	super_write_parts(4);
	super_build(4);
	super_run.frame[SUPER_DATAGRAM_AT + 3 * super_segment + 40] ^= 1;
	super_arrive();
	super_expect_parts(3);
	expect_int(super_counted(XRDMA_V_ICRC), ==, 1);
}

/* The identifications are unknown. */
Test(tc_super_mixed, of_other_identifications)
{
	super_id_step = 2;
	super_write_parts(4);
	super_build_and_arrive(4);
	super_expect_parts(1);
	expect_int(super_counted(XRDMA_V_ICRC), ==, 3);
}

/* Make every second packet one for the next queue pair. */
static void write_for_two(int count)
{
	super_run.qp[1] = super_run.qp[0];
	super_run.qp[1].ack_icrc = xrdma_frame_ack_icrc(super_run.qp);
	super_write_parts(count);
	for (int i = 0; i < count; i++) {
		super_packets[i].dest_qpn += i % 2;
		super_packets[i].psn = (CASE_PSN + i / 2) & XRDMA_PSN_MASK;
	}
}

static void expect_both(int count)
{
	for (int i = 0; i < 2; i++)
		expect_int(super_run.qp[i].resp.psn, ==, (CASE_PSN + count / 2) & XRDMA_PSN_MASK);
	super_expect_written(count);
}

Test(tc_super_mixed, for_two_queue_pairs)
{
	write_for_two(8);
	super_packets[4].psn |= XRDMA_BTH_ACKREQ;
	super_packets[5].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(8);
	expect_int(super_counted(XRDMA_V_OK), ==, 8);
	expect_both(8);
	super_expect_ack(CASE_PSN + 3);
	receive_frame(true);
	come_again(MARK_GOES_ON);
	receive_frame(false);
	super_expect_ack(CASE_PSN + 3);
	for (int i = 0; i < 2; i++) {
		expect_int(super_run.qp[i].respq.ack, ==, 0);
		expect_int(super_run.qp[i].respq.since, ==, 0);
	}
}

/* IBA 9.7.5.2: a refusal to one queue pair does not affect the other. */
Test(tc_super_mixed, one_of_two_is_refused)
{
	write_for_two(6);
	super_packets[2].key ^= 1;
	super_packets[5].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(6);
	expect_int(super_counted(XRDMA_V_KEY), ==, 1);
	expect_int(super_run.qp[0].resp.error, ==, XRDMA_V_KEY);
	expect_int(super_run.qp[1].resp.psn, ==, (CASE_PSN + 3) & XRDMA_PSN_MASK);
	super_expect_ack(CASE_PSN + 2);
	receive_frame(true);
	come_again(MARK_GOES_ON);
	receive_frame(false);
	super_expect_nak(CASE_PSN + 1, XRDMA_AETH_NAK_REMOTE_ACCESS);
}

Test(tc_super_mixed, one_is_for_nobody)
{
	super_write_parts(4);
	super_packets[3].dest_qpn = CASE_QPN + TARGET_ROWS - 1;
	super_packets[2].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(4);
	expect_int(super_counted(XRDMA_V_QPN), ==, 1);
	super_expect_parts(3);
	super_expect_ack(CASE_PSN + 2);
}

Test(tc_super_mixed, with_a_read)
{
	write_nothing(4);
	make_read(1, READ_LEN);
	super_build_and_arrive(4);
	expect_int(super_counted(XRDMA_V_OK), ==, 4);
	expect_int(super_run.qp->resp.psn, ==, (CASE_PSN + 4) & XRDMA_PSN_MASK);
	expect_read(CASE_PSN + 1);
}

/* IBA 9.7.3: the acknowledgement of a request after a READ is sent after the READ's response. */
Test(tc_super_mixed, acknowledged_behind_a_read)
{
	write_nothing(4);
	make_read(1, READ_LEN);
	super_packets[0].psn |= XRDMA_BTH_ACKREQ;
	super_packets[2].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(4);
	expect_int(super_counted(XRDMA_V_OK), ==, 4);
	super_expect_ack(CASE_PSN + 3);
	receive_frame(false);
	expect_read(CASE_PSN + 1);
}

Test(tc_super_mixed, with_atomics_and_reads)
{
	struct xrdma_pkt pkt;

	write_nothing(4);
	for (int i = 0; i < 4; i++)
		super_packets[i].payload_len = super_packets[i].length = 12; /* AtomicETH */
	make_atomic(1);
	make_atomic(2);
	make_read(3, READ_LEN);
	super_build_and_arrive(4);
	expect_int(super_counted(XRDMA_V_OK), ==, 4);
	super_reply(CASE_PSN + 3);
	for (__u32 i = 1; i <= 2; i++) {
		receive_frame(false);
		pkt = super_reply(CASE_PSN + i);
		expect_int(pkt.opcode, ==, XRDMA_RC_ATOMIC_ACK);
	}
}

/*
 * The frame continues to be redirected for a long READ, although it no longer contains the request.
 */
Test(tc_super_mixed, with_a_long_read)
{
	write_nothing(3);
	super_run.mkey->offset = 0;
	super_run.mkey->len = PACKETS * SUPER_MTU + 16;
	make_read(1, PACKETS * SUPER_MTU);
	super_packets[2].psn = (CASE_PSN + 1 + PACKETS) & XRDMA_PSN_MASK;
	super_build_and_arrive(3);
	expect_int(super_counted(XRDMA_V_OK), ==, 3);
	expect_int(super_run.qp->resp.pending, ==, 1);
	come_again(MARK_GOES_ON);
	expect_int(super_run.qp->resp.pending, ==, 0);
	for (__u32 i = 0; i < PACKETS; i++) {
		receive_frame(false);
		super_reply(CASE_PSN + 1 + i);
	}
}

/*
 * The kernel allows the program so many runs. A copy of the frame arrives again for the others. A
 * test run makes no such copy, but tests/net/gro.c sees one.
 */
Test(tc_super_mixed, of_too_many)
{
	write_nothing(SUPER_SEGMENTS_MAX);
	super_packets[20].psn |= XRDMA_BTH_ACKREQ;
	super_packets[SUPER_SEGMENTS_MAX - 1].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(SUPER_SEGMENTS_MAX);
	expect_int(super_counted(XRDMA_V_OK), ==, 32);
	super_expect_ack(CASE_PSN + 31);
	super_mark = MARK_SEGMENTS | 32;
	super_arrive();
	expect_int(super_counted(XRDMA_V_OK), ==, SUPER_SEGMENTS_MAX - 32);
	super_expect_ack(CASE_PSN + SUPER_SEGMENTS_MAX - 1);
}

/* A wrong mark, which other software of the host may set, does no harm. */
Test(tc_super_mixed, marked_by_others)
{
	super_write_parts(4);
	super_build(4);
	super_mark = MARK_SEGMENTS | 0xffff;
	super_arrive();
	expect_int(super_counted(XRDMA_V_TRUNCATED), ==, 1);
	expect_int(super_result.action, ==, XDP_DROP);
	super_expect_parts(0);
}

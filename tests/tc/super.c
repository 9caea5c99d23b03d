// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Super packets: effects of each segment, and of all of them together. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <string.h>

#include "support/super.h"

TestSuite(tc_super, .once = super_load, .init = super_open, .in_one_process = true);

/* All segments are executed. Their identifications wrap. */
Test(tc_super, each_is_executed)
{
	super_write_parts(8);
	super_build_and_arrive(8);
	super_expect_parts(8);
	expect_int(super_result.action, ==, XDP_DROP);
}

Test(tc_super, of_ipv6)
{
	case_set_ipv6(&super_run);
	super_write_parts(8);
	super_packets[3].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(8);
	super_expect_parts(8);
	super_expect_ack(CASE_PSN + 7);
}

/* IBA 9.7.3.1: acknowledging a packet acknowledges all before it. */
Test(tc_super, one_acknowledgement_for_all)
{
	super_write_parts(8);
	super_packets[0].psn |= XRDMA_BTH_ACKREQ;
	super_packets[3].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(8);
	super_expect_parts(8);
	super_expect_ack(CASE_PSN + 7);
	expect_int(super_run.qp->resp.msn, ==, CASE_MSN + 8);
}

/* A segment that fills a gap is acknowledged, although it does not request that. */
Test(tc_super, fills_a_gap)
{
	super_run.qp->resp.waiting = 1;
	super_write_parts(8);
	super_build_and_arrive(8);
	super_expect_parts(8);
	super_expect_ack(CASE_PSN);
	expect_int(super_run.qp->resp.msn, ==, CASE_MSN + 8);
}

Test(tc_super, a_message)
{
	const struct xrdma_cqe_row *cqe =
		&super_run.target.cqes[CASE_CQES + (CASE_ENTRY & CASE_CQ_MASK)];

	super_send_parts();
	super_packets[3].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(4);
	expect_int(super_counted(XRDMA_V_OK), ==, 4);
	expect(!memcmp(super_run.target.heap + CASE_REGION_AT + 16, super_data, SUPER_SEND_LEN));
	expect_int(super_run.target.heap[CASE_REGION_AT + 16 + SUPER_SEND_LEN], ==, 0xa5);
	expect_int(cqe->sequence, ==, (__u32)CASE_ENTRY + 1);
	expect_int(cqe->byte_len, ==, SUPER_SEND_LEN);
	super_expect_ack(CASE_PSN + 3);
}

/*
 * A missing segment is reported at once (IBA 9.7.5.2), because the segments after it cannot be
 * executed.
 */
Test(tc_super, one_is_damaged)
{
	super_write_parts(8);
	super_build(8);
	super_run.frame[SUPER_DATAGRAM_AT + 2 * super_segment + 40] ^= 1;
	super_arrive();
	expect_int(super_counted(XRDMA_V_ICRC), ==, 1);
	expect_int(super_counted(XRDMA_V_PSN_AHEAD), ==, 1);
	super_expect_parts(2);
	super_expect_nak(CASE_PSN + 2, XRDMA_AETH_NAK_PSN_SEQ);
}

Test(tc_super, the_last_is_damaged)
{
	super_write_parts(8);
	super_build(8);
	super_run.frame[SUPER_DATAGRAM_AT + 7 * super_segment + 40] ^= 1;
	super_arrive();
	expect_int(super_counted(XRDMA_V_ICRC), ==, 1);
	super_expect_parts(7);
	expect_int(super_result.action, ==, XDP_DROP);
}

/* IBA 9.7.5.1: the segments before a damaged one are acknowledged. */
Test(tc_super, the_last_is_damaged_and_others_ask)
{
	super_write_parts(8);
	super_packets[2].psn |= XRDMA_BTH_ACKREQ;
	super_packets[4].psn |= XRDMA_BTH_ACKREQ;
	super_build(8);
	super_run.frame[SUPER_DATAGRAM_AT + 7 * super_segment + 40] ^= 1;
	super_arrive();
	super_expect_parts(7);
	super_expect_ack(CASE_PSN + 6);
}

/* IBA 9.7.5.1: duplicates are acknowledged again, and so are new segments after them. */
Test(tc_super, begins_with_duplicates)
{
	super_write_parts(8);
	super_build_and_arrive(4);
	super_packets[0].psn |= XRDMA_BTH_ACKREQ;
	super_build_and_arrive(8);
	expect_int(super_counted(XRDMA_V_DUPLICATE), ==, 4);
	expect_int(super_counted(XRDMA_V_OK), ==, 4);
	super_expect_ack(CASE_PSN + 7);
}

Test(tc_super, of_duplicates)
{
	super_write_parts(8);
	super_build_and_arrive(8);
	super_build_and_arrive(8);
	expect_int(super_counted(XRDMA_V_DUPLICATE), ==, 8);
	super_expect_ack(CASE_PSN + 7);
	expect_int(super_run.qp->resp.msn, ==, CASE_MSN + 8);
}

Test(tc_super, one_is_refused)
{
	super_write_parts(8);
	super_packets[2].key ^= 1;
	super_build_and_arrive(8);
	super_expect_parts(2);
	expect_int(super_counted(XRDMA_V_KEY), ==, 1);
	super_expect_nak(CASE_PSN + 2, XRDMA_AETH_NAK_REMOTE_ACCESS);
	expect_int(super_run.qp->resp.error, ==, XRDMA_V_KEY);
}

Test(tc_super, one_finds_no_receive)
{
	super_write_parts(4);
	super_packets[2].opcode = XRDMA_RC_SEND_ONLY;
	super_packets[2].payload_len = 80; /* as long as the others, including the RETH */
	super_build_and_arrive(4);
	super_expect_parts(2);
	expect_int(super_counted(XRDMA_V_RNR), ==, 1);
	super_expect_nak(CASE_PSN + 2,
			 XRDMA_AETH_RNR_NAK | (CASE_RNR_TIMER & XRDMA_AETH_VALUE_MASK));
}

/*
 * GRO may merge the end of one transmission with the beginning of another. Then a packet arrives
 * after the next one. Expect that the reply contains the reason for its own refusal, and does not
 * report it as missing. Otherwise a requester would send it again at once, until retry_cnt is used
 * up.
 */
static void arrive_behind_the_next(void)
{
	const struct packet first = super_packets[0];

	super_packets[0] = super_packets[1];
	super_packets[1] = first;
	super_build_and_arrive(2);
	super_expect_parts(0);
	expect_int(super_counted(XRDMA_V_PSN_AHEAD), ==, 1);
}

Test(tc_super, behind_the_next_and_refused)
{
	super_write_parts(2);
	super_packets[0].key ^= 1;
	arrive_behind_the_next();
	super_expect_nak(CASE_PSN, XRDMA_AETH_NAK_REMOTE_ACCESS);
}

Test(tc_super, behind_the_next_and_no_receive)
{
	super_write_parts(2);
	super_packets[0].opcode = XRDMA_RC_SEND_ONLY;
	super_packets[0].payload_len = 80; /* as long as the other one, including the RETH */
	arrive_behind_the_next();
	super_expect_nak(CASE_PSN, XRDMA_AETH_RNR_NAK | (CASE_RNR_TIMER & XRDMA_AETH_VALUE_MASK));
}

Test(tc_super, lengths_disagree)
{
	super_write_parts(4);
	super_build(4);
	super_segment += 4;
	super_arrive();
	expect_int(super_counted(XRDMA_V_ICRC), >=, 1);
	expect_int(super_counted(XRDMA_V_OK), ==, 0);
	super_segment = 16;
	super_arrive();
	expect_int(super_counted(XRDMA_V_OK), ==, 0);
	super_segment = 0xffff;
	super_arrive();
	expect_int(super_counted(XRDMA_V_OVERSIZED), ==, 1);
	super_expect_parts(0);
}

Test(tc_super, headers_disagree)
{
	super_write_parts(4);
	super_build(4);
	super_run.frame[39] ^= 4;
	super_arrive();
	expect_int(super_counted(XRDMA_V_UDP_LENGTH), ==, 4);
	super_run.frame[39] ^= 4;
	super_run.frame[17] ^= 4;
	super_arrive();
	expect_int(super_counted(XRDMA_V_TRUNCATED), ==, 4);
	super_run.frame[17] ^= 4;
	super_run.frame[24] ^= 1;
	super_arrive();
	expect_int(super_counted(XRDMA_V_IPV4_CHECKSUM), ==, 4);
	super_expect_parts(0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Pending READs are refused, before a response or after a part of it. tests/net/peer.sh runs these
 * tests.
 */
#include "support/peer.h"
#include "support/test.h"

TestSuite(peer_read_refused, .once = peer_open, .init = peer_start, .fini = peer_stop,
	  .end = peer_close);

/*
 * A key becomes invalid while a READ for it is pending. The earlier responses are sent, and then
 * the READ is refused.
 */
Test(peer_read_refused, key_that_ends)
{
	struct xrdma_mr *other;
	struct peer_asked first, second;

	expect_int(xrdma_mr_reg(peer.b.owner.pd, peer.b.owner.memory, OWNER_BYTES, PEER_RIGHTS,
				&other),
		   ==, 0);
	peer_let_others_send(true);
	first = peer_ask_read(0, 5000);
	second = first;
	second.packet.key = xrdma_mr_key(other);
	second.packet.psn = peer.psn;
	peer_send(&second.packet);
	expect_int(peer.b.qp->row->resp.pending, ==, 2);
	peer_ask(XRDMA_RC_WRITE_ONLY, 100000, 64);
	expect_int(xrdma_mr_close(other), ==, 0);
	peer_let_others_send(false);
	peer_ask_again(&first, 0);
	peer_expect_read(&first);
	peer_expect_syndrome(XRDMA_AETH_NAK_REMOTE_ACCESS, second.packet.psn, 2);
	peer_expect_nothing();
	expect_int(peer.b.qp->row->resp.error, ==, XRDMA_V_KEY_STATE);
}

/*
 * The program withdraws the queue pair's right to READs while a READ is pending. No response is
 * sent any more, so bytes that the program writes afterwards stay secret.
 */
Test(peer_read_refused, access_that_is_withdrawn)
{
	struct xrdma_qp_attr attr = peer.b.attr;
	struct peer_asked read;

	attr.state = XRDMA_QPS_RTS;
	attr.access = XRDMA_ACCESS_REMOTE_ATOMIC;
	peer_let_others_send(true);
	read = peer_ask_read(0, 5000);
	expect_int(xrdma_qp_modify(peer.b.qp, &attr,
				   XRDMA_QP_STATE | XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT |
					   XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY |
					   XRDMA_QP_MAX_QP_RD_ATOMIC | XRDMA_QP_ACCESS_FLAGS),
		   ==, 0);
	peer_let_others_send(false);
	peer_ask(XRDMA_RC_FETCH_ADD, 104, 8);
	peer_expect_syndrome(XRDMA_AETH_NAK_INVALID_REQUEST, read.packet.psn, 1);
	peer_expect_nothing();
	expect_int(peer.b.qp->row->resp.error, ==, XRDMA_V_QP_ACCESS);
}

/* The key must allow the whole READ before the first response is sent. */
Test(peer_read_refused, beyond_the_region)
{
	peer_ask_read(OWNER_BYTES - 5000, 5001);
	peer_expect_syndrome(XRDMA_AETH_NAK_REMOTE_ACCESS, PEER_FIRST_PSN, 0);
	peer_expect_nothing();
}

/* A packet after a READ is lost. The responder answers the READ, and then reports the gap. */
Test(peer_read_refused, sequence_error)
{
	struct peer_asked read;

	peer_let_others_send(true);
	read = peer_ask_read(0, 5000);
	peer.psn++;
	peer_ask(XRDMA_RC_WRITE_ONLY, 100000, 64);
	peer_let_others_send(false);
	peer_ask_again(&read, 0);
	peer_expect_read(&read);
	peer_expect_syndrome(XRDMA_AETH_NAK_PSN_SEQ, PEER_FIRST_PSN + 5, 1);
	peer_expect_nothing();
}

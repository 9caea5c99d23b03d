// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Requests of another implementation that arrive twice, late or out of order (IBA 9.7.4, 9.7.5.1).
 * tests/net/peer.sh runs these tests.
 */
#include <string.h>

#include "lib/opcode.h"
#include "support/peer.h"
#include "support/opcode_case.h"
#include "support/test.h"

enum { MTU = 1024, LEN = 96 /* bytes of a message, or of its last packet */ };

static struct xrdma_wc wc[8];

static void start(void)
{
	peer_start();
	peer.b.attr.sq_psn = PEER_FIRST_PSN;
	peer.b.attr.timeout = 0;
}

TestSuite(late_requests, .once = peer_open, .init = start, .fini = peer_stop, .end = peer_close);

static void expect_response(const struct peer_asked *asked)
{
	if (opcode_is(asked->packet.opcode, OPCODE_READ))
		peer_expect_read(asked);
	else if (opcode_is(asked->packet.opcode, OPCODE_ATOMIC))
		peer_expect_original(asked);
	else
		peer_expect_ack(asked);
}

/* Returns whether OPCODE is a request of one packet that invalidates no key. */
static bool is_whole(__u8 opcode)
{
	return opcode_is(opcode, OPCODE_OF_RC | OPCODE_REQUEST | OPCODE_FIRST | OPCODE_LAST) &&
	       !opcode_is(opcode, OPCODE_INVALIDATES);
}

/*
 * IBA 9.7.5.1.1 to 9.7.5.1.3: a duplicate does not change memory again. It is acknowledged by
 * itself. An atomic gets its first result again, and a READ reads memory again.
 */
Tests(late_requests, request_that_comes_twice, OPCODE_COUNT)
{
	const __u8 opcode = opcodes_supported[i];
	const bool receives = opcode_is(opcode, OPCODE_TAKES_RECEIVE);
	struct peer_asked asked, newer;

	if (!is_whole(opcode))
		return;
	peer_post_receives();
	asked = peer_ask(opcode, 64, LEN);
	expect_response(&asked);
	peer_poll(wc, receives);
	newer = peer_ask(XRDMA_RC_WRITE_ONLY, 4096, LEN);
	expect_response(&newer);
	asked.msn = newer.msn;
	memset(peer.b.owner.memory + 64, 0xa5, LEN);
	peer_remember_memory();
	for (int n = 0; n < 3; n++) {
		peer_send(&asked.packet);
		expect_response(&asked);
	}
	peer_poll(wc, 0);
	peer_expect_memory();
	newer = peer_ask(XRDMA_RC_SEND_ONLY, 0, LEN);
	expect_response(&newer);
	peer_poll(wc, 1);
	expect_int(wc[0].wr_id, ==, receives);
}

/*
 * A packet from before the queue pair was reset may have any PSN. A PSN before the expected one
 * makes it a duplicate. A PSN after it makes it look like the first packet after a loss. In both
 * cases nothing changes, and the connection goes on.
 */
Tests(late_requests, request_of_an_earlier_connection, OPCODE_COUNT)
{
	struct peer_asked ghost, asked;

	if (!is_whole(opcodes_supported[i]))
		return;
	peer_post_receives();
	peer_remember_memory();
	ghost = peer_make(opcodes_supported[i], 64, LEN);
	peer_connect(4, MTU);
	peer_post_receives();
	for (int behind = 0; behind < 2; behind++) {
		ghost.packet.psn = PEER_FIRST_PSN | XRDMA_BTH_ACKREQ;
		ghost.packet.psn += behind ? -1000 : 1000 - (XRDMA_PSN_MASK + 1);
		ghost.packet.psn |= XRDMA_BTH_ACKREQ;
		peer_send(&ghost.packet);
		if (!behind)
			peer_expect_syndrome(XRDMA_AETH_NAK_PSN_SEQ, PEER_FIRST_PSN, 0);
		else if (!opcode_is(opcodes_supported[i], OPCODE_RD_ATOMIC))
			peer_expect_syndrome(XRDMA_AETH_ACK_NO_CREDIT, PEER_FIRST_PSN - 1000, 0);
		peer_expect_nothing();
	}
	peer_poll(wc, 0);
	peer_expect_memory();
	asked = peer_ask(XRDMA_RC_SEND_ONLY, 0, LEN);
	expect_response(&asked);
	peer_poll(wc, 1);
	expect_int(wc[0].wr_id, ==, 0);
}

/*
 * The last packet before the one that is tested: the end of a message, or the first packet of a
 * SEND or a WRITE (IBA 9.7.4.1.3).
 */
static const __u8 begun[] = { XRDMA_RC_ACK, XRDMA_RC_SEND_FIRST, XRDMA_RC_WRITE_FIRST };

enum { BEGUN = sizeof(begun) };

static bool may_follow(__u8 before, __u8 opcode)
{
	const struct xrdma_opcode_info *a = xrdma_opcode_info(before);
	const struct xrdma_opcode_info *b = xrdma_opcode_info(opcode);

	if (a->position & XRDMA_POSITION_LAST)
		return b->position & XRDMA_POSITION_FIRST;
	return !(b->position & XRDMA_POSITION_FIRST) && a->op == b->op;
}

/*
 * Make a packet whose payload has the length for its position in the message. A WRITE announces
 * three packets if THREE is true, or two.
 */
static struct peer_asked make_part(__u8 opcode, bool three)
{
	const bool full = opcode_is(opcode, OPCODE_FULL);
	struct peer_asked part = peer_make(opcode, 64, full ? MTU : LEN);

	part.packet.payload_len = opcode_is(opcode, OPCODE_EMPTY) ? 0 : full ? MTU : LEN;
	if (full)
		part.packet.length = (three ? 2 : 1) * MTU + LEN;
	if (opcode_is(opcode, OPCODE_MORE))
		part.packet.psn &= XRDMA_PSN_MASK;
	return part;
}

/*
 * A packet that may not follow is refused as an invalid request. One that may follow, but that
 * invalidates a key that it may not, is refused for another reason.
 */
Tests(late_requests, order_of_opcodes, BEGUN *OPCODE_COUNT)
{
	const __u8 before = begun[i % BEGUN], opcode = opcodes_supported[i / BEGUN];
	struct peer_asked part;
	__u32 psn;

	if (!opcode_is(opcode, OPCODE_OF_RC | OPCODE_REQUEST))
		return;
	peer_post_receives();
	if (before != XRDMA_RC_ACK) {
		part = make_part(before, opcode_is(opcode, OPCODE_MORE));
		peer_send(&part.packet);
		peer_expect_nothing();
	}
	peer_remember_memory();
	psn = peer.psn;
	part = make_part(opcode, false);
	if (opcode_is(opcode, OPCODE_MESSAGE))
		part.packet.psn |= XRDMA_BTH_ACKREQ;
	peer_send(&part.packet);
	if (!may_follow(before, opcode)) {
		peer_expect_syndrome(XRDMA_AETH_NAK_INVALID_REQUEST, psn, 0);
		peer_expect_memory();
		expect_int(side_state(&peer.b), ==, XRDMA_QPS_ERR);
	} else if (opcode_is(opcode, OPCODE_INVALIDATES)) {
		peer_expect_syndrome(XRDMA_AETH_NAK_REMOTE_ACCESS, psn, 0);
	} else {
		expect_response(&part);
		expect_int(side_state(&peer.b), ==, XRDMA_QPS_RTR);
	}
}

/*
 * IBA 9.9.2, 10.3.1: an invalid request of the peer stops the queue pair. The receive of the
 * message in progress fails with this error. The other receives and the sends are flushed.
 */
Test(late_requests, mistake_flushes_both_queues)
{
	static const struct xrdma_send_wr send = { .wr_id = 9 };
	const struct xrdma_send_wr *bad;
	struct peer_asked part;

	side_bring_to(&peer.b, XRDMA_QPS_RTS);
	peer_post_receives();
	expect_int(xrdma_qp_post_send(peer.b.qp, &send, &bad), ==, 0);
	part = make_part(XRDMA_RC_SEND_FIRST, true);
	peer_send(&part.packet);
	part = make_part(XRDMA_RC_WRITE_ONLY, false);
	peer_send(&part.packet);
	peer_poll(wc, 3);
	for (int n = 0; n < 3; n++)
		if (!(wc[n].opcode & XRDMA_WC_RECV))
			expect(wc[n].wr_id == 9 && wc[n].status == XRDMA_WC_WR_FLUSH_ERR);
		else
			expect_int(wc[n].status, ==,
				   wc[n].wr_id ? XRDMA_WC_WR_FLUSH_ERR : XRDMA_WC_REM_INV_REQ_ERR);
}

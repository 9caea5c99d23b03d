// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Responses of another implementation that arrive twice, late, out of order or without a request
 * (IBA 9.7.5.1, 9.7.6). tests/net/peer.sh runs these tests.
 */
#include <string.h>
#include <sys/socket.h>

#include "support/peer.h"
#include "support/test.h"

enum {
	MTU = 1024,
	LEN = 96 /* bytes of a message, or of its last packet */,
	FETCHED_AT = 131072,
	KEY = 0x12345678
};

static struct xrdma_wc wc[8];

/* Connect without a timer, so that requests are sent again only because of the peer's packets. */
static void start(void)
{
	peer_start();
	peer.b.attr.sq_psn = PEER_FIRST_PSN;
	peer.b.attr.timeout = 0;
	peer.b.attr.max_rd_atomic = XRDMA_RD_ATOMIC_MAX;
	side_bring_to(&peer.b, XRDMA_QPS_RTS);
}

TestSuite(late_responses, .once = peer_open, .init = start, .fini = peer_stop, .end = peer_close);

/* Expect that the next packet of the queue pair is a request with OPCODE and PSN. */
static void expect_request(__u8 opcode, __u32 psn)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_msg(peer_receive(&frame, &pkt, 0), "no request comes");
	expect_int(pkt.opcode, ==, opcode);
	expect_int(pkt.psn, ==, (PEER_FIRST_PSN + psn) & XRDMA_PSN_MASK);
}

/* Let the peer send a response for PSN, with LEN bytes of value FILL. */
static void respond(__u8 opcode, __u8 syndrome, int psn, __u32 len, __u8 fill)
{
	__u8 bytes[MTU];
	const struct packet packet = {
		.opcode = opcode,
		.dest_qpn = xrdma_qp_number(peer.b.qp),
		.psn = (PEER_FIRST_PSN + psn) & XRDMA_PSN_MASK,
		.syndrome_msn = (__u32)syndrome << 24,
		.payload = bytes,
		.payload_len = len,
	};

	memset(bytes, fill, sizeof(bytes));
	peer_send(&packet);
}

static void acknowledge(int psn)
{
	respond(XRDMA_RC_ACK, XRDMA_AETH_ACK_NO_CREDIT, psn, 0, 0);
}

static void expect_fetched(__u32 at, __u32 len, __u8 value)
{
	for (__u32 n = at; n < at + len; n++)
		expect_msg(peer.b.owner.memory[FETCHED_AT + n] == value, "byte %u is %02x", n,
			   peer.b.owner.memory[FETCHED_AT + n]);
}

/* Post request ID, a WRITE or a READ of LEN bytes. */
static void post(enum xrdma_wr_opcode opcode, __u32 len, __u64 id)
{
	const struct xrdma_sge into = peer_piece(FETCHED_AT, len);
	const struct xrdma_send_wr wr = {
		.wr_id = id,
		.flags = XRDMA_SEND_SIGNALED,
		.opcode = opcode,
		.sg_list = &into,
		.num_sge = 1,
		.rkey = KEY,
	};
	const struct xrdma_send_wr *bad;

	expect_int(xrdma_qp_post_send(peer.b.qp, &wr, &bad), ==, 0);
}

/*
 * C9-88: a responder does not check the key of a READ of no bytes. But Soft-RoCE checks that of a
 * duplicate. Some versions require 0, and others require the key of the first request, which must
 * not be 0. So the requester alternates between both keys.
 */
Test(late_responses, to_a_read_of_no_bytes)
{
	static const __u32 keys[] = { KEY, KEY, 0, KEY };
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	peer.b.attr.timeout = 6; /* 262 us */
	side_bring_to(&peer.b, XRDMA_QPS_RTS);
	post(XRDMA_WR_RDMA_READ, 0, 1);
	for (int n = 0; n < 4; n++) {
		while (!peer_receive(&frame, &pkt, MSG_DONTWAIT))
			expect_int(xrdma_cq_poll(peer.b.cq, 1, wc), ==, 0);
		expect_int(pkt.opcode, ==, XRDMA_RC_READ_REQUEST);
		expect_int(pkt.length, ==, 0);
		expect_int(pkt.key, ==, keys[n]);
	}
	respond(XRDMA_RC_READ_RESPONSE_ONLY, XRDMA_AETH_ACK_NO_CREDIT, 0, 0, 0);
	peer_poll(wc, 1);
	expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/*
 * IBA 9.7.5.1: an acknowledgement of a PSN that is acknowledged already, or that was never sent, is
 * dropped silently.
 */
Test(late_responses, acknowledgements_from_nowhere)
{
	post(XRDMA_WR_RDMA_WRITE, LEN, 1);
	expect_request(XRDMA_RC_WRITE_ONLY, 0);
	for (int n = 0; n < 3; n++) {
		acknowledge((const int[]){ -1, 1, 1 << 22 }[n]);
		respond(XRDMA_RC_ACK, XRDMA_AETH_NAK_REMOTE_ACCESS,
			(const int[]){ -1, 1, -(1 << 22) }[n], 0, 0);
		respond(XRDMA_RC_READ_RESPONSE_ONLY, XRDMA_AETH_ACK_NO_CREDIT, n, LEN, 0x5a);
		respond(XRDMA_RC_ATOMIC_ACK, XRDMA_AETH_ACK_NO_CREDIT, n, 0, 0);
	}
	peer_poll(wc, 0);
	acknowledge(0);
	peer_poll(wc, 1);
	expect(wc[0].wr_id == 1 && wc[0].status == XRDMA_WC_SUCCESS);
	for (int n = 0; n < 3; n++)
		acknowledge(0);
	respond(XRDMA_RC_ACK, XRDMA_AETH_NAK_PSN_SEQ, 0, 0, 0);
	peer_poll(wc, 0);
	peer_expect_nothing();
}

/*
 * IBA 9.7.5.1.1: an acknowledgement of a request after a READ shows that the READ's response was
 * lost. The READ is sent again only once, even if several acknowledgements show it.
 */
Test(late_responses, implied_nak)
{
	post(XRDMA_WR_RDMA_READ, LEN, 1);
	post(XRDMA_WR_RDMA_WRITE, LEN, 2);
	post(XRDMA_WR_RDMA_WRITE, LEN, 3);
	expect_request(XRDMA_RC_READ_REQUEST, 0);
	expect_request(XRDMA_RC_WRITE_ONLY, 1);
	expect_request(XRDMA_RC_WRITE_ONLY, 2);
	acknowledge(1);
	acknowledge(2);
	peer_poll(wc, 0);
	expect_request(XRDMA_RC_READ_REQUEST, 0);
	expect_request(XRDMA_RC_WRITE_ONLY, 1);
	expect_request(XRDMA_RC_WRITE_ONLY, 2);
	peer_expect_nothing();
	respond(XRDMA_RC_READ_RESPONSE_ONLY, XRDMA_AETH_ACK_NO_CREDIT, 0, LEN, 0x5a);
	acknowledge(2);
	peer_poll(wc, 3);
	for (int n = 0; n < 3; n++)
		expect(wc[n].wr_id == n + 1U && wc[n].status == XRDMA_WC_SUCCESS);
	expect_fetched(0, LEN, 0x5a);
}

/*
 * One packet of the response to a READ is lost, and others arrive twice. The requester requests the
 * missing packets.
 */
Test(late_responses, responses_that_are_lost_or_come_twice)
{
	post(XRDMA_WR_RDMA_READ, 2 * MTU + LEN, 1);
	expect_request(XRDMA_RC_READ_REQUEST, 0);
	for (int n = 0; n < 3; n++)
		respond(XRDMA_RC_READ_RESPONSE_FIRST, XRDMA_AETH_ACK_NO_CREDIT, 0, MTU, n);
	respond(XRDMA_RC_READ_RESPONSE_LAST, XRDMA_AETH_ACK_NO_CREDIT, 2, LEN, 3);
	respond(XRDMA_RC_READ_RESPONSE_LAST, XRDMA_AETH_ACK_NO_CREDIT, 2, LEN, 3);
	peer_poll(wc, 0);
	expect_request(XRDMA_RC_READ_REQUEST, 1);
	peer_expect_nothing();
	respond(XRDMA_RC_READ_RESPONSE_FIRST, XRDMA_AETH_ACK_NO_CREDIT, 1, MTU, 4);
	respond(XRDMA_RC_READ_RESPONSE_LAST, XRDMA_AETH_ACK_NO_CREDIT, 2, LEN, 5);
	peer_poll(wc, 1);
	expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_fetched(0, MTU, 0);
	expect_fetched(MTU, MTU, 4);
	expect_fetched(2 * MTU, LEN, 5);
}

enum { PARTS = 200 };

/*
 * Expect READ number NUMBER, of PARTS packets. The first THERE packets of its response have
 * arrived.
 */
static void expect_read(int number, int there)
{
	expect_request(XRDMA_RC_READ_REQUEST, number * PARTS + there);
}

static void respond_rest(int number, int there)
{
	const int psn = number * PARTS, last = psn + PARTS - 1;

	respond(XRDMA_RC_READ_RESPONSE_FIRST, XRDMA_AETH_ACK_NO_CREDIT, psn + there, MTU, 0);
	for (int n = psn + there + 1; n < last; n++)
		respond(XRDMA_RC_READ_RESPONSE_MIDDLE, XRDMA_AETH_ACK_NO_CREDIT, n, MTU, 0);
	respond(XRDMA_RC_READ_RESPONSE_LAST, XRDMA_AETH_ACK_NO_CREDIT, last, MTU, 0);
}

/*
 * A loss probably affects all packets in flight. So the requester halves the number of outstanding
 * packets, and increases it again with each response.
 */
Test(late_responses, fewer_reads_after_a_loss)
{
	for (int n = 0; n < 4; n++)
		post(XRDMA_WR_RDMA_READ, PARTS * MTU, n);
	for (int n = 0; n < 4; n++)
		expect_read(n, 0);
	respond(XRDMA_RC_READ_RESPONSE_MIDDLE, XRDMA_AETH_ACK_NO_CREDIT, 1, MTU, 0);
	peer_poll(wc, 0);
	expect_read(0, 0);
	expect_read(1, 0);
	peer_expect_nothing();
	respond(XRDMA_RC_READ_RESPONSE_FIRST, XRDMA_AETH_ACK_NO_CREDIT, 0, MTU, 0);
	respond(XRDMA_RC_READ_RESPONSE_MIDDLE, XRDMA_AETH_ACK_NO_CREDIT, 2, MTU, 0);
	peer_poll(wc, 0);
	expect_read(0, 1);
	peer_expect_nothing();
	respond_rest(0, 1);
	peer_poll(wc, 1);
	expect_read(1, 0);
	peer_expect_nothing();
	respond_rest(1, 0);
	peer_poll(wc, 1);
	expect_read(2, 0);
	expect_read(3, 0);
}

/*
 * IBA 9.7.6.2, bad response: the packet has the expected PSN, but is not the expected one. The
 * request fails. Later requests and the receives are flushed.
 */
Tests(late_responses, response_of_another_kind, 4)
{
	static const struct {
		__u8 opcode;
		__u32 len;
	} wrong[] = {
		{ XRDMA_RC_READ_RESPONSE_MIDDLE, MTU },
		{ XRDMA_RC_READ_RESPONSE_LAST, LEN },
		{ XRDMA_RC_READ_RESPONSE_ONLY, LEN },
		{ XRDMA_RC_ATOMIC_ACK, 0 },
	};

	peer_post_receives();
	post(XRDMA_WR_RDMA_READ, MTU + LEN, 1);
	post(XRDMA_WR_RDMA_WRITE, LEN, 2);
	peer_remember_memory();
	expect_request(XRDMA_RC_READ_REQUEST, 0);
	respond(wrong[i].opcode, XRDMA_AETH_ACK_NO_CREDIT, 0, wrong[i].len, 0x5a);
	peer_poll(wc, 2 + PEER_RECEIVES);
	for (int n = 0; n < 2 + PEER_RECEIVES; n++)
		expect_int(wc[n].status, ==,
			   !(wc[n].opcode & XRDMA_WC_RECV) && wc[n].wr_id == 1
				   ? XRDMA_WC_BAD_RESP_ERR
				   : XRDMA_WC_WR_FLUSH_ERR);
	peer_expect_memory();
	expect_int(side_state(&peer.b), ==, XRDMA_QPS_ERR);
}

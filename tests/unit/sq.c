// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The send queue counts requests and packets, its flow counts acknowledgements. */

#include "queue/flow.h"
#include "support/test.h"

enum { PSN = 0xfffffe };

static struct xrdma_sq sq;
static struct xrdma_flow flow;
static struct xrdma_wc wc[8];

static void start(void)
{
	const struct xrdma_qp_init_attr init = { .max_send_wr = 3 };

	expect_int(xrdma_sq_init(&sq, &init), ==, 0);
	xrdma_sq_start(&sq, PSN);
	xrdma_flow_start(&flow, PSN);
}

static void stop(void)
{
	xrdma_sq_exit(&sq);
}

TestSuite(sq, .init = start, .fini = stop);

/* Add a signalled request of PACKETS packets. */
static void add(__u64 wr_id, __u32 packets)
{
	const struct xrdma_send_wr wr = { .wr_id = wr_id, .flags = XRDMA_SEND_SIGNALED };

	expect(!xrdma_ring_is_full(&sq.ring));
	xrdma_sq_add(&sq, &wr, 0, packets);
}

static void advance(void)
{
	xrdma_sq_advance(&sq);
	xrdma_sq_finish(&sq, flow.acked);
}

/* Send packets like the requester. */
static void send_packets(int packets)
{
	for (; packets; packets--) {
		expect_int(sq.next, <, sq.end);
		if (sq.next == flow.sent)
			flow.sent++;
		advance();
	}
}

static int complete(void)
{
	return xrdma_sq_complete(&sq, 7, xrdma_sq_end(&sq), 8, wc);
}

/*
 * Requests complete in order, each when its last packet is acknowledged, across the wrap of PSNs
 * and of the ring.
 */
Test(sq, completes_in_order)
{
	for (int i = 0; i < 10; i++) {
		__u32 psn = PSN + 5 * i;

		add(2 * i, 2);
		add(2 * i + 1, 3);
		send_packets(5);
		expect(xrdma_flow_ack(&flow, &sq, (psn + 1) & XRDMA_PSN_MASK));
		expect_int(complete(), ==, 0);
		expect(xrdma_flow_ack(&flow, &sq, (psn + 4) & XRDMA_PSN_MASK));
		expect_int(complete(), ==, 1);
		expect_int(wc[0].wr_id, ==, 2 * i);
		expect(!xrdma_flow_ack(&flow, &sq, (psn + 4) & XRDMA_PSN_MASK));
		expect(xrdma_flow_ack(&flow, &sq, (psn + 5) & XRDMA_PSN_MASK));
		expect_int(complete(), ==, 1);
		expect(xrdma_ring_is_empty(&sq.ring));
	}
}

Test(sq, ignores_what_was_not_sent)
{
	add(1, 3);
	send_packets(2);
	expect(!xrdma_flow_ack(&flow, &sq, (PSN + 3) & XRDMA_PSN_MASK));
	expect(!xrdma_flow_ack(&flow, &sq, PSN - 1));
	expect_int(flow.acked, ==, PSN);
}

Test(sq, goes_back_and_over_what_had_arrived)
{
	add(1, 2);
	add(2, 2);
	add(3, 2);
	send_packets(6);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 1) & XRDMA_PSN_MASK));
	xrdma_flow_rewind(&flow, &sq);
	expect_int(sq.next, ==, PSN + 1);
	expect_int(sq.current, ==, 0);
	send_packets(1);
	expect_int(sq.current, ==, 1);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 5) & XRDMA_PSN_MASK));
	expect_int(sq.next, ==, PSN + 5);
	expect_int(sq.current, ==, 2);
	expect_int(complete(), ==, 2);
	send_packets(1);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 6) & XRDMA_PSN_MASK));
	expect_int(complete(), ==, 1);
}

/*
 * The oldest request has the reason. Earlier requests are complete. Later ones are flushed, whether
 * they have an error of their own or not.
 */
Test(sq, flushes)
{
	add(1, 1);
	add(2, 1);
	add(3, 1);
	xrdma_sq_at(&sq, 1)->status = XRDMA_WC_RETRY_EXC_ERR;
	xrdma_sq_at(&sq, 2)->status = XRDMA_WC_LOC_PROT_ERR;
	send_packets(2);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 1) & XRDMA_PSN_MASK));
	xrdma_sq_stop(&sq);
	expect_int(complete(), ==, 3);
	expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(wc[1].status, ==, XRDMA_WC_RETRY_EXC_ERR);
	expect_int(wc[2].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	add(4, 1);
	expect_int(complete(), ==, 1);
	expect_int(wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
}

/* A request without packets is done when all before it are done and it was executed. */
Test(sq, requests_without_packets)
{
	add(1, 2);
	add(2, 0);
	add(3, 1);
	send_packets(2);
	expect_int(sq.current, ==, 1);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 2) & XRDMA_PSN_MASK));
	expect_int(complete(), ==, 1);
	advance();
	expect_int(complete(), ==, 1);
	expect_int(wc[0].wr_id, ==, 2);
	expect_int(sq.next, ==, PSN + 2);
	send_packets(1);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 3) & XRDMA_PSN_MASK));
	expect_int(complete(), ==, 1);
}

Test(sq, request_without_packets_waits_for_those_before)
{
	add(1, 1);
	add(2, 0);
	send_packets(1);
	advance();
	expect_int(sq.current, ==, 2);
	expect_int(complete(), ==, 0);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 1) & XRDMA_PSN_MASK));
	expect_int(complete(), ==, 2);
}

/* A request that was begun is not begun again when the queue goes back. */
Test(sq, goes_back_over_a_request_without_packets)
{
	add(1, 1);
	add(2, 0);
	add(3, 1);
	send_packets(1);
	advance();
	send_packets(1);
	xrdma_flow_rewind(&flow, &sq);
	expect_int(sq.current, ==, 0);
	expect_int(sq.next, ==, PSN);
	send_packets(1);
	expect_int(sq.current, <, sq.begun);
	advance();
	expect_int(sq.begun, ==, 3);
	send_packets(1);
	expect_int(sq.current, ==, 3);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 2) & XRDMA_PSN_MASK));
	expect_int(complete(), ==, 3);
}

/* A request that was not begun is not done, whatever is acknowledged. It is flushed. */
Test(sq, request_without_packets_that_is_not_begun)
{
	add(1, 1);
	add(2, 0);
	send_packets(1);
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 1) & XRDMA_PSN_MASK));
	expect_int(sq.done, ==, 1);
	xrdma_sq_stop(&sq);
	expect_int(complete(), ==, 2);
	expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
}

/* A loss halves the window, down to 128 packets. Each acknowledged packet enlarges it. */
Test(sq, window)
{
	add(0, 1000);
	add(1, 1000);
	send_packets(1000);
	xrdma_flow_retry(&flow, &sq);
	expect_int(sq.next, ==, PSN);
	send_packets(500);
	expect(!xrdma_flow_has_room(&flow, &sq));
	expect(xrdma_flow_ack(&flow, &sq, (PSN + 1) & XRDMA_PSN_MASK));
	send_packets(2);
	expect(!xrdma_flow_has_room(&flow, &sq));
	for (int i = 0; i < 3; i++)
		xrdma_flow_retry(&flow, &sq);
	expect_int(flow.window, ==, 128);
	send_packets(128);
	expect(!xrdma_flow_has_room(&flow, &sq));
	xrdma_sq_start(&sq, PSN);
	xrdma_flow_start(&flow, PSN);
	expect_int(flow.window, ==, 1 << 23);
}

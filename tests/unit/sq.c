// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The send queue's books: user/sq.c. */

#include "obj/sq.h"
#include "support/test.h"

enum { MTU = 256, PSN = 0xfffffe };

static struct xrdma_sq sq;
static struct xrdma_wc wc[8];

static void start(void)
{
	const struct xrdma_qp_init_attr init = { .max_send_wr = 3 };

	expect_int(xrdma_sq_init(&sq, &init), ==, 0);
	xrdma_sq_start(&sq, PSN);
}

static void stop(void)
{
	xrdma_sq_exit(&sq);
}

TestSuite(sq, .init = start, .fini = stop);

/* A signalled request of so many packets. */
static void add(__u64 wr_id, __u32 packets)
{
	const struct xrdma_send_wr wr = { .wr_id = wr_id, .flags = XRDMA_SEND_SIGNALED };

	expect(!xrdma_sq_is_full(&sq));
	xrdma_sq_add(&sq, &wr, (packets - 1) * MTU + 1, MTU);
}

/* As the requester does for each packet. */
static void send(int packets)
{
	for (; packets; packets--) {
		expect_int(sq.next, <, sq.end);
		if (sq.next == sq.sent)
			sq.sent++;
		xrdma_sq_advance(&sq);
	}
}

static int complete(bool flush)
{
	return xrdma_sq_complete(&sq, 7, flush ? sq.tail : sq.done, 8, wc);
}

Test(sq, packets_of_a_message)
{
	const __u32 lengths[][2] = {
		{ 0, 1 }, { 1, 1 }, { MTU, 1 }, { MTU + 1, 2 }, { 4 * MTU, 4 }
	};

	for (int i = 0; i < 5; i++) {
		const struct xrdma_send_wr wr = { 0 };
		__u64 before = sq.end;

		xrdma_sq_add(&sq, &wr, lengths[i][0], MTU);
		expect_msg(sq.end - before == lengths[i][1], "%u bytes", lengths[i][0]);
		sq.head = sq.tail;
	}
}

/* In order, each when its last packet is acknowledged, over the end of the PSNs and of the ring. */
Test(sq, completes_in_order)
{
	for (int i = 0; i < 10; i++) {
		__u32 psn = PSN + 5 * i;

		add(2 * i, 2);
		add(2 * i + 1, 3);
		send(5);
		expect(xrdma_sq_ack(&sq, (psn + 1) & XRDMA_PSN_MASK));
		expect_int(complete(false), ==, 0);
		expect(xrdma_sq_ack(&sq, (psn + 4) & XRDMA_PSN_MASK));
		expect_int(complete(false), ==, 1);
		expect_int(wc[0].wr_id, ==, 2 * i);
		expect(!xrdma_sq_ack(&sq, (psn + 4) & XRDMA_PSN_MASK));
		expect(xrdma_sq_ack(&sq, (psn + 5) & XRDMA_PSN_MASK));
		expect_int(complete(false), ==, 1);
		expect(xrdma_sq_is_empty(&sq));
	}
}

Test(sq, ignores_what_was_not_sent)
{
	add(1, 3);
	send(2);
	expect(!xrdma_sq_ack(&sq, (PSN + 3) & XRDMA_PSN_MASK));
	expect(!xrdma_sq_ack(&sq, PSN - 1));
	expect_int(sq.acked, ==, PSN);
}

Test(sq, goes_back_and_over_what_had_arrived)
{
	add(1, 2);
	add(2, 2);
	add(3, 2);
	send(6);
	expect(xrdma_sq_ack(&sq, (PSN + 1) & XRDMA_PSN_MASK));
	xrdma_sq_rewind(&sq);
	expect_int(sq.next, ==, PSN + 1);
	expect_int(sq.current, ==, 0);
	send(1);
	expect_int(sq.current, ==, 1);
	expect(xrdma_sq_ack(&sq, (PSN + 5) & XRDMA_PSN_MASK));
	expect_int(sq.next, ==, PSN + 5);
	expect_int(sq.current, ==, 2);
	expect_int(complete(false), ==, 2);
	send(1);
	expect(xrdma_sq_ack(&sq, (PSN + 6) & XRDMA_PSN_MASK));
	expect_int(complete(false), ==, 1);
}

/*
 * The oldest tells why, what was complete before it is, those behind are flushed, with or without a
 * fault of their own.
 */
Test(sq, flushes)
{
	add(1, 1);
	add(2, 1);
	add(3, 1);
	xrdma_sq_at(&sq, 1)->status = XRDMA_WC_RETRY_EXC_ERR;
	xrdma_sq_at(&sq, 2)->status = XRDMA_WC_LOC_PROT_ERR;
	send(2);
	expect(xrdma_sq_ack(&sq, (PSN + 1) & XRDMA_PSN_MASK));
	expect_int(complete(true), ==, 3);
	expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(wc[1].status, ==, XRDMA_WC_RETRY_EXC_ERR);
	expect_int(wc[2].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	add(4, 1);
	expect_int(complete(true), ==, 1);
	expect_int(wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
}

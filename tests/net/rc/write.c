// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* RDMA WRITE over the wire. tests/net/rc.sh runs it. */
#include <errno.h>
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

TestSuite(write, .once = pair_open, .init = pair_start, .fini = pair_stop, .end = pair_close);

static void write_one(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(write, every_size)
{
	pair_every_size(write_one);
}

Test(write, completion_says_what_was_done)
{
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_RDMA_WRITE);
	expect_int(send_wc[0].byte_len, ==, 256);
	expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	expect_int(xrdma_cq_poll(pair.a.cq, -1, send_wc), ==, -EINVAL);
	expect_int(xrdma_cq_poll(pair.b.cq, 8, send_wc), ==, 0);
}

/* A WRITE gathers three pieces that do not end at packet boundaries. */
Test(write, gathers_pieces)
{
	struct xrdma_sge pieces[3] = { send_sge, send_sge, send_sge };
	__u8 expected[3000];

	pieces[0].length = 1500;
	pieces[1].addr += 100000;
	pieces[1].length = 1;
	pieces[2].addr += 3;
	pieces[2].length = 1499;
	send_wr.sg_list = pieces;
	send_wr.num_sge = 3;
	pair_expect(XRDMA_WC_SUCCESS);
	memcpy(expected, pair.source + 64, 1500);
	expected[1500] = pair.source[100064];
	memcpy(expected + 1501, pair.source + 67, 1499);
	expect(!memcmp(pair.target + 64, expected, sizeof(expected)));
}

/* Inline data may come from any memory, and may change as soon as the call returns. */
Test(write, takes_bytes_inline)
{
	__u8 bytes[64];

	memcpy(bytes, pair.source + 64, sizeof(bytes));
	send_sge = (struct xrdma_sge){ .addr = (uintptr_t)bytes, .length = sizeof(bytes) };
	send_wr.flags |= XRDMA_SEND_INLINE;
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.b);
	memset(bytes, 0, sizeof(bytes));
	pair_poll(1);
	pair_expect_written(64, sizeof(bytes));
}

/*
 * ibv_post_send(3): a request without SIGNALED has no completion, and its place in the queue
 * becomes free.
 */
Test(write, unsignalled)
{
	for (int i = 0; i < 20; i++) {
		send_wr.wr_id = i;
		send_wr.flags = i % 4 == 3 ? XRDMA_SEND_SIGNALED : 0;
		expect_msg(pair_post() == 0, "%s", xrdma_error());
		if (!send_wr.flags)
			continue;
		pair_poll(1);
		expect_int(send_wc[0].wr_id, ==, i);
	}
	expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
}

Test(write, every_request_signals_when_the_queue_pair_says_so)
{
	pair.a.qp->init.sq_sig_all = 1;
	send_wr.flags = 0;
	pair_expect(XRDMA_WC_SUCCESS);
}

/* The call refuses wrong requests. Those before them in the chain are executed. */
Test(write, refuses_requests)
{
	struct xrdma_sge four[4] = { send_sge, send_sge, send_sge, send_sge },
			 huge[2] = { send_sge, send_sge };
	const struct {
		int err;
		const char *text;
		struct xrdma_send_wr send_wr;
	} rows[] = {
		{ EOPNOTSUPP, "opcode 10", { .opcode = 10 } },
		{ EINVAL, "0x10 is unknown", { .flags = 0x11 } },
		{ EINVAL, "num_sge is 4", { .sg_list = four, .num_sge = 4 } },
		{ EINVAL, "2147483649 bytes", { .sg_list = huge, .num_sge = 2 } },
		{ EINVAL,
		  "inline",
		  { .flags = XRDMA_SEND_INLINE, .sg_list = &send_sge, .num_sge = 1 } },
	};

	huge[0].length = 1U << 31;
	huge[1].length = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xrdma_send_wr after = send_wr, refused = rows[i].send_wr;

		refused.next = &after;
		send_wr.next = &refused;
		expect_error(pair_post(), rows[i].err, rows[i].text);
		expect(send_bad == &refused);
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
		pair_expect_written(64, 256);
	}
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

Test(write, full_queue)
{
	for (int i = 0; i < 4; i++)
		expect_int(pair_post(), ==, 0);
	expect_error(pair_post(), ENOMEM, "no room for more than 4 requests");
	expect(send_bad == &send_wr);
	pair_poll(1);
	expect_int(pair_post(), ==, 0);
	pair_poll(4);
}

/* If the queue becomes full within a chain, the requests before are executed. */
Test(write, chain_that_fills_the_queue)
{
	struct xrdma_send_wr chain[6];

	for (int i = 0; i < 6; i++) {
		chain[i] = send_wr;
		chain[i].wr_id = i;
		chain[i].next = i < 5 ? &chain[i + 1] : NULL;
	}
	expect_error(xrdma_qp_post_send(pair.a.qp, chain, &send_bad), ENOMEM,
		     "no room for more than 4");
	expect(send_bad == &chain[4]);
	pair_poll(4);
	for (int i = 0; i < 4; i++)
		expect(send_wc[i].wr_id == (__u64)i && send_wc[i].status == XRDMA_WC_SUCCESS);
	expect_int(xrdma_qp_post_send(pair.a.qp, send_bad, &send_bad), ==, 0);
	pair_poll(2);
	expect(send_wc[0].wr_id == 4 && send_wc[1].wr_id == 5);
	pair_expect_written(64, 256);
}

Test(write, needs_a_queue_pair_in_RTS)
{
	for (enum xrdma_qp_state state = XRDMA_QPS_RESET; state <= XRDMA_QPS_RTR; state++) {
		side_bring_to(&pair.b, state);
		expect_error(xrdma_qp_post_send(pair.b.qp, &send_wr, &send_bad), EINVAL,
			     "not in RTS");
	}
}

/* IBA 10.3.1: requests that are posted in ERR are flushed. */
Test(write, flushed_in_ERR)
{
	expect_int(side_modify(&pair.a, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	pair_expect(XRDMA_WC_WR_FLUSH_ERR);
	send_wr.flags = 0;
	pair_expect(XRDMA_WC_WR_FLUSH_ERR);
}

/* IBA 10.3.1: requests that are in flight when the queue pair is reset have no completion. */
Test(write, forgotten_in_RESET)
{
	expect_int(pair_post(), ==, 0);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RESET, XRDMA_QP_STATE), ==, 0);
	expect(xrdma_ring_is_empty(&pair.a.qp->sq.ring));
	expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	pair_connect(4, 1024);
	pair_expect(XRDMA_WC_SUCCESS);
}

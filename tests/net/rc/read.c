// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* RDMA READ over the wire. tests/net/rc.sh runs it. */
#include <errno.h>
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

TestSuite(read, .once = pair_open, .init = pair_start_read, .fini = pair_stop, .end = pair_close);

static void read_one(__u32 offset, __u32 len)
{
	pair_set_read(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(read, every_size)
{
	pair_every_size(read_one);
}

/* Post more READs than there are resources, at every depth. */
Test(read, several_under_way)
{
	enum { READS = 20, LEN = 10001 };

	for (int depth = 1; depth <= 4; depth++) {
		pair.a.attr.max_rd_atomic = pair.b.attr.max_dest_rd_atomic = depth;
		pair_connect(4, 1024);
		for (int i = 0; i < READS; i++) {
			pair_set_read(7 + i * LEN, LEN);
			expect_int(pair_post(), ==, 0);
			if (i >= 3)
				pair_poll(1);
		}
		pair_poll(3);
		pair_expect_written(7, READS * LEN);
	}
}

Test(read, completion_says_what_was_done)
{
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_RDMA_READ);
	expect_int(send_wc[0].byte_len, ==, 256);
	expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	expect_int(xrdma_cq_poll(pair.b.cq, 8, send_wc), ==, 0);
}

/* Read into three pieces that do not end at packet boundaries, and one that is empty. */
Test(read, scatters_into_pieces)
{
	struct xrdma_sge pieces[3] = { send_sge, send_sge, send_sge };
	__u8 expected[PAIR_BYTES] = { 0 };

	pieces[0].length = 1500;
	pieces[1].addr += 100000;
	pieces[1].length = 1;
	pieces[2].addr += 200000;
	pieces[2].length = 1499;
	send_wr.sg_list = pieces;
	send_wr.num_sge = 3;
	pair_expect(XRDMA_WC_SUCCESS);
	memcpy(expected + 64, pair.source + 64, 1500);
	expected[100064] = pair.source[1564];
	memcpy(expected + 200064, pair.source + 1565, 1499);
	expect(!memcmp(pair.target, expected, sizeof(expected)));
}

/*
 * ibv_modify_qp(3): at most max_rd_atomic READs are outstanding, also if they are posted together.
 */
Test(read, waits_for_its_turn)
{
	pair.a.attr.max_rd_atomic = pair.b.attr.max_dest_rd_atomic = 3;
	pair_connect(4, 1024);
	link_cut_responses(&pair.a); /* then only the timer sends the requests again */
	for (int i = 0; i < 4; i++) {
		pair_set_read(i * 2048, 2048);
		expect_int(pair_post(), ==, 0);
	}
	expect_int(pair.a.qp->row->sent_psn, ==, (0xfffff0 + 6) & XRDMA_PSN_MASK);
	link_restore(&pair.a);
	pair_poll(4);
	expect_int(send_wc[3].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(0, 4 * 2048);
}

/*
 * IBA 10.8.3.3: a request with FENCE begins when the READs before it are complete. Other requests
 * do not wait.
 */
Test(read, fence)
{
	struct xrdma_send_wr next = { .flags = XRDMA_SEND_FENCE };
	__u32 psn = 0xfffff0;

	pair.b.attr.access |= XRDMA_ACCESS_REMOTE_WRITE;
	pair_connect(4, 1024);
	send_wr.next = &next;
	for (int fenced = 1; fenced >= 0; fenced--) {
		link_cut_responses(&pair.a);
		expect_int(pair_post(), ==, 0);
		psn += fenced ? 1 : 2;
		expect_int(pair.a.qp->row->sent_psn, ==, psn & XRDMA_PSN_MASK);
		link_restore(&pair.a);
		next.flags |= XRDMA_SEND_SIGNALED;
		psn += fenced;
		pair_poll(fenced ? 1 : 2);
		while (pair.a.qp->row->req.acked_psn != (psn & XRDMA_PSN_MASK))
			expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
		next.flags = XRDMA_SEND_SIGNALED;
	}
	pair_expect_written(64, 256);
}

Test(read, refuses_requests)
{
	send_wr.flags |= XRDMA_SEND_INLINE;
	expect_error(pair_post(), EINVAL, "can be inline");
	pair.a.attr.max_rd_atomic = 0;
	pair_connect(4, 1024);
	pair_set_read(64, 256);
	expect_error(pair_post(), EINVAL, "max_rd_atomic is 0");
	expect(send_bad == &send_wr);
}

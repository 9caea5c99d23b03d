// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* When memory windows of B are bound, and when their keys become invalid. */
#include <stdint.h>
#include <string.h>

#include "support/xdp_run.h"
#include "support/test.h"
#include "support/window.h"

TestSuite(window_order, .once = pair_open, .end = pair_close, .init = window_start,
	  .fini = window_stop);

/*
 * The next request sends the key to the peer, and the key is valid by then. The bind itself has no
 * packet.
 */
Test(window_order, in_order_with_other_requests)
{
	struct xrdma_send_wr bind, tell;
	__u32 first = pair.b.qp->row->sent_psn;

	window_alloc(XRDMA_MW_TYPE_2A);
	window_bind_of(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	bind = window_bind_request();
	tell = (struct xrdma_send_wr){
		.wr_id = 3,
		.next = NULL,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
	};
	bind.next = &tell;
	expect_int(xrdma_qp_post_send(pair.b.qp, &bind, &send_bad), ==, 0);
	pair_poll_recv(2);
	expect_int(recv_wc[0].opcode, ==, XRDMA_WC_BIND_MW);
	expect_int(recv_wc[0].byte_len, ==, 0);
	expect_int(recv_wc[1].opcode, ==, XRDMA_WC_RDMA_WRITE);
	expect_int((pair.b.qp->row->sent_psn - first) & XRDMA_PSN_MASK, ==, 1);
	window.key = bind.rkey;
	window_write(64, 256);
}

/* After a loss, packets are sent again, but no window is bound again. */
Test(window_order, once_though_packets_are_lost)
{
	struct xrdma_send_wr lost = {
		.wr_id = 3,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
	};
	struct xrdma_send_wr bind;

	window_alloc(XRDMA_MW_TYPE_2B);
	window_bind_of(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	bind = window_bind_request();
	lost.next = &bind;
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &lost, &send_bad), ==, 0);
	expect_int(side_key(&pair.b, bind.rkey)->state, ==, XRDMA_MKEY_STATE_VALID);
	expect_int(xrdma_cq_poll(pair.b.cq, 1, recv_wc), ==, 0);
	link_restore(&pair.a);
	pair_poll_recv(2);
	expect_int(recv_wc[0].wr_id, ==, 3);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_SUCCESS);
	window.key = bind.rkey;
	window_write(64, 256);
}

/* Post BIND after a READ, to which A responds only when its link is restored. */
static void post_after_a_read(struct xrdma_send_wr *bind)
{
	pair_read_unanswered(window.local, pair.rkey);
	bind->flags |= XRDMA_SEND_FENCE;
	expect_int(xrdma_qp_post_send(pair.b.qp, bind, &send_bad), ==, 0);
}

/* With FENCE, a bind waits for earlier READs (IBA 10.8.3.3). */
Test(window_order, after_a_read)
{
	struct xrdma_send_wr bind;

	window_alloc(XRDMA_MW_TYPE_2B);
	bind = window_bind_request();
	post_after_a_read(&bind);
	expect_int(side_key(&pair.b, bind.rkey)->state, ==, XRDMA_MKEY_STATE_FREE);
	pair_answer_read();
	pair_poll_recv(1);
	expect_int(recv_wc[0].opcode, ==, XRDMA_WC_BIND_MW);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(side_key(&pair.b, bind.rkey)->state, ==, XRDMA_MKEY_STATE_VALID);
	memset(pair.target, 0, 64);
}

/* No window is bound in ERR. */
Test(window_order, flushed)
{
	window_alloc(XRDMA_MW_TYPE_2B);
	expect_int(side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	expect_int(window_post(), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(side_key(&pair.b, window.key)->state, ==, XRDMA_MKEY_STATE_FREE);
	pair_connect(4, 1024);
}

static void expect_bind_without_window(void)
{
	pair_answer_read();
	pair_poll_recv(1);
	expect_int(recv_wc[0].wr_id, ==, 9);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_MW_BIND_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY);
	memset(pair.target, 0, 64);
	pair_connect(4, 1024);
}

/* A window that was deallocated before its bind is executed is not bound. */
Test(window_order, deallocated_before_its_turn)
{
	struct xrdma_send_wr bind;

	window_alloc(XRDMA_MW_TYPE_2B);
	bind = window_bind_request();
	post_after_a_read(&bind);
	window_dealloc();
	expect_bind_without_window();
}

/*
 * A new window in the row of a deallocated one is not bound either. The context has no other row.
 */
Test(window_order, deallocated_and_another_in_its_place)
{
	struct xrdma_mw *others[16];
	struct xrdma_send_wr bind;
	int count = 0;

	window_alloc(XRDMA_MW_TYPE_2B);
	while (!xrdma_mw_alloc(pair.b.owner.pd, XRDMA_MW_TYPE_2B, &others[count]))
		count++;
	bind = window_bind_request();
	post_after_a_read(&bind);
	window_alloc(XRDMA_MW_TYPE_2B);
	expect(side_key(&pair.b, window.key) == side_key(&pair.b, bind.rkey));
	expect_bind_without_window();
	expect_int(side_key(&pair.b, window.key)->state, ==, XRDMA_MKEY_STATE_FREE);
	expect_int(side_key(&pair.b, window.key)->key, ==, window.key);
	while (count)
		expect_int(xrdma_mw_dealloc(others[--count]), ==, 0);
}

/* When a key was invalidated, no program run uses it any more. */
Test(window_order, ended_after_runs_under_way)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		xdp_run_expect_waited_for(window_end_key);
	}
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SENDs that wait, or are refused, lost or flushed. tests/net/rc.sh runs it. */
#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "support/pair.h"
#include "support/test.h"

static void start(void)
{
	pair_start();
	pair_set_send(64, 256);
}

TestSuite(send_failure, .once = pair_open, .init = start, .fini = pair_stop, .end = pair_close);

static __u64 now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/* The sender waits as long as the receiver's timer says, and then sends again (IBA 9.7.5.2.8). */
Test(send_failure, waits_for_a_receive)
{
	__u64 begin;

	pair.b.attr.min_rnr_timer = 20; /* 10.24 ms */
	pair_connect(4, 1024);
	begin = now_us();
	expect_int(pair_post(), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(now_us() - begin, >=, 10240);
	pair_expect_received(XRDMA_WC_RECV, 256);
	pair_expect_written(64, 256);
}

/*
 * Requests that were in flight after the refused one are missing at the receiver, which reports
 * that. This uses up no retry, because nothing was lost.
 */
Test(send_failure, waits_with_more_behind)
{
	struct xrdma_sge shorter = *send_wr.sg_list; /* so the kernel does not merge them */
	struct xrdma_send_wr more[2] = { send_wr, send_wr };

	shorter.length -= 64;
	send_wr.sg_list = &shorter;
	pair.a.attr.retry_cnt = 0;
	pair.b.attr.min_rnr_timer = 20; /* 10.24 ms */
	pair_connect(4, 1024);
	send_wr.next = &more[0];
	more[0].next = &more[1];
	expect_int(pair_post(), ==, 0);
	expect_int(pair.a.qp->row->req.rnr_nak.count, ==, 1);
	expect_int(pair.a.qp->row->req.nak.count, ==, 1);
	for (int i = 0; i < 3; i++)
		expect_int(pair_post_recv(), ==, 0);
	pair_poll(3);
	for (int i = 0; i < 3; i++)
		expect_int(send_wc[i].status, ==, XRDMA_WC_SUCCESS);
}

/* ibv_modify_qp(3): the sender tries rnr_retry times again, or for ever if rnr_retry is 7. */
Test(send_failure, gives_up_waiting)
{
	pair.b.attr.min_rnr_timer = 1;
	for (int retries = 0; retries < 3; retries++) {
		pair.a.attr.rnr_retry = retries;
		pair_connect(4, 1024);
		pair_expect_failure(XRDMA_WC_RNR_RETRY_EXC_ERR);
		pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
	}
	pair.a.attr.rnr_retry = 7;
	pair_connect(4, 1024);
	expect_int(pair_post(), ==, 0);
	for (int i = 0; i < 10000; i++)
		expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 256);
}

/* A full completion queue makes a SEND wait, as if no receive were posted. */
Test(send_failure, full_completion_queue)
{
	struct xrdma_cq *small;

	expect_int(xrdma_cq_create(pair.b.owner.context, 2, &small), ==, 0);
	expect_int(xrdma_qp_destroy(pair.b.qp), ==, 0);
	pair.b.init.recv_cq = small;
	expect_int(xrdma_qp_create(pair.b.owner.pd, &pair.b.init, &pair.b.qp), ==, 0);
	pair.a.attr.rnr_retry = 7;
	pair_connect(4, 1024);
	for (int i = 0; i < 3; i++) {
		recv_wr.wr_id = send_wr.wr_id = i;
		expect_int(pair_post_recv(), ==, 0);
		expect_int(pair_post(), ==, 0);
	}
	pair_poll(2);
	for (int i = 0; i < 10000; i++)
		expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	expect_int(xrdma_cq_poll(small, 8, recv_wc), ==, 2);
	expect_int(recv_wc[1].wr_id, ==, 1);
	pair_poll(1);
	expect_int(send_wc[0].wr_id, ==, 2);
	expect_int(xrdma_cq_poll(small, 8, recv_wc), ==, 1);
	expect_int(recv_wc[0].wr_id, ==, 2);
	expect_int(xrdma_qp_destroy(pair.b.qp), ==, 0);
	expect_int(xrdma_cq_destroy(small), ==, 0);
	pair.b.init.recv_cq = pair.b.cq;
	expect_int(xrdma_qp_create(pair.b.owner.pd, &pair.b.init, &pair.b.qp), ==, 0);
}

/* Expect that the receive fails, that later ones are flushed, and that the sender gets a NAK. */
static void expect_refusal(enum xrdma_wc_status ours, enum xrdma_wc_status theirs)
{
	expect_int(pair_post_recv(), ==, 0);
	recv_wr.wr_id = 8;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect_failure(theirs);
	pair_poll_recv(2);
	expect_int(recv_wc[0].wr_id, ==, 7);
	expect_msg(recv_wc[0].status == ours, "'%s'", xrdma_wc_status_str(recv_wc[0].status));
	expect_int(recv_wc[1].wr_id, ==, 8);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_ERR);
}

Test(send_failure, longer_than_its_receive)
{
	recv_sge.length--;
	expect_refusal(XRDMA_WC_LOC_LEN_ERR, XRDMA_WC_REM_INV_REQ_ERR);
}

/*
 * The last of three packets exceeds the receive. The earlier packets stay in the receive's memory,
 * whose contents are undefined then.
 */
Test(send_failure, last_longer_than_its_receive)
{
	pair_set_send(64, 3000);
	recv_sge.length--;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_REM_INV_REQ_ERR);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_LEN_ERR);
	pair_expect_written(64, 2048);
}

Test(send_failure, receive_without_a_key)
{
	recv_sge.lkey ^= 1;
	expect_refusal(XRDMA_WC_LOC_PROT_ERR, XRDMA_WC_REM_OP_ERR);
}

/* A key becomes invalid after the receive was posted. Keys are checked when the message arrives. */
Test(send_failure, receive_whose_key_is_gone)
{
	expect_int(pair_post_recv(), ==, 0);
	expect_int(xrdma_mr_close(pair.target_mr), ==, 0);
	pair.target_mr = NULL;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
}

/*
 * IBA 10.3.1: in ERR, new requests and receives are flushed, and earlier completions are not lost.
 */
Test(send_failure, flushed_in_ERR)
{
	for (recv_wr.wr_id = 7; recv_wr.wr_id < 10; recv_wr.wr_id++)
		expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	pair_poll_recv(3);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(recv_wc[0].wr_id, ==, 7);
	for (int i = 1; i < 3; i++) {
		expect_int(recv_wc[i].status, ==, XRDMA_WC_WR_FLUSH_ERR);
		expect_int(recv_wc[i].wr_id, ==, 7 + i);
	}
	expect_int(pair_post_recv(), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(recv_wc[0].wr_id, ==, 10);
}

/*
 * A SEND that arrived before RESET completes no later receive, even if another queue pair shares
 * the completion queue.
 */
Test(send_failure, forgotten_behind_another)
{
	struct xrdma_cq *cq = pair.b.cq;
	struct xrdma_cqe_row *entries[2];

	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect(XRDMA_WC_SUCCESS);
	for (int i = 0; i < 2; i++)
		entries[i] = &cq->cqes[xrdma_ring_place(&cq->ring, cq->ring.head + i)];
	entries[0]->qpn ^= 1; /* an entry of another queue pair, which is not written yet */
	entries[0]->sequence = 0;
	entries[1]->rqe = 0;
	pair_connect(4, 1024);
	expect_int(pair_post_recv(), ==, 0);
	entries[0]->sequence = cq->ring.head + 1;
	expect_int(xrdma_cq_poll(cq, 8, recv_wc), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 256);
}

/* IBA 10.3.1: a reset removes all receives and completions. */
Test(send_failure, forgotten_in_RESET)
{
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_connect(4, 1024);
	expect_int(xrdma_cq_poll(pair.b.cq, 8, recv_wc), ==, 0);
	recv_wr.wr_id = 9;
	pair_send_once();
	expect_int(pair_post_recv(), ==, 0);
	expect_int(side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	expect_int(xrdma_cq_poll(pair.b.cq, 8, recv_wc), ==, 0);
}

Test(send_failure, refuses_receives)
{
	struct xrdma_sge four[4] = { recv_sge, recv_sge, recv_sge, recv_sge };
	struct xrdma_recv_wr refused = { .sg_list = four, .num_sge = 4 };

	recv_wr.next = &refused;
	expect_error(pair_post_recv(), EINVAL, "num_sge is 4");
	expect(recv_bad == &refused);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 256);
	recv_wr.next = NULL;
	for (int i = 0; i < 3; i++)
		expect_int(pair_post_recv(), ==, 0);
	expect_error(pair_post_recv(), ENOMEM, "no room for more than 3 receives");
	expect(recv_bad == &recv_wr);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	expect_error(pair_post_recv(), EINVAL, "in RESET");
	side_bring_to(&pair.b, XRDMA_QPS_INIT);
	expect_int(pair_post_recv(), ==, 0);
}

/* Prepare SEND number I, of three packets, and its receive. */
static void set_message(int i)
{
	pair_set_send(64 + 3000 * i, 2500);
	send_wr.wr_id = i;
	recv_wr.wr_id = 7 + i;
}

/* Expect that messages 0 to 2 were received, each once and in its own receive. */
static void expect_messages(void)
{
	pair_poll_recv(3);
	for (int i = 0; i < 3; i++) {
		expect_int(recv_wc[i].status, ==, XRDMA_WC_SUCCESS);
		expect_int(recv_wc[i].wr_id, ==, 7 + i);
		expect_int(recv_wc[i].byte_len, ==, 2500);
		expect(!memcmp(pair.target + 64 + 3000 * i, pair.source + 64 + 3000 * i, 2500));
		memset(pair.target + 64 + 3000 * i, 0, 2500);
	}
	pair_expect_written(0, 0);
}

/* The first message is lost. The next two arrive too early, and are sent again (IBA 9.7.5.2). */
Test(send_failure, lost_requests)
{
	pair.a.attr.timeout = 0; /* no timer: only the NAK helps */
	pair_connect(4, 1024);
	for (int i = 0; i < 3; i++) {
		set_message(i);
		expect_int(pair_post_recv(), ==, 0);
		if (i)
			expect_int(pair_post(), ==, 0);
		else
			pair_lose_request();
	}
	pair_poll(3);
	for (int i = 0; i < 3; i++)
		expect(send_wc[i].status == XRDMA_WC_SUCCESS && send_wc[i].wr_id == (__u64)i);
	expect_messages();
}

/*
 * If the acknowledgement is lost, the message is sent again. It uses no second receive (IBA
 * 9.7.5.1).
 */
Test(send_failure, lost_answers)
{
	for (int i = 0; i < 3; i++) {
		set_message(i);
		expect_int(pair_post_recv(), ==, 0);
		link_cut_responses(&pair.a);
		expect_int(pair_post(), ==, 0);
		link_restore(&pair.a);
		pair_poll(1);
		expect(send_wc[0].status == XRDMA_WC_SUCCESS && send_wc[0].wr_id == (__u64)i);
	}
	expect_messages();
	expect_int(xrdma_cq_poll(pair.b.cq, 8, recv_wc), ==, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* RDMA WRITEs that are refused or lost. tests/net/rc.sh runs it. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/test.h"

TestSuite(write_failure, .once = pair_open, .init = pair_start, .fini = pair_stop,
	  .end = pair_close);

/* A request with a wrong local key fails when all requests before it are complete. */
Test(write_failure, local_keys)
{
	struct xrdma_sge wrong = send_sge;
	struct xrdma_send_wr second = send_wr;
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	__u32 other_key;

	expect_int(xrdma_pd_alloc(pair.a.owner.context, &pd), ==, 0);
	expect_int(xrdma_mr_reg(pd, pair.source, PAIR_BYTES, 0, &mr), ==, 0);
	other_key = xrdma_mr_key(mr);
	const struct {
		__u32 key;
		__u64 addr;
		__u32 length;
		enum xrdma_verdict verdict;
	} rows[] = {
		{ pair.lkey ^ 1, send_sge.addr, 8, XRDMA_V_KEY },
		{ other_key, send_sge.addr, 8, XRDMA_V_KEY_PD },
		{ pair.lkey, (uintptr_t)pair.source - 1, 8, XRDMA_V_KEY_RANGE },
		{ pair.lkey, (uintptr_t)pair.source + PAIR_BYTES - 2000, 2001, XRDMA_V_KEY_RANGE },
		{ pair.lkey, UINT64_MAX, 8, XRDMA_V_KEY_RANGE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pair_connect(4, 1024);
		wrong = (struct xrdma_sge){ rows[i].addr, rows[i].length, rows[i].key };
		second.sg_list = &wrong;
		second.wr_id = 2;
		send_wr.next = &second;
		expect_int(pair_post(), ==, 0);
		pair_poll(2);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect_int(send_wc[1].status, ==, XRDMA_WC_LOC_PROT_ERR);
		expect_msg(send_wc[1].vendor_err == rows[i].verdict, "row %zu", i);
		pair_expect_written(64, 256);
		pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
		send_wr.next = NULL;
		pair_expect(XRDMA_WC_WR_FLUSH_ERR);
	}
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

/* Nothing is sent of a message whose last local key allows no access. */
Test(write_failure, wrong_local_key_at_the_end)
{
	struct xrdma_sge sges[] = { send_sge, send_sge };

	sges[0].length = 3000;
	sges[1].lkey ^= 1;
	send_wr.sg_list = sges;
	send_wr.num_sge = 2;
	expect_int(pair_post(), ==, 0);
	pair_expect_stopped(XRDMA_WC_LOC_PROT_ERR, XRDMA_V_KEY);
	expect_int(pair.b.qp->row->resp.psn, ==, pair.b.attr.rq_psn);
}

/* A request that has failed is not sent, even if its key becomes valid in the meantime. */
Test(write_failure, local_key_that_comes_late)
{
	struct xrdma_mkey_row *row = side_key(&pair.a, pair.lkey);
	struct xrdma_send_wr second = send_wr;

	link_cut(&pair.b); /* the first one is lost, and waits for the timer */
	expect_int(pair_post(), ==, 0);
	row->state = XRDMA_MKEY_STATE_FREE;
	expect_int(xrdma_qp_post_send(pair.a.qp, &second, &send_bad), ==, 0);
	row->state = XRDMA_MKEY_STATE_VALID;
	link_restore(&pair.b);
	pair_poll(2);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(send_wc[1].status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(send_wc[1].vendor_err, ==, XRDMA_V_KEY_STATE);
}

Test(write_failure, wrong_remote_key)
{
	send_wr.rkey ^= 1;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_ERR);
}

Test(write_failure, remote_range)
{
	send_wr.remote_addr = (uintptr_t)pair.target + PAIR_BYTES - 255;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_connect(4, 1024);
	send_wr.remote_addr = (uintptr_t)pair.target - 1;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(write_failure, region_without_remote_write)
{
	pair_expect_denied(pair.target, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ);
}

Test(write_failure, region_of_another_domain)
{
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;

	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	expect_int(xrdma_mr_reg(pd, pair.target, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE, &mr),
		   ==, 0);
	send_wr.rkey = xrdma_mr_key(mr);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

/* When xrdma_mr_close() has returned, no packet changes a byte of the region. */
Test(write_failure, region_that_is_gone)
{
	expect_int(xrdma_mr_close(pair.target_mr), ==, 0);
	pair.target_mr = NULL;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(write_failure, queue_pair_without_remote_write)
{
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_READ;
	pair_connect(4, 1024);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

/*
 * The responder misses packets and reports the first gap. All later packets are sent again (IBA
 * 9.7.5.2, 9.9.2.2).
 */
Test(write_failure, lost_requests)
{
	pair.a.attr.timeout = 0; /* no timer: only the NAK helps */
	pair_connect(4, 1024);
	link_cut(&pair.b);
	pair_set_write(64, 5000);
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.b);
	send_wr.wr_id = 2;
	expect_int(pair_post(), ==, 0);
	pair_poll(2);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(send_wc[1].status, ==, XRDMA_WC_SUCCESS);
	expect_int(send_wc[1].wr_id, ==, 2);
	pair_expect_written(64, 5000);
}

/*
 * If the acknowledgement is lost, the timer makes the requester send again. The duplicate is
 * acknowledged (IBA 9.7.5.1).
 */
Test(write_failure, lost_answers)
{
	link_cut_responses(&pair.a);
	pair_set_write(64, 5000);
	expect_int(pair_post(), ==, 0);
	pair_expect_written(64, 5000);
	link_restore(&pair.a);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(0, 0); /* a duplicate is not executed */
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* The peer is silent. The timeouts are 4.096 us * 2^14 = 67 ms, and longer ones for retries. */
Test(write_failure, silent_peer)
{
	double before = seconds();

	pair.a.attr.retry_cnt = 2;
	pair_connect(4, 1024);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	send_sge.length = 200000;
	pair_expect_failure(XRDMA_WC_RETRY_EXC_ERR);
	expect_int(pair.a.qp->row->sent_psn, ==, (0xfffff0 + 128) & XRDMA_PSN_MASK);
	expect(seconds() - before > 3 * 0.067);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RESET);
}

/* More packets are sent than may be in flight. Only the last of the messages is signalled. */
Test(write_failure, more_than_a_window)
{
	struct xrdma_send_wr all[4];

	pair.a.attr.timeout = 0; /* it must be acknowledged while it is sent, not by a retry */
	pair_connect(4, 1024);
	pair_set_write(0, PAIR_BYTES);
	for (int i = 0; i < 4; i++) {
		all[i] = send_wr;
		all[i].next = i < 3 ? &all[i + 1] : NULL;
		all[i].flags = i == 3 ? XRDMA_SEND_SIGNALED : 0;
	}
	expect_int(xrdma_qp_post_send(pair.a.qp, all, &send_bad), ==, 0);
	pair_poll(1);
	pair_expect_written(0, PAIR_BYTES);
}

/*
 * Retries are counted from the peer's last response: three losses with progress between them pass,
 * although retry_cnt allows only one in a row.
 */
Test(write_failure, losses_with_progress)
{
	pair.a.attr.retry_cnt = 1;
	pair_connect(4, 1024);
	for (int i = 0; i < 3; i++) {
		link_cut(&pair.b);
		expect_int(pair_post(), ==, 0);
		link_restore(&pair.b);
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	}
}

/* A late poll reports the refusal, not a timeout. */
Test(write_failure, refused_and_late)
{
	pair.a.attr.timeout = 1; /* 8 us */
	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	send_wr.rkey ^= 1;
	expect_int(pair_post(), ==, 0);
	usleep(1000);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
}

/* Let B post a byte under a key that A does not have. A refuses it and stops. */
static void post_refused(void)
{
	const struct xrdma_sge byte = { .addr = (uintptr_t)pair.target, .length = 1 };
	const struct xrdma_send_wr refused = {
		.sg_list = &byte,
		.num_sge = 1,
		.flags = XRDMA_SEND_INLINE,
		.rkey = 0xffffffff,
	};

	expect_int(xrdma_qp_post_send(pair.b.qp, &refused, &send_bad), ==, 0);
	expect(pair.a.qp->row->resp.error);
}

/*
 * IBA 10.3.1: only requests that are not complete are flushed. A request that the peer has
 * acknowledged is complete, even if nobody has polled since. The program notices the end by a
 * change of state, by polling or by posting.
 */
Tests(write_failure, acknowledged_before_the_end, 3)
{
	const int posted = i == 2 ? 2 : 1;

	expect_int(pair_post(), ==, 0);
	if (i == 0)
		expect_int(side_modify(&pair.a, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	else
		post_refused();
	if (posted > 1)
		expect_int(pair_post(), ==, 0);
	pair_poll(posted);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	if (posted > 1)
		expect_int(send_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(side_state(&pair.a), ==, XRDMA_QPS_ERR);
}

/* A NAK in the row for a packet that is acknowledged, or was not sent, changes nothing. */
Test(write_failure, stale_naks)
{
	struct xrdma_requester *req = &pair.a.qp->row->req;

	req->nak.last = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24 | req->acked_psn;
	req->nak.count++;
	pair_expect(XRDMA_WC_SUCCESS);
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	req->nak.last = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24 | (req->acked_psn - 1);
	req->nak.count++;
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	link_restore(&pair.b);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* Nonsense in a row affects only its own queue pair. */
Test(write_failure, nonsense_in_the_row)
{
	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	expect_int(pair_post(), ==, 0);
	pair.a.qp->row->req.acked_psn = 0x123456;
	pair.a.qp->row->req.nak.last = 0xff123456;
	pair.a.qp->row->req.nak.count = 77;
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
}

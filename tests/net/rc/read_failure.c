// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* RDMA READs that are refused or lost. tests/net/rc.sh runs it. */
#include <stdint.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/xdp_run.h"
#include "support/test.h"

TestSuite(read_failure, .once = pair_open, .init = pair_start_read, .fini = pair_stop,
	  .end = pair_close);

/*
 * IBA 10.6.3: a READ writes to local memory, which needs a right. Nothing is sent before all keys
 * are checked.
 */
Test(read_failure, local_keys)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.target, PAIR_BYTES, 0, &mr), ==, 0);
	const struct {
		__u32 key;
		__u64 addr;
		enum xrdma_verdict verdict;
	} rows[] = {
		{ pair.lkey ^ 1, send_sge.addr, XRDMA_V_KEY },
		{ xrdma_mr_key(mr), send_sge.addr, XRDMA_V_KEY_RIGHTS },
		{ pair.lkey, (uintptr_t)pair.target + PAIR_BYTES - 255, XRDMA_V_KEY_RANGE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pair_connect(4, 1024);
		send_sge.lkey = rows[i].key;
		send_sge.addr = rows[i].addr;
		pair_expect_failure(XRDMA_WC_LOC_PROT_ERR);
		expect_int(pair.a.qp->sq.wqes[0].vendor_err, ==, rows[i].verdict);
		expect_int(pair.a.qp->row->sent_psn, ==, 0xfffff0);
		pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
	}
	expect_int(xrdma_mr_close(mr), ==, 0);
}

Test(read_failure, wrong_remote_key)
{
	send_wr.rkey ^= 1;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_ERR);
}

/* A READ beyond the region is refused as a whole. */
Test(read_failure, remote_range)
{
	pair_set_read(PAIR_BYTES - 5000, 5000);
	send_wr.remote_addr++;
	send_sge.addr -= 5000;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(read_failure, region_without_remote_read)
{
	pair_expect_denied(pair.source, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE);
}

/* When xrdma_mr_close() has returned, no packet contains bytes of the region. */
Test(read_failure, region_that_is_gone)
{
	expect_int(xrdma_mr_close(pair.source_mr), ==, 0);
	pair.source_mr = NULL;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(read_failure, queue_pair_without_remote_read)
{
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_WRITE;
	pair_connect(4, 1024);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

static void withdraw_reads(void)
{
	const struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};

	expect_int(xrdma_qp_modify(pair.b.qp, &attr, XRDMA_QP_ACCESS_FLAGS), ==, 0);
}

/*
 * When the right of the queue pair was withdrawn, no program run continues that found it granted.
 */
Test(read_failure, withdrawn_after_runs_under_way)
{
	xdp_run_expect_waited_for(withdraw_reads);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

Test(read_failure, queue_pair_without_resources)
{
	pair.b.attr.max_dest_rd_atomic = 0;
	pair_connect(4, 1024);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

static void expect_read(int count, __u32 len)
{
	pair_poll(count);
	for (int i = 0; i < count; i++)
		expect_int(send_wc[i].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(64, len);
}

/* The responder notices lost requests, and requests them by a NAK (IBA 9.7.5.2). */
Test(read_failure, lost_requests)
{
	pair.a.attr.timeout = 0; /* no timer: only the NAK helps */
	pair.a.attr.max_rd_atomic = 4;
	pair_connect(4, 1024);
	pair_set_read(64, 1025);
	pair_lose_request();
	expect_int(pair_post(), ==, 0);
	expect_read(2, 1025);
}

/* A response shows that earlier responses were lost. The requests are sent again (IBA 9.7.5.1). */
Test(read_failure, lost_responses)
{
	pair.a.attr.timeout = 0;
	pair.a.attr.max_rd_atomic = 2;
	pair_connect(4, 1024);
	pair_set_read(64, 7000);
	pair_lose_response();
	expect_int(pair_post(), ==, 0);
	expect_read(2, 7000);
}

/*
 * Post a READ of 2,048 packets, of which some arrive and the later ones do not. Returns false if
 * all arrive.
 */
static bool read_some(void)
{
	const volatile __u32 *acked = &pair.a.qp->row->req.acked_psn;

	pair_connect(4, 256);
	pair_set_read(0, PAIR_BYTES);
	expect_int(pair_post(), ==, 0);
	while (*acked == 0xfffff0)
		;
	link_cut_responses(&pair.a);
	usleep(10000);
	return *acked != ((0xfffff0 + PAIR_BYTES / 256) & XRDMA_PSN_MASK);
}

/*
 * A READ is repeated from the first missing byte on (9.7.5.1.2). Bytes that have arrived are not
 * written again.
 */
Test(read_failure, lost_in_the_midst)
{
	int tries = 1000;

	while (!read_some())
		expect(--tries);
	pair.target[0] = ~pair.source[0];
	link_restore(&pair.a);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(pair.target[0] ^ pair.source[0], ==, 0xff);
	pair.target[0] = pair.source[0];
	pair_expect_written(0, PAIR_BYTES);
}

/* An acknowledgement of a later request also shows that the response was lost. */
Test(read_failure, lost_response_before_a_write)
{
	struct xrdma_send_wr write = { .flags = XRDMA_SEND_SIGNALED };

	pair.a.attr.timeout = 0;
	pair.b.attr.access |= XRDMA_ACCESS_REMOTE_WRITE;
	pair_connect(4, 1024);
	pair_lose_response();
	expect_int(xrdma_qp_post_send(pair.a.qp, &write, &send_bad), ==, 0);
	expect_read(2, 256);
}

/* A response implies the acknowledgement of earlier requests. */
Test(read_failure, lost_acknowledgement_before_a_read)
{
	struct xrdma_send_wr read = send_wr;

	pair.a.attr.timeout = 0;
	pair.b.attr.access |= XRDMA_ACCESS_REMOTE_WRITE;
	pair_connect(4, 1024);
	send_wr = (struct xrdma_send_wr){ .flags = XRDMA_SEND_SIGNALED };
	pair_lose_response();
	send_wr = read;
	expect_int(pair_post(), ==, 0);
	expect_read(2, 256);
}

/*
 * If the last response is lost, the timer ends, and the duplicate is executed again (IBA
 * 9.7.5.1.2).
 */
Test(read_failure, last_response_lost)
{
	pair_lose_response();
	memset(pair.source + 64, 0x3c, 256);
	expect_read(1, 256);
}

/* The key is checked again when the response arrives. */
Test(read_failure, local_key_that_goes)
{
	pair_lose_response();
	side_key(&pair.a, pair.lkey)->state = XRDMA_MKEY_STATE_FREE;
	pair_expect_stopped(XRDMA_WC_LOC_PROT_ERR, XRDMA_V_RESPONSE_KEY);
}

/*
 * IBA 9.9.2: a response of another length ends the queue pair. In this test, the row expects
 * another length.
 */
Test(read_failure, response_of_another_length)
{
	pair_lose_response();
	pair.a.qp->row->rd_atomic[0].length--;
	pair_expect_stopped(XRDMA_WC_BAD_RESP_ERR, XRDMA_V_RESPONSE_BAD);
}

/* Nonsense in the rows for READs affects only its own queue pair. */
Test(read_failure, nonsense_in_the_rows)
{
	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	pair_lose_response();
	pair.a.qp->row->rd_atomics = 77;
	pair.a.qp->row->req.rd_atomics_done = 5;
	memset(pair.a.qp->row->rd_atomic, 0xee, sizeof(pair.a.qp->row->rd_atomic));
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
	pair_expect_written(0, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Atomics that are refused or lost. tests/net/rc.sh runs it. */
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

static __u8 before[PAIR_BYTES];

static __u64 *word(void)
{
	return (__u64 *)(pair.source + 64);
}

static void start(void)
{
	pair_start_atomic();
	memcpy(before, pair.source, PAIR_BYTES);
}

static void stop(void)
{
	expect_msg(!memcmp(pair.source, before, PAIR_BYTES), "not the bytes that are expected");
	pair_stop();
}

TestSuite(atomic_failure, .once = pair_open, .init = start, .fini = stop, .end = pair_close);

/*
 * An atomic writes to local memory, which needs a right (IBA 10.6.3). Nothing is sent before the
 * key is checked.
 */
Test(atomic_failure, local_key)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.target, PAIR_BYTES, 0, &mr), ==, 0);
	send_sge.lkey = xrdma_mr_key(mr);
	pair_expect_failure(XRDMA_WC_LOC_PROT_ERR);
	expect_int(pair.a.qp->sq.wqes[0].vendor_err, ==, XRDMA_V_KEY_RIGHTS);
	expect_int(pair.a.qp->row->sent_psn, ==, 0xfffff0);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

Test(atomic_failure, wrong_remote_key)
{
	send_wr.rkey ^= 1;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_ERR);
}

Test(atomic_failure, beyond_the_region)
{
	send_wr.remote_addr = (uintptr_t)pair.source + PAIR_BYTES;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(atomic_failure, region_without_remote_atomic)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.source, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
					XRDMA_ACCESS_REMOTE_READ,
				&mr),
		   ==, 0);
	send_wr.rkey = xrdma_mr_key(mr);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

Test(atomic_failure, queue_pair_without_remote_atomic)
{
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
	pair_connect(4, 1024);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

Test(atomic_failure, queue_pair_without_resources)
{
	pair.b.attr.max_dest_rd_atomic = 0;
	pair_connect(4, 1024);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

/* IBA 9.4.5: the responder refuses a misaligned address. */
Test(atomic_failure, misaligned)
{
	send_wr.remote_addr += 4;
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

/* Expect that COUNT atomics were executed, each once. */
static void expect_added(int count)
{
	pair_poll(count);
	for (int i = 0; i < count; i++)
		expect_int(send_wc[i].status, ==, XRDMA_WC_SUCCESS);
	*(__u64 *)(before + 64) += count;
	expect_int(*word(), ==, *(__u64 *)(before + 64));
	expect_int(*(__u64 *)(pair.target + 64), ==, *word() - 1);
}

/*
 * The responder notices a lost request when the next one arrives, and requests it by a NAK (IBA
 * 9.7.5.2).
 */
Test(atomic_failure, lost_request)
{
	pair.a.attr.timeout = 0; /* no timer: only the NAK helps */
	pair.a.attr.max_rd_atomic = 2;
	pair_connect(4, 1024);
	pair_lose_request();
	expect_int(pair_post(), ==, 0);
	expect_added(2);
}

/*
 * A response shows that earlier responses were lost (IBA 9.7.5.1). The requests are sent again, and
 * the peer does not execute them again (IBA 9.4.5).
 */
Test(atomic_failure, lost_responses)
{
	pair.a.attr.timeout = 0;
	pair.a.attr.max_rd_atomic = pair.b.attr.max_dest_rd_atomic = 4;
	pair_connect(4, 1024);
	for (int i = 0; i < 3; i++)
		pair_lose_response();
	expect_int(pair_post(), ==, 0);
	expect_added(4);
}

/* If the last response is lost, the timer ends, and the request is sent again. */
Test(atomic_failure, last_response_lost)
{
	pair_lose_response();
	expect_added(1);
}

/* A duplicate gets the saved result, even if the word has changed since. */
Test(atomic_failure, word_that_changes_before_the_duplicate)
{
	const __u64 found = *word();

	pair_lose_response();
	*word() = 0;
	pair_poll(1);
	expect_int(*(__u64 *)(pair.target + 64), ==, found);
	expect_int(*word(), ==, 0);
	*word() = found;
}

static void expect_stopped(enum xrdma_wc_status status, enum xrdma_verdict verdict)
{
	*(__u64 *)(before + 64) += 1;
	pair_expect_stopped(status, verdict);
}

/* The key is checked again when the response arrives. */
Test(atomic_failure, local_key_that_goes)
{
	pair_lose_response();
	side_key(&pair.a, pair.lkey)->state = XRDMA_MKEY_STATE_FREE;
	expect_stopped(XRDMA_WC_LOC_PROT_ERR, XRDMA_V_RESPONSE_KEY);
}

/*
 * IBA 9.9.2: a response to another kind of request ends the queue pair. In this test, the row
 * expects the response of a READ.
 */
Test(atomic_failure, response_of_another_kind)
{
	pair_lose_response();
	pair.a.qp->row->rd_atomic[0].response = XRDMA_OP_READ_RESPONSE;
	expect_stopped(XRDMA_WC_BAD_RESP_ERR, XRDMA_V_RESPONSE_BAD);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Events of shared receive queues (ibv_modify_srq(3), ibv_get_async_event(3)). tests/net/srq.sh
 * runs this program.
 */
#include <errno.h>
#include <fcntl.h>

#include "support/async.h"
#include "support/many.h"
#include "support/owner.h"
#include "support/test.h"

enum { LEN = 64 };

static struct xrdma_wc wc[MANY_WRS];

static void open_many(void)
{
	many_open();
	expect_int(fcntl(xrdma_async_fd(many.b.context), F_SETFL, O_NONBLOCK), ==, 0);
}

TestSuite(limit, .once = open_many, .init = many_start, .fini = many_stop, .end = many_close);

static void expect_limit(void)
{
	expect(async_expect(many.b.context, XRDMA_ASYNC_SRQ_LIMIT_REACHED).of.srq == many.srq);
}

static int set_limit(__u32 limit, unsigned int mask)
{
	const struct xrdma_srq_attr attr = { .sz = sizeof(attr), .limit = limit };

	return xrdma_srq_modify(many.srq, &attr, mask);
}

static __u32 limit(void)
{
	struct xrdma_srq_attr attr = { .sz = sizeof(attr) };

	expect_int(xrdma_srq_query(many.srq, &attr), ==, 0);
	return attr.limit;
}

static void post(int count)
{
	for (int i = 0; i < count; i++)
		expect_int(many_post_recv(i, LEN), ==, 0);
}

/* Send COUNT messages by queue pairs in turn, and poll their completions. */
static void send_some(int count)
{
	for (int i = 0; i < count; i++) {
		many_send(i % MANY, i, 0, LEN);
		many_poll(&many.a, 1, wc);
		many_poll(&many.b, 1, wc);
	}
}

/* The event comes once, when fewer receives than the limit are left. */
Test(limit, reached)
{
	post(10);
	expect_int(set_limit(4, XRDMA_SRQ_LIMIT), ==, 0);
	expect_int(limit(), ==, 4);
	send_some(6);
	async_expect_none(many.b.context);
	send_some(1);
	expect_limit();
	expect_int(limit(), ==, 0);
	send_some(3);
	async_expect_none(many.b.context);
	post(10);
	expect_int(set_limit(10, XRDMA_SRQ_LIMIT), ==, 0);
	send_some(1);
	expect_limit();
}

/* A limit that is too high for the receives that are left gives an event at once. */
Test(limit, reached_already)
{
	post(3);
	expect_int(set_limit(3, XRDMA_SRQ_LIMIT), ==, 0);
	async_expect_none(many.b.context);
	expect_int(set_limit(4, XRDMA_SRQ_LIMIT), ==, 0);
	expect_limit();
	expect_int(limit(), ==, 0);
}

Test(limit, refused)
{
	expect_int(set_limit(MANY_WRS + 1, 0), ==, 0);
	expect_error(set_limit(MANY_WRS + 1, XRDMA_SRQ_LIMIT), EINVAL, "limit 65: at most 64");
	expect_error(set_limit(1, XRDMA_SRQ_LIMIT | 1), EOPNOTSUPP, "only XRDMA_SRQ_LIMIT");
	expect_int(limit(), ==, 0);
	async_expect_none(many.b.context);
}

/* There is also an event if the program itself stops the queue pair. */
Test(limit, last_receive)
{
	const struct xrdma_qp_attr attr = { .sz = sizeof(attr), .state = XRDMA_QPS_ERR };

	expect_int(xrdma_qp_modify(many.b.qps[2], &attr, XRDMA_QP_STATE), ==, 0);
	expect(async_expect(many.b.context, XRDMA_ASYNC_QP_LAST_WQE_REACHED).of.qp ==
	       many.b.qps[2]);
	async_expect_none(many.b.context);
}

/* There is also an event if XDP has stopped the queue pair, although nobody polls. */
Test(limit, last_receive_after_an_error)
{
	post(1);
	many_send(3, 1, 0, LEN + 1);
	expect(async_expect(many.b.context, XRDMA_ASYNC_QP_LAST_WQE_REACHED).of.qp ==
	       many.b.qps[3]);
	async_expect_none(many.b.context);
	many_poll(&many.b, 1, wc);
	expect_int(wc->status, ==, XRDMA_WC_LOC_LEN_ERR);
	many_poll(&many.a, 1, wc);
}

/* Events that were not read are gone with their queue. */
Test(limit, unread)
{
	expect_int(set_limit(1, XRDMA_SRQ_LIMIT), ==, 0);
	many_stop();
	many_start();
	async_expect_none(many.b.context);
}

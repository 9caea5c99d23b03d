// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Asynchronous events of queue pairs (IBA 11.6.3; ibv_get_async_event(3)). Nobody polls while a
 * test waits for an event. tests/net/events.sh runs this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "support/async.h"
#include "support/pair.h"
#include "support/test.h"

static void open_pair(void)
{
	pair_open();
	expect_int(fcntl(xrdma_async_fd(pair.b.owner.context), F_SETFL, O_NONBLOCK), ==, 0);
	expect_int(fcntl(xrdma_async_fd(pair.a.owner.context), F_SETFL, O_NONBLOCK), ==, 0);
}

TestSuite(async, .once = open_pair, .init = pair_start, .fini = pair_stop, .end = pair_close);

/* Expect that the next event of SIDE has KIND, and is about its queue pair. Acknowledge it. */
static void expect_event(const struct side *side, enum xrdma_async_kind kind)
{
	expect(async_expect(side->owner.context, kind).of.qp == side->qp);
}

static void expect_none(const struct side *side)
{
	struct xrdma_async_event event;

	async_expect_none(side->owner.context);
	expect_error(xrdma_async_read(side->owner.context, &event), EAGAIN,
		     "no asynchronous event");
}

/* A WRITE to a wrong key stops the peer's queue pair, and no completion tells it. */
Test(async, access_error)
{
	send_wr.rkey ^= 1;
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.b, XRDMA_ASYNC_QP_ACCESS_ERR);
	expect_int(side_state(&pair.b), ==, XRDMA_QPS_ERR);
	expect_none(&pair.b);
	pair_poll(1);
	expect_none(&pair.a);
}

/* A WRITE that the queue pair does not allow is an invalid request. */
Test(async, request_error)
{
	pair.b.attr.access = 0;
	pair_connect(4, 1024);
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.b, XRDMA_ASYNC_QP_REQ_ERR);
	pair_poll(1);
}

/* If a receive completes with the error, there is no event. */
Test(async, receive_error)
{
	pair_set_send(64, 256);
	recv_sge.length = 255;
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_LEN_ERR);
	expect_none(&pair.b);
	pair_poll(1);
}

/* A program that stops its queue pair gets no event. */
Test(async, own_change)
{
	side_bring_to(&pair.b, XRDMA_QPS_RTS);
	expect_int(side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
	expect_none(&pair.b);
}

/* Bring B to RTR only, while A is in RTS. */
static void hold_in_rtr(void)
{
	pair_enter("b");
	side_bring_to(&pair.b, XRDMA_QPS_RTR);
}

/* The first message in RTR establishes the connection, once. */
Test(async, established)
{
	hold_in_rtr();
	expect_none(&pair.b);
	for (int i = 0; i < 2; i++) {
		expect_int(pair_post(), ==, 0);
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
		if (!i)
			expect_event(&pair.b, XRDMA_ASYNC_COMM_EST);
	}
	expect_none(&pair.b);
	pair_connect(4, 1024);
	expect_int(pair_post(), ==, 0); /* in RTS: no event */
	pair_poll(1);
	expect_none(&pair.b);
}

/* Take A to SQD, with an event when it is drained, or without. */
static void drain(bool notify)
{
	struct xrdma_qp_attr attr = pair.a.attr;

	attr.state = XRDMA_QPS_SQD;
	attr.en_sqd_async_notify = notify;
	expect_msg(
		!xrdma_qp_modify(pair.a.qp, &attr, XRDMA_QP_STATE | XRDMA_QP_EN_SQD_ASYNC_NOTIFY),
		"%s", xrdma_error());
}

Test(async, drained_at_once)
{
	drain(true);
	expect_event(&pair.a, XRDMA_ASYNC_SQ_DRAINED);
	expect_none(&pair.a);
}

Test(async, drained_later)
{
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	drain(true);
	expect_none(&pair.a);
	link_restore(&pair.b);
	expect_event(&pair.a, XRDMA_ASYNC_SQ_DRAINED);
	expect_none(&pair.a);
	pair_poll(1);
}

Test(async, drained_in_silence)
{
	drain(false);
	expect_none(&pair.a);
}

/* Acknowledging more events than were read is an error. */
Test(async, acknowledged_twice)
{
	struct xrdma_async_event event;

	drain(true);
	event = async_expect(pair.a.owner.context, XRDMA_ASYNC_SQ_DRAINED);
	expect_error(xrdma_async_ack(pair.a.owner.context, &event), EINVAL, "are acknowledged");
}

/* Events that were not read are gone with their queue pair. */
Test(async, unread)
{
	drain(true);
	expect(async_is_readable(pair.a.owner.context, 5000));
	side_destroy(&pair.a);
	side_create(&pair.a);
	expect_none(&pair.a);
}

static atomic_bool destroyed;

static void *destroy(void *of)
{
	(void)of;
	side_destroy(&pair.a);
	destroyed = true;
	return NULL;
}

/* A queue pair is destroyed only when its event is acknowledged. */
Test(async, destruction_waits)
{
	const struct timespec some = { .tv_nsec = 50000000 };
	struct xrdma_async_event event;
	pthread_t thread;

	drain(true);
	event = async_read(pair.a.owner.context, XRDMA_ASYNC_SQ_DRAINED);
	destroyed = false;
	expect_int(pthread_create(&thread, NULL, destroy, NULL), ==, 0);
	nanosleep(&some, NULL);
	expect(!destroyed);
	expect_int(xrdma_async_ack(pair.a.owner.context, &event), ==, 0);
	expect_int(pthread_join(thread, NULL), ==, 0);
	side_create(&pair.a);
}

static void *read_blocking(void *of)
{
	return (void *)(intptr_t)xrdma_async_read(pair.a.owner.context, of);
}

/* Without O_NONBLOCK a thread waits for an event. */
Test(async, blocking)
{
	const int fd = xrdma_async_fd(pair.a.owner.context);
	struct xrdma_async_event read;
	pthread_t thread;
	void *result;

	expect_int(fcntl(fd, F_SETFL, 0), ==, 0);
	expect_int(pthread_create(&thread, NULL, read_blocking, &read), ==, 0);
	drain(true);
	expect_int(pthread_join(thread, &result), ==, 0);
	expect_int(fcntl(fd, F_SETFL, O_NONBLOCK), ==, 0);
	expect(!result);
	expect_int(read.kind, ==, XRDMA_ASYNC_SQ_DRAINED);
	expect_int(xrdma_async_ack(pair.a.owner.context, &read), ==, 0);
}

Test(async, texts)
{
	expect(strstr(xrdma_async_str(XRDMA_ASYNC_PORT_ERR), "down"));
	expect(!strcmp(xrdma_async_str(0), "unknown event"));
}

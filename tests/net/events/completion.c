// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Events of completion channels (IBA 11.4.2.2; ibv_req_notify_cq(3), ibv_get_cq_event(3)). Nobody
 * polls while a test waits for an event. tests/net/events.sh runs this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "support/pair.h"
#include "support/test.h"

enum { LEN = 256, WAIT_MS = 5000, SHORT_MS = 30 };

static void open_pair(void)
{
	pair_open();
	pair.a.has_channel = pair.b.has_channel = true;
}

static void start(void)
{
	pair_start();
	pair_set_send(64, LEN);
	expect_int(fcntl(xrdma_comp_channel_fd(pair.a.channel), F_SETFL, O_NONBLOCK), ==, 0);
	expect_int(fcntl(xrdma_comp_channel_fd(pair.b.channel), F_SETFL, O_NONBLOCK), ==, 0);
}

static bool holds_reader; /* the reader of B's notices */

/* The test locks without regard to the order of locks: nothing else waits for this one here. */
static void hold_reader(bool hold)
{
	pthread_mutex_t *reading = &pair.b.owner.context->dispatcher.taking.mutex;

	if (hold == holds_reader)
		return;
	if (hold)
		pthread_mutex_lock(reading);
	else
		pthread_mutex_unlock(reading);
	holds_reader = hold;
}

static void stop(void)
{
	hold_reader(false);
	pair_stop();
}

TestSuite(completion, .once = open_pair, .init = start, .fini = stop, .end = pair_close);

static bool is_readable(const struct side *side, int ms)
{
	struct pollfd ready = { .fd = xrdma_comp_channel_fd(side->channel), .events = POLLIN };

	return poll(&ready, 1, ms) == 1;
}

static void expect_none(const struct side *side)
{
	struct xrdma_cq *cq;

	expect(!is_readable(side, SHORT_MS));
	expect_error(xrdma_comp_channel_read(side->channel, &cq), EAGAIN, "no event");
}

static void read_event(const struct side *side)
{
	struct xrdma_cq *cq;

	expect(is_readable(side, WAIT_MS));
	expect_int(xrdma_comp_channel_read(side->channel, &cq), ==, 0);
	expect(cq == side->cq);
}

/* Expect exactly one event, and acknowledge it. */
static void expect_event(const struct side *side)
{
	read_event(side);
	expect_int(xrdma_cq_ack_events(side->cq, 1), ==, 0);
	expect_none(side);
}

static void arm(const struct side *side, bool solicited_only)
{
	expect_int(xrdma_cq_req_notify(side->cq, solicited_only), ==, 0);
}

/* Send a message to B, with these flags besides XRDMA_SEND_SIGNALED. A polls its completion. */
static void send_message(unsigned int flags)
{
	send_wr.flags = XRDMA_SEND_SIGNALED | flags;
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

Test(completion, next)
{
	arm(&pair.b, false);
	expect_none(&pair.b);
	send_message(0);
	expect_event(&pair.b);
	pair_expect_received(XRDMA_WC_RECV, LEN);
	send_message(0);
	expect_none(&pair.b);
}

Test(completion, not_asked_for)
{
	send_message(0);
	expect_none(&pair.b);
}

/* Completions from before the call make no event. */
Test(completion, there_already)
{
	send_message(0);
	arm(&pair.b, false);
	expect_none(&pair.b);
	send_message(0);
	expect_event(&pair.b);
}

Test(completion, solicited)
{
	arm(&pair.b, true);
	send_message(0);
	expect_none(&pair.b);
	send_message(XRDMA_SEND_SOLICITED);
	expect_event(&pair.b);
}

Test(completion, solicited_immediate)
{
	arm(&pair.b, true);
	pair_set_write(64, LEN);
	send_wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
	send_message(0);
	expect_none(&pair.b);
	send_message(XRDMA_SEND_SOLICITED);
	expect_event(&pair.b);
}

/* A message of several packets is solicited by its last one. */
Test(completion, solicited_of_several_packets)
{
	arm(&pair.b, true);
	pair_set_send(0, 5000);
	send_message(XRDMA_SEND_SOLICITED);
	expect_event(&pair.b);
}

/* A request for all completions replaces one for solicited completions, but not the reverse. */
Test(completion, the_wider_request_counts)
{
	for (int first = 0; first < 2; first++) {
		arm(&pair.b, first);
		arm(&pair.b, !first);
		send_message(0);
		expect_event(&pair.b);
	}
}

/* An error counts as solicited. Here: a receive that is flushed. */
Test(completion, receive_error)
{
	expect_int(pair_post_recv(), ==, 0);
	arm(&pair.b, true);
	pair_set_write(64, LEN);
	send_wr.rkey ^= 1;
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.b);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	pair_poll(1);
}

Test(completion, of_a_request)
{
	pair_set_write(64, LEN);
	arm(&pair.a, false);
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.a);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* Requests without XRDMA_SEND_SIGNALED have no completion, and so make no event. */
Test(completion, not_signaled)
{
	pair_set_write(64, LEN);
	send_wr.flags = 0;
	arm(&pair.a, false);
	expect_int(pair_post(), ==, 0);
	expect_none(&pair.a);
	send_wr.flags = XRDMA_SEND_SIGNALED;
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.a);
	pair_poll(1);
}

Test(completion, request_with_an_error)
{
	pair_set_write(64, LEN);
	arm(&pair.a, true);
	expect_int(pair_post(), ==, 0);
	expect_none(&pair.a);
	send_wr.rkey ^= 1;
	send_wr.flags = 0;
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.a);
	pair_poll(2);
	expect_int(send_wc[1].status, ==, XRDMA_WC_REM_ACCESS_ERR);
}

/* A request of more packets than are sent at a time makes progress, although nobody polls. */
Test(completion, long_request)
{
	pair_connect(4, 256);
	pair_set_write(0, PAIR_BYTES);
	arm(&pair.a, false);
	expect_int(pair_post(), ==, 0);
	expect_event(&pair.a);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(0, PAIR_BYTES);
}

/* With a channel there is progress even if the program did not ask for an event. */
Test(completion, long_request_without_event)
{
	pair_connect(4, 256);
	pair_set_write(0, PAIR_BYTES);
	expect_int(pair_post(), ==, 0);
	for (int ms = 0; memcmp(pair.target, pair.source, PAIR_BYTES); ms++) {
		expect_int(ms, <, WAIT_MS);
		poll(NULL, 0, 1);
	}
	pair_poll(1);
}

/* A lost request is sent again, although nobody polls. */
Test(completion, lost_request)
{
	pair_set_write(64, LEN);
	arm(&pair.a, false);
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	expect_none(&pair.a);
	link_restore(&pair.b);
	expect_event(&pair.a);
	pair_poll(1);
}

/* Two events of a completion queue can wait, and are acknowledged together. */
Test(completion, two_events)
{
	for (int i = 0; i < 2; i++) {
		arm(&pair.b, false);
		send_message(0);
		pair_poll_recv(1);
	}
	read_event(&pair.b);
	read_event(&pair.b);
	expect_none(&pair.b);
	expect_error(xrdma_cq_ack_events(pair.b.cq, 3), EINVAL, "fewer than 3");
	expect_int(xrdma_cq_ack_events(pair.b.cq, 2), ==, 0);
	expect_error(xrdma_cq_ack_events(pair.b.cq, 1), EINVAL, "fewer than 1");
}

/* Events that were not read are gone with their completion queue. */
Test(completion, unread)
{
	arm(&pair.b, false);
	send_message(0);
	expect(is_readable(&pair.b, WAIT_MS));
}

static atomic_bool destroyed;

static void *destroy(void *of)
{
	(void)of;
	side_destroy(&pair.b);
	destroyed = true;
	return NULL;
}

/* A completion queue is destroyed only when its events are acknowledged. */
Test(completion, destruction_waits)
{
	const struct timespec some = { .tv_nsec = 50000000 };
	pthread_t thread;

	arm(&pair.b, false);
	send_message(0);
	read_event(&pair.b);
	destroyed = false;
	expect_int(pthread_create(&thread, NULL, destroy, NULL), ==, 0);
	nanosleep(&some, NULL);
	expect(!destroyed);
	expect_int(xrdma_cq_ack_events(pair.b.cq, 1), ==, 0);
	expect_int(pthread_join(thread, NULL), ==, 0);
	side_create(&pair.b);
}

static void *read_blocking(void *cq)
{
	return (void *)(intptr_t)xrdma_comp_channel_read(pair.b.channel, cq);
}

/* Without O_NONBLOCK a thread waits for an event. */
Test(completion, blocking)
{
	struct xrdma_cq *cq = NULL;
	pthread_t thread;
	void *result;

	expect_int(fcntl(xrdma_comp_channel_fd(pair.b.channel), F_SETFL, 0), ==, 0);
	arm(&pair.b, false);
	expect_int(pthread_create(&thread, NULL, read_blocking, &cq), ==, 0);
	send_message(0);
	expect_int(pthread_join(thread, &result), ==, 0);
	expect(!result);
	expect(cq == pair.b.cq);
	expect_int(xrdma_cq_ack_events(cq, 1), ==, 0);
}

/*
 * No event is lost if XDP finds no room for its notice. Nobody reads the ring here, until there are
 * more notices than it has room for.
 */
Test(completion, full_ring)
{
	enum { NOTICES = 140 };

	hold_reader(true);
	for (int i = 0; i < NOTICES; i++) {
		arm(&pair.b, false);
		send_message(0);
		pair_poll_recv(1);
	}
	expect(pair.b.cq->row->lost);
	hold_reader(false);
	for (int i = 0; i < 100; i++)
		read_event(&pair.b);
	expect_int(xrdma_cq_ack_events(pair.b.cq, 100), ==, 0);
	for (int i = 0; pair.b.cq->row->lost; i++) {
		expect_int(i, <, WAIT_MS);
		poll(NULL, 0, 1);
	}
}

Test(completion, refused)
{
	struct xrdma_cq_init_attr attr = { .sz = sizeof(attr), .entries = 1 };
	struct xrdma_cq *cq;

	expect_int(xrdma_cq_create(pair.a.owner.context, 1, &cq), ==, 0);
	expect_error(xrdma_cq_req_notify(cq, false), EINVAL, "no channel");
	expect_error(xrdma_cq_ack_events(cq, 1), EINVAL, "no channel");
	expect_int(xrdma_cq_destroy(cq), ==, 0);
	attr.channel = pair.b.channel;
	expect_error(xrdma_cq_create_ex(pair.a.owner.context, &attr, &cq), EINVAL,
		     "of another context");
	expect_error(xrdma_comp_channel_destroy(pair.a.channel), EBUSY, "1 completion queues");
}

Test(completion, channel_of_a_closed_context)
{
	struct xrdma_comp_channel *channel;
	struct xrdma_context *context;

	pair_enter("a");
	context = open_small("xa");
	expect_int(xrdma_comp_channel_create(context, &channel), ==, 0);
	expect_error(xrdma_context_close(context), EBUSY, "1 completion channels");
	expect_int(xrdma_comp_channel_destroy(channel), ==, 0);
	expect_int(xrdma_context_close(context), ==, 0);
}

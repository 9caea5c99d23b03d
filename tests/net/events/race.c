// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * No event is lost between xrdma_cq_req_notify() and the poll after it, while messages come at the
 * same time. tests/net/events.sh runs this with some messages. Set MESSAGES in the environment for
 * another number.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/pair.h"
#include "support/test.h"

enum { USUAL = 20000, LEN = 64, WAIT_MS = 20000, DELAY = 16384 };

static atomic_int received;
static atomic_bool failed;
static pthread_t sender;
static bool is_started;
static int messages;

static void open_pair(void)
{
	pair_open();
	pair.b.has_channel = true;
}

static void start(void)
{
	const char *number = getenv("MESSAGES");

	messages = number ? atoi(number) : USUAL;
	pair_start();
	pair_set_send(0, LEN);
}

static void join(void)
{
	if (is_started)
		pthread_join(sender, NULL);
	is_started = false;
}

/* A test that fails leaves its thread, which uses a queue pair. */
static void stop(void)
{
	failed = true;
	join();
	pair_stop();
}

TestSuite(race, .once = open_pair, .init = start, .fini = stop, .end = pair_close);

/* Send one message, and wait for its completion. Returns false after an error. */
static bool send_one(void)
{
	int count = 0;

	if (pair_post())
		return false;
	while (!count && !failed)
		count = xrdma_cq_poll(pair.a.cq, 1, send_wc);
	return count == 1 && send_wc[0].status == XRDMA_WC_SUCCESS;
}

/* Wait for a random time, of some microseconds. */
static void delay(void)
{
	for (volatile int left = random() % DELAY; left; left--)
		;
}

/* Send each message some time after the last one was received. */
static void *send_all(void *of)
{
	(void)of;
	for (int i = 0; i < messages && !failed; i++) {
		while (received < i && !failed)
			;
		delay();
		if (!send_one())
			failed = true;
	}
	return NULL;
}

/* Wait for an event of B, and acknowledge it. */
static void wait_for_event(void)
{
	struct pollfd ready = { .fd = xrdma_comp_channel_fd(pair.b.channel), .events = POLLIN };
	struct xrdma_cq *cq;

	expect_msg(poll(&ready, 1, WAIT_MS) == 1, "no event for message %d", received);
	expect_int(xrdma_comp_channel_read(pair.b.channel, &cq), ==, 0);
	expect_int(xrdma_cq_ack_events(cq, 1), ==, 0);
}

Test(race, none_lost)
{
	int waited = 0;

	expect_int(pair_post_recv(), ==, 0);
	received = 0;
	is_started = !pthread_create(&sender, NULL, send_all, NULL);
	expect(is_started);
	while (received < messages) {
		expect(!failed);
		delay();
		expect_int(xrdma_cq_req_notify(pair.b.cq, false), ==, 0);
		if (xrdma_cq_poll(pair.b.cq, 1, recv_wc) == 1) {
			expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
			expect_int(pair_post_recv(), ==, 0);
			received++;
		} else {
			wait_for_event();
			waited++;
		}
	}
	join();
	expect(!failed);
	printf("%d messages, waited %d times\n", messages, waited);
}

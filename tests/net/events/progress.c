// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Automatic progress (xrdma/context.h; fi_domain(3), FI_PROGRESS_AUTO). A posts requests, and does
 * not poll. tests/net/events.sh runs this program.
 */
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "support/pair.h"
#include "support/test.h"

static void open_pair(void)
{
	pair_open();
	pair.a.owner.context->progress = XRDMA_PROGRESS_AUTO;
}

/* Packets have 256 bytes, so that a long request has more of them than are sent at a time. */
static void start(void)
{
	pair_start();
	pair_connect(4, 256);
	pair_set_write(0, PAIR_BYTES);
}

TestSuite(progress, .once = open_pair, .init = start, .fini = pair_stop, .end = pair_close);

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Expect that all bytes arrive while nobody polls. */
static void expect_arrival(void)
{
	for (int ms = 0; memcmp(pair.target, pair.source, PAIR_BYTES); ms += 10) {
		expect_int(ms, <, 10000);
		sleep_ms(10);
	}
}

Test(progress, long_request)
{
	expect_int(pair_post(), ==, 0);
	expect_arrival();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* The program has polled, and then stops polling. */
Test(progress, after_polls)
{
	for (int i = 0; i < 3; i++) {
		pair_expect(XRDMA_WC_SUCCESS);
		expect(!pair.a.cq->row->unattended);
		pair_expect_written(0, PAIR_BYTES);
		expect_int(pair_post(), ==, 0);
		expect_arrival();
		pair_poll(1);
		pair_expect_written(0, PAIR_BYTES);
	}
}

Test(progress, lost_request)
{
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	sleep_ms(20);
	link_restore(&pair.b);
	expect_arrival();
	pair_poll(1);
}

/* The thread of the context sleeps while nothing is under way. */
Test(progress, idle)
{
	struct rusage before, after;

	expect_int(pair_post(), ==, 0);
	expect_arrival();
	pair_poll(1);
	sleep_ms(200); /* the last timer ends */
	getrusage(RUSAGE_SELF, &before);
	sleep_ms(500);
	getrusage(RUSAGE_SELF, &after);
	expect_int(after.ru_nvcsw - before.ru_nvcsw, <, 20);
}

/* Without the attribute, XDP sends no notices for a completion queue that nobody polls. */
Test(progress, manual)
{
	pair.a.owner.context->progress = XRDMA_PROGRESS_MANUAL;
	side_destroy(&pair.a);
	side_create(&pair.a);
	pair.a.owner.context->progress = XRDMA_PROGRESS_AUTO;
	pair_connect(4, 256);
	expect_int(pair_post(), ==, 0);
	sleep_ms(50);
	expect(!pair.a.cq->row->unattended);
	pair_poll(1);
	pair_expect_written(0, PAIR_BYTES);
}

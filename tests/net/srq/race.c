// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * CPUs race for the receives of a shared queue: two threads send by four queue pairs each, and the
 * XDP program runs on the CPUs of both. tests/net/srq.sh runs this with some messages. Set MESSAGES
 * in the environment for another number.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/many.h"
#include "support/test.h"

enum { USUAL = 200000, THREADS = 2, OWN = MANY / THREADS, DEPTH = 8, BATCH = 16, DEADLINE = 60 };

/* Payload of a message. */
struct message {
	__u32 number; /* counts the messages of its queue pair */
	__u32 from;
};

static __u32 per_qp;
static __u32 sent[MANY]; /* written by the thread of the queue pair */
static atomic_uint done[MANY];
static atomic_bool failed;
static pthread_t threads[THREADS];
static int started;

static void start(void)
{
	const char *messages = getenv("MESSAGES");

	per_qp = (messages ? atoi(messages) : USUAL) / MANY;
	many_start();
}

static void join(void)
{
	while (started)
		pthread_join(threads[--started], NULL);
}

/* A test that fails leaves its threads, which use the queue pairs. */
static void stop(void)
{
	failed = true;
	join();
	many_stop();
}

TestSuite(race, .once = many_open, .init = start, .fini = stop, .end = many_close);

static bool send_next(int number)
{
	const struct message message = { sent[number], number };
	const struct xrdma_sge sge = { .addr = (uintptr_t)&message, .length = sizeof(message) };
	const struct xrdma_send_wr wr = {
		.wr_id = number,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED | XRDMA_SEND_INLINE,
	};
	const struct xrdma_send_wr *bad;

	sent[number]++;
	return !xrdma_qp_post_send(many.a.qps[number], &wr, &bad);
}

/* Poll the completions of A, which may be of any thread. Returns false after an error. */
static bool poll_sends(void)
{
	struct xrdma_wc wc[BATCH];
	int count = xrdma_cq_poll(many.a.cq, BATCH, wc);

	for (int i = 0; i < count; i++) {
		if (wc[i].status != XRDMA_WC_SUCCESS)
			return false;
		done[wc[i].wr_id]++;
	}
	return count >= 0;
}

/* Send all messages of OWN queue pairs, from the one whose place is FIRST. */
static void *send_all(void *first)
{
	const int from = (const atomic_uint *)first - done;
	bool goes_on = true;

	while (goes_on && !failed) {
		goes_on = false;
		for (int i = from; i < from + OWN; i++) {
			while (sent[i] < per_qp && sent[i] - done[i] < DEPTH && !failed)
				if (!send_next(i))
					failed = true;
			goes_on |= done[i] < per_qp;
		}
		if (!poll_sends())
			failed = true;
	}
	return NULL;
}

static bool posted[MANY_WRS];
static __u32 next[MANY]; /* numbers of the next messages */

static void post(__u64 wr_id)
{
	memset(many.b.memory + wr_id * MANY_SLOT, 0xff, sizeof(struct message));
	expect_int(many_post_recv(wr_id, sizeof(struct message)), ==, 0);
	posted[wr_id] = true;
}

/*
 * Check a message of B. Its receive was posted, and is not any more. The messages of a queue pair
 * come in order, and none comes twice.
 */
static void take(const struct xrdma_wc *wc)
{
	struct message message;

	expect_int(wc->status, ==, XRDMA_WC_SUCCESS);
	expect(posted[wc->wr_id]);
	posted[wc->wr_id] = false;
	memcpy(&message, many.b.memory + wc->wr_id * MANY_SLOT, sizeof(message));
	expect_int(message.from, <, MANY);
	expect_int(wc->qpn, ==, xrdma_qp_number(many.b.qps[message.from]));
	expect_int(message.number, ==, next[message.from]);
	next[message.from]++;
}

/* Receive all messages at B. */
static void receive_all(void)
{
	const time_t deadline = time(NULL) + DEADLINE + MANY * per_qp / 10000;
	struct xrdma_wc wc[BATCH];
	int count;

	for (int i = 0; i < MANY_WRS; i++)
		post(i);
	for (__u32 got = 0; got < MANY * per_qp; got += count) {
		count = xrdma_cq_poll(many.b.cq, BATCH, wc);
		expect_int(count, >=, 0);
		for (int i = 0; i < count; i++)
			take(wc + i);
		for (int i = 0; i < count; i++)
			post(wc[i].wr_id);
		expect(time(NULL) < deadline && !failed);
	}
}

Test(race, once_each)
{
	for (; started < THREADS; started++)
		expect_int(pthread_create(&threads[started], NULL, send_all, done + started * OWN),
			   ==, 0);
	receive_all();
	join();
	expect(!failed);
	many_expect_none(&many.b);
}

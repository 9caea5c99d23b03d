// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The library's part of a receive queue: numbers of receives, in any order of completion. */
#include "queue/rq.h"

#include <stdlib.h>

#include "support/test.h"

enum { SIZE = 5, PLACES = 8, ROWS = 32 };

static struct xrdma_sge segments[ROWS];
static struct xrdma_queue_row row;
static struct xrdma_queues queues = { .rows = &row, .segments = segments };
static struct xrdma_bounces stages = STAILQ_HEAD_INITIALIZER(stages);
static struct xrdma_rq rq;

static void open_queue(bool is_shared)
{
	const struct xrdma_qp_init_attr init = { .max_recv_wr = SIZE, .max_recv_sge = 2 };

	expect_int(xrdma_rq_init(&rq, &queues, 0, init.max_recv_wr, init.max_recv_sge, is_shared),
		   ==, 0);
	xrdma_rq_start(&rq, &stages);
}

static void start(void)
{
	expect_int(xrdma_extents_init(&queues.segment_space, sizeof(segments)), ==, 0);
	open_queue(true);
}

static void stop(void)
{
	xrdma_rq_exit(&rq, &queues);
	xrdma_extents_exit(&queues.segment_space);
}

TestSuite(rq, .init = start, .fini = stop);

/* Post a receive with one segment, whose address is WR_ID. */
static void add(__u64 wr_id)
{
	struct xrdma_sge sge = { .addr = wr_id, .length = 1, .lkey = 2 };
	const struct xrdma_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };

	expect(!xrdma_ring_is_full(&rq.ring));
	xrdma_rq_add(&rq, &wr, NULL);
	xrdma_rq_publish(&rq);
}

/* Returns the number of the next receive in the ring, as XDP reads it. */
static __u32 claim(void)
{
	const __u32 *numbers = row.ring ? (const __u32 *)&segments[row.ring - 1] : NULL;
	__u32 place = row.xdp_index & row.mask;

	expect_int(row.xdp_index++, !=, row.user_index);
	return numbers ? numbers[place] : place;
}

static __u64 memory_of(__u32 number)
{
	return segments[row.first + number * row.stride].addr;
}

static void expect_complete(__u32 number, __u64 wr_id)
{
	struct xrdma_receive receive;

	expect_int(memory_of(number), ==, wr_id);
	expect(xrdma_rq_complete(&rq, number, &receive));
	expect_int(receive.wr_id, ==, wr_id);
}

Test(rq, row)
{
	expect_int(row.kind, ==, XRDMA_QUEUE_RQ);
	expect_int(row.mask, ==, PLACES - 1);
	expect_int(row.stride, ==, 2);
	expect_int(row.first - (row.ring - 1), ==, PLACES / XRDMA_NUMBERS_IN_ROW);
}

/* Replace the queue by one that belongs to one queue pair. */
static void open_own(void)
{
	xrdma_rq_exit(&rq, &queues);
	open_queue(false);
	expect_int(row.ring, ==, 0);
}

/* In a queue pair's own queue, the number of a receive is its place in the ring. */
Test(rq, own_queue_completes_in_order)
{
	open_own();
	for (__u64 i = 0; i < SIZE; i++)
		add(i);
	for (__u64 i = 0; i < 1000; i++) {
		expect_complete(claim(), i);
		add(i + SIZE);
	}
}

/* All earlier messages have ended, so the completion of a later receive is wrong. */
Test(rq, own_queue_refuses_all_but_the_oldest)
{
	struct xrdma_receive receive;
	__u32 first, second;

	open_own();
	add(0);
	add(1);
	first = claim();
	second = claim();
	expect(!xrdma_rq_complete(&rq, second, &receive));
	expect_complete(first, 0);
	expect_complete(second, 1);
}

Test(rq, own_queue_flushes_in_order)
{
	struct xrdma_receive receive;

	open_own();
	for (int i = 0; i < 3; i++)
		add(i);
	expect_complete(claim(), 0);
	for (__u64 i = 1; i < 3; i++) {
		expect(xrdma_rq_flush(&rq, &receive));
		expect_int(receive.wr_id, ==, i);
	}
	expect(!xrdma_rq_flush(&rq, &receive));
	expect(xrdma_ring_is_empty(&rq.ring));
}

/* Receives may have the same number if they are not posted at the same time. */
Test(rq, completes_in_any_order)
{
	__u32 claimed[SIZE];
	__u64 wr_id[SIZE], next = 100;

	for (int i = 0; i < SIZE; i++)
		add(wr_id[i] = next++);
	for (int i = 0; i < SIZE; i++)
		claimed[i] = claim();
	for (int turn = 0; turn < 1000; turn++) {
		int i = rand() % SIZE;

		expect(xrdma_ring_is_full(&rq.ring));
		expect_complete(claimed[i], wr_id[i]);
		add(wr_id[i] = next++);
		claimed[i] = claim();
		for (int other = 0; other < SIZE; other++)
			expect(other == i || claimed[other] != claimed[i]);
	}
}

/* A completion of a number that is not posted is ignored. */
Test(rq, refuses_what_is_not_posted)
{
	struct xrdma_receive receive;
	__u32 number;

	add(7);
	number = claim();
	expect(!xrdma_rq_complete(&rq, number ^ 1, &receive));
	expect(!xrdma_rq_complete(&rq, PLACES, &receive));
	expect(!xrdma_rq_complete(&rq, ~0U, &receive));
	expect_complete(number, 7);
	expect(!xrdma_rq_complete(&rq, number, &receive));
	expect(xrdma_ring_is_empty(&rq.ring));
}

/* IBA 10.3.1: remaining receives are flushed in the order in which they were posted. */
Test(rq, flushes_in_order)
{
	struct xrdma_receive receive;
	__u32 first, second;

	for (int i = 0; i < 3; i++)
		add(i);
	first = claim();
	second = claim();
	expect_complete(second, 1);
	add(3);
	expect_complete(first, 0);
	add(4);
	for (__u64 i = 2; i < 5; i++) {
		expect(xrdma_rq_flush(&rq, &receive));
		expect_int(receive.wr_id, ==, i);
	}
	expect(!xrdma_rq_flush(&rq, &receive));
	expect(xrdma_ring_is_empty(&rq.ring));
}

/* A receive with fewer segments than fit has none of an earlier receive. */
Test(rq, unused_segments_are_empty)
{
	struct xrdma_sge sges[] = { { .addr = 1, .length = 1 }, { .addr = 2, .length = 2 } };
	struct xrdma_recv_wr wr = { .sg_list = sges, .num_sge = 2 };
	struct xrdma_receive receive;
	__u32 number;

	for (int i = 0; i < 2 * PLACES; i++) {
		wr.num_sge = i < PLACES ? 2 : 1;
		xrdma_rq_add(&rq, &wr, NULL);
		xrdma_rq_publish(&rq);
		number = claim();
		expect_int(segments[row.first + number * 2 + 1].length, ==, i < PLACES ? 2 : 0);
		expect(xrdma_rq_complete(&rq, number, &receive));
	}
}

static void expect_refusal_after_reset(void)
{
	struct xrdma_receive receive;
	__u32 number;

	add(1);
	number = claim();
	xrdma_rq_start(&rq, &stages);
	expect(!xrdma_rq_complete(&rq, number, &receive));
}

/* A completion from before the reset is ignored. */
Test(rq, refuses_what_was_posted_before_the_reset)
{
	expect_refusal_after_reset();
}

Test(rq, own_queue_refuses_what_was_posted_before_the_reset)
{
	open_own();
	expect_refusal_after_reset();
}

/* When its queue is gone, XDP does not use the row as a queue. */
Test(rq, row_of_no_queue)
{
	xrdma_rq_exit(&rq, &queues);
	expect_int(row.kind, !=, XRDMA_QUEUE_RQ);
	open_queue(true);
}

static void expect_new_start(void)
{
	const struct xrdma_recv_wr wr = { .wr_id = 9 };
	struct xrdma_bounce stage = { .sge = { .addr = 77, .length = 3 } };

	add(1);
	xrdma_rq_add(&rq, &wr, &stage);
	xrdma_rq_publish(&rq);
	expect_int(memory_of(claim()), ==, 1);
	expect_int(memory_of(claim()), ==, 77);
	STAILQ_INIT(&stages);
	xrdma_rq_start(&rq, &stages);
	expect(STAILQ_FIRST(&stages) == &stage);
	expect(!STAILQ_NEXT(&stage, next));
	expect_int(row.user_index, ==, 0);
	for (int i = 0; i < SIZE; i++)
		add(i);
	for (int i = 0; i < SIZE; i++)
		expect_complete(claim(), i);
}

/* A reset forgets all receives, and returns their bounces. */
Test(rq, starts_anew)
{
	expect_new_start();
}

Test(rq, own_queue_starts_anew)
{
	open_own();
	expect_new_start();
}

/* A queue without receives uses no rows. */
Test(rq, without_receives)
{
	const struct xrdma_qp_init_attr init = { .max_recv_sge = 2 };
	struct xrdma_rq none;

	expect_int(xrdma_rq_init(&none, &queues, 0, init.max_recv_wr, init.max_recv_sge, true), ==,
		   0);
	xrdma_rq_start(&none, &stages);
	expect(!none.numbers && !none.sges);
	expect(xrdma_ring_is_full(&none.ring));
	xrdma_rq_exit(&none, &queues);
}

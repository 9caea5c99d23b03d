// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CMP_SWAP and FETCH_ADD over the wire. tests/net/rc.sh runs it. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

TestSuite(atomic, .once = pair_open, .init = pair_start_atomic, .fini = pair_stop,
	  .end = pair_close);

enum { MANY = 50000 };

static __u64 *at(__u8 *bytes)
{
	return (__u64 *)(bytes + 64);
}

/* Execute wr. The word at the source must change from BEFORE to AFTER, and nothing else there. */
static void expect_executed(__u64 before, __u64 after)
{
	static __u8 expected[PAIR_BYTES];

	*at(pair.source) = before;
	memcpy(expected, pair.source, PAIR_BYTES);
	*at(expected) = after;
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, expected, PAIR_BYTES));
	*at(pair.source) = before;
	pair_expect_written(64, 8);
}

static void set_cmp_swap(__u64 compare, __u64 swap)
{
	pair_set_fetch_add(64, compare);
	send_wr.opcode = XRDMA_WR_ATOMIC_CMP_AND_SWP;
	send_wr.swap = swap;
}

static const __u64 word = 0x0123456789abcdef;

Test(atomic, at_every_mtu)
{
	for (int mtu = XRDMA_MTU_MIN; mtu <= XRDMA_MTU_MAX; mtu *= 2)
		for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
			pair_connect(ip_version, mtu);
			pair_set_fetch_add(64, 0x1000000000000001);
			expect_executed(word, word + 0x1000000000000001);
			set_cmp_swap(word, 5);
			expect_executed(word, 5);
			set_cmp_swap(word + 1, 5);
			expect_executed(word, word);
		}
}

/* IBA 9.4.5: sums have 64 bits and wrap around. */
Test(atomic, sum_wraps)
{
	send_wr.compare_add = 3;
	expect_executed(~0ULL, 2);
}

Test(atomic, completion_says_what_was_done)
{
	const struct {
		enum xrdma_wr_opcode posted;
		enum xrdma_wc_opcode completed;
	} rows[] = {
		{ XRDMA_WR_ATOMIC_CMP_AND_SWP, XRDMA_WC_COMP_SWAP },
		{ XRDMA_WR_ATOMIC_FETCH_AND_ADD, XRDMA_WC_FETCH_ADD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		send_wr.opcode = rows[i].posted;
		pair_expect(XRDMA_WC_SUCCESS);
		expect_int(send_wc[0].opcode, ==, rows[i].completed);
		expect_int(send_wc[0].byte_len, ==, 8);
		expect_int(xrdma_cq_poll(pair.b.cq, 8, send_wc), ==, 0);
	}
}

Test(atomic, scatters_into_segments)
{
	struct xrdma_sge pieces[3] = { send_sge, send_sge, send_sge };

	pieces[0].length = 3;
	pieces[1].length = 0;
	pieces[2].addr += 3;
	pieces[2].length = 5;
	send_wr.sg_list = pieces;
	send_wr.num_sge = 3;
	expect_executed(word, word + 1);
}

Test(atomic, refuses_requests)
{
	for (int opcode = XRDMA_WR_ATOMIC_CMP_AND_SWP; opcode <= XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	     opcode++) {
		pair.a.attr.max_rd_atomic = 1;
		pair_connect(4, 1024);
		pair_set_fetch_add(64, 1);
		send_wr.opcode = opcode;
		for (send_sge.length = 7; send_sge.length <= 9; send_sge.length += 2)
			expect_error(pair_post(), EINVAL, "result of an atomic: must be 8");
		send_wr.num_sge = 0;
		expect_error(pair_post(), EINVAL, "result of an atomic: must be 8");
		send_wr.num_sge = 1;
		send_sge.length = 8;
		send_wr.flags |= XRDMA_SEND_INLINE;
		expect_error(pair_post(), EINVAL, "can be inline");
		send_wr.flags = XRDMA_SEND_SIGNALED;
		pair.a.attr.max_rd_atomic = 0;
		pair_connect(4, 1024);
		expect_error(pair_post(), EINVAL, "max_rd_atomic is 0");
		expect(send_bad == &send_wr);
	}
}

/* ibv_modify_qp(3): at most max_rd_atomic atomics are outstanding. */
Test(atomic, waits_for_its_turn)
{
	pair.a.attr.max_rd_atomic = 2;
	pair_connect(4, 1024);
	*at(pair.source) = 0;
	link_cut_responses(&pair.a);
	for (int i = 0; i < 3; i++)
		expect_int(pair_post(), ==, 0);
	expect_int(pair.a.qp->row->sent_psn, ==, (0xfffff0 + 2) & XRDMA_PSN_MASK);
	link_restore(&pair.a);
	pair_poll(3);
	expect_int(send_wc[2].status, ==, XRDMA_WC_SUCCESS);
	expect_int(*at(pair.source), ==, 3);
	expect_int(*at(pair.target), ==, 2);
}

/*
 * IBA 10.8.3.3: a request with FENCE begins when the atomics before it are complete. Other requests
 * do not wait.
 */
Test(atomic, fence)
{
	struct xrdma_send_wr next = { .flags = XRDMA_SEND_FENCE };

	pair.b.attr.access |= XRDMA_ACCESS_REMOTE_WRITE;
	for (int fenced = 0; fenced <= 1; fenced++) {
		pair_connect(4, 1024);
		link_cut_responses(&pair.a);
		send_wr.next = &next;
		next.flags = fenced ? XRDMA_SEND_FENCE : 0;
		expect_int(pair_post(), ==, 0);
		expect_int(pair.a.qp->row->sent_psn, ==, (0xfffff0 + 2 - fenced) & XRDMA_PSN_MASK);
	}
}

/*
 * Post MANY FETCH_ADDs of 1, as many at a time as the send queue holds. Each must return a larger
 * value than the last one.
 */
static void add_over_the_wire(void)
{
	__u64 last = 0;
	int posted = 0, polled = 0;

	while (polled < MANY) {
		while (posted < MANY && posted - polled < 4) {
			send_sge.addr = (uintptr_t)at(pair.target) + 8 * (posted++ % 4);
			expect_msg(pair_post() == 0, "%s", xrdma_error());
		}
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect(!polled || at(pair.target)[polled % 4] > last);
		last = at(pair.target)[polled++ % 4];
	}
}

static bool over;
static __u64 added;

/* Add 1 MANY times, and then until the peer is ready, too. */
static void *add_in_the_target(void *counter)
{
	for (; added < MANY || !__atomic_load_n(&over, __ATOMIC_ACQUIRE); added++)
		__atomic_fetch_add((__u64 *)counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * Atomics of XDP and of the CPU are atomic to each other: IBV_ATOMIC_GLOB of ibv_query_device(3).
 */
Test(atomic, coherent_with_the_target)
{
	pthread_t thread;

	pair.a.attr.max_rd_atomic = pair.b.attr.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX;
	pair_connect(4, 1024);
	*at(pair.source) = 0;
	expect_int(pthread_create(&thread, NULL, add_in_the_target, at(pair.source)), ==, 0);
	add_over_the_wire();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	expect_int(pthread_join(thread, NULL), ==, 0);
	expect_int(*at(pair.source), ==, MANY + added);
}

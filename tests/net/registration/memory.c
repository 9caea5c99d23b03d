// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Operations on memory that is not from xrdma_alloc(), on both sides. tests/net/rc.sh runs it. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/scattered.h"
#include "support/test.h"

/* Sizes such that no page has memory of both sides, which have different contexts. */
#define ALLOCATED (PAIR_BYTES + 2 * 4096)

static void *of_heap[2]; /* memory from xrdma_alloc() for both sides */

static __u8 zeroed[ALLOCATED], set[ALLOCATED] = { 1 };

static void open_pair(void)
{
	pair_open();
	of_heap[0] = pair.a.owner.memory;
	of_heap[1] = pair.b.owner.memory;
}

TestSuite(memory, .once = open_pair, .end = pair_close);

static void write_one(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

static void read_one(__u32 offset, __u32 len)
{
	pair_set_read(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	pair_send_once();
}

static void add_one(__u32 offset)
{
	__u64 *word = (__u64 *)(pair.source + offset), before = *word;

	pair_set_fetch_add(offset, 5);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(*word - before, ==, 5);
	expect(!memcmp(pair.target + offset, &before, sizeof(before)));
}

/* Execute every operation with A's memory MINE and B's memory THEIRS. */
static void every_operation(void *mine, void *theirs)
{
	pair.a.owner.memory = mine;
	pair.b.owner.memory = theirs;
	pair_start();
	pair_every_size(write_one);
	pair_every_size(send_one);
	pair_stop();
	pair_start_read();
	pair_every_size(read_one);
	pair_stop();
	pair_start_atomic();
	for (__u32 at = (-(uintptr_t)theirs & 7); at < PAIR_BYTES - 8; at += 4096 - 8)
		add_one(at);
	pair_stop();
}

Test(memory, of_malloc)
{
	__u8 *mine = malloc(ALLOCATED), *theirs = malloc(ALLOCATED);

	every_operation(mine + 1, theirs + 99);
	free(mine);
	free(theirs);
}

Test(memory, of_the_stack)
{
	__u8 on_stack[PAIR_BYTES];

	every_operation(of_heap[0], on_stack);
}

static bool stop;

/* Fork children again and again. Each has a copy of what THEIRS contains at some time. */
static void *keep_forking(void *theirs)
{
	intptr_t failed = 0;
	int status;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pid_t child = fork();

		if (!child) {
			memset(theirs, 1, PAIR_BYTES);
			_exit(0);
		}
		failed += waitpid(child, &status, 0) != child || status;
	}
	return (void *)failed;
}

/* Packets in both directions arrive while the process forks. */
Test(memory, forked_meanwhile)
{
	__u8 *mine = malloc(ALLOCATED), *theirs = malloc(ALLOCATED);
	pthread_t forker;
	void *failed;

	pair.a.owner.memory = mine;
	pair.b.owner.memory = theirs;
	pair_start();
	pair_set_write(0, PAIR_BYTES);
	expect_int(pthread_create(&forker, NULL, keep_forking, theirs), ==, 0);
	for (int i = 0; i < 50; i++) {
		arc4random_buf(mine, PAIR_BYTES);
		pair_expect(XRDMA_WC_SUCCESS);
		expect(!memcmp(mine, theirs, PAIR_BYTES));
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(forker, &failed);
	expect(!failed);
	pair_stop();
	free(mine);
	free(theirs);
}

Test(memory, scattered)
{
	scattered_start();
	every_operation(pair.a.owner.memory, pair.b.owner.memory);
	scattered_stop();
}

Test(memory, of_the_program)
{
	every_operation(set + 4100, zeroed + 4146);
	every_operation(zeroed + 4195, set + 4097);
}

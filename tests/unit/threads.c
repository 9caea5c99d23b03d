// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/test.h"

enum { STARTERS = 3, ROUNDS = 3000 };

static bool started;

static void *end_at_once(void *arg)
{
	return arg;
}

static void *start_threads(void *arg)
{
	pthread_t thread;

	while (__atomic_load_n(&started, __ATOMIC_RELAXED))
		if (!pthread_create(&thread, NULL, end_at_once, NULL))
			pthread_join(thread, NULL);
	return arg;
}

static void *find_own_block(void *found)
{
	const __u64 self = (uintptr_t)pthread_self();
	struct xrdma_control_block block;

	*(bool *)found = !xrdma_threads_next_block(self, &block) && block.start == self &&
			 block.thread == syscall(SYS_gettid);
	return NULL;
}

/*
 * The kernel leaves living threads out of /proc/self/task when others end while it is read. The
 * block of a living thread is found all the same.
 */
Test(threads, found_while_others_end)
{
	pthread_t starters[STARTERS], thread;
	int missed = 0;

	expect_int(xrdma_threads_open(0, 0), ==, 0);
	started = true;
	for (int i = 0; i < STARTERS; i++)
		expect_int(pthread_create(&starters[i], NULL, start_threads, NULL), ==, 0);
	for (int i = 0; i < ROUNDS; i++) {
		bool found = false;

		expect_int(pthread_create(&thread, NULL, find_own_block, &found), ==, 0);
		pthread_join(thread, NULL);
		missed += !found;
	}
	__atomic_store_n(&started, false, __ATOMIC_RELAXED);
	for (int i = 0; i < STARTERS; i++)
		pthread_join(starters[i], NULL);
	xrdma_threads_close();
	expect_int(missed, ==, 0);
}

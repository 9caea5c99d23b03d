// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/threads.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/test.h"

enum { STARTERS = 3, ROUNDS = 300 };

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
 * When others end while it is read, the kernel may leave living threads out of /proc/self/task. The
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

/* A thread that waits until it must end. */
struct waiter {
	pthread_t thread;
	int number; /* from gettid(2) */
	sem_t has_begun, is_to_end;
};

/*
 * While the list of threads is read the next TIMES, HIDDEN is missing in it. ENDING ends after the
 * list was read. Each may be NULL. FAILURE, an error (errno) or 0, is the result of reading the
 * list.
 */
static struct waiter *hidden, *ending;
static int times, failure;

static void *wait_for_end(void *arg)
{
	struct waiter *waiter = arg;

	waiter->number = syscall(SYS_gettid);
	sem_post(&waiter->has_begun);
	sem_wait(&waiter->is_to_end);
	return NULL;
}

static void begin(struct waiter *waiter)
{
	sem_init(&waiter->has_begun, 0, 0);
	sem_init(&waiter->is_to_end, 0, 0);
	expect_int(pthread_create(&waiter->thread, NULL, wait_for_end, waiter), ==, 0);
	sem_wait(&waiter->has_begun);
}

/*
 * End WAITER. The kernel still counts a thread for a moment after others have joined it. errno does
 * not change.
 */
static void end(struct waiter *waiter)
{
	const int before = errno;

	sem_post(&waiter->is_to_end);
	pthread_join(waiter->thread, NULL);
	while (!syscall(SYS_tgkill, getpid(), waiter->number, 0))
		sched_yield();
	errno = before;
}

/* Replacement for the C library's function. The library calls this one. */
struct dirent *readdir(DIR *directory)
{
	struct dirent *(*real)(DIR *) = dlsym(RTLD_NEXT, "readdir");
	struct dirent *entry = failure ? NULL : real(directory);

	if (entry && times && atoi(entry->d_name) == hidden->number)
		entry = real(directory);
	if (entry)
		return entry;
	times -= !!times;
	if (ending)
		end(ending);
	ending = NULL;
	errno = failure;
	return NULL;
}

/*
 * A list that lacks a living thread is not used. It has fewer threads than the process or, if I is
 * 1, it has a thread that has ended in place of the missing one.
 */
Tests(threads, found_though_the_list_lacks_it, 2)
{
	struct waiter living, dying;
	struct xrdma_control_block block = { 0 };

	expect_int(xrdma_threads_open(0, 0), ==, 0);
	begin(&living);
	begin(&dying);
	hidden = &living;
	times = 1;
	ending = i ? &dying : NULL;
	expect_int(xrdma_threads_next_block((uintptr_t)living.thread, &block), ==, 0);
	expect_int(times, ==, 0);
	expect_int(block.thread, ==, living.number);
	expect_int(block.start, ==, (uintptr_t)living.thread);
	end(&living);
	if (!i)
		end(&dying);
	xrdma_threads_close();
}

/* No block is found if each list lacks a thread or, if I is 1, if there is no list. */
Tests(threads, not_found_without_a_list, 2)
{
	struct waiter living;
	struct xrdma_control_block block;

	expect_int(xrdma_threads_open(0, 0), ==, 0);
	begin(&living);
	hidden = &living;
	times = i ? 0 : INT_MAX;
	failure = i ? EIO : 0;
	expect_int(xrdma_threads_next_block(0, &block), ==, i ? -EIO : -EAGAIN);
	end(&living);
	xrdma_threads_close();
}

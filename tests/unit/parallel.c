// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/parallel.h"
#include "support/test.h"

enum { MANY = 500, FEW = 9 };

struct calls {
	int each[MANY];
	int fails; /* index of the task that fails */
};

static int count_call(void *of, size_t index)
{
	struct calls *calls = of;

	__atomic_fetch_add(&calls->each[index], 1, __ATOMIC_RELAXED);
	return (int)index == calls->fails ? -EIO : 0;
}

static void expect_once(int fails, int err, size_t count)
{
	struct calls calls = { .fails = fails };

	expect_int(xrdma_parallel(count_call, &calls, count), ==, err);
	for (size_t i = 0; i < MANY; i++)
		expect_int(calls.each[i], ==, i < count);
}

Test(parallel, each_task_once)
{
	expect_once(-1, 0, 0);
	expect_once(-1, 0, 1);
	expect_once(-1, 0, FEW);
	expect_once(-1, 0, MANY);
}

Test(parallel, one_fails)
{
	expect_once(0, -EIO, 1);
	expect_once(3, -EIO, MANY);
}

static int meet(void *barrier, size_t index)
{
	(void)index;
	pthread_barrier_wait(barrier);
	return 0;
}

/* Each task waits for all others. They would never end if they ran one after the other. */
Test(parallel, side_by_side)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, FEW);
	expect_int(xrdma_parallel(meet, &barrier, FEW), ==, 0);
	pthread_barrier_destroy(&barrier);
}

/* Wait for the other tasks, so that each has a thread of its own. */
static int meet_and_look(void *barrier, size_t index)
{
	sigset_t blocked;

	meet(barrier, index);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	return gettid() != getpid() && !sigismember(&blocked, SIGTERM);
}

Test(parallel, signals_are_the_callers)
{
	pthread_barrier_t barrier;
	sigset_t blocked;

	pthread_barrier_init(&barrier, NULL, FEW);
	expect_int(xrdma_parallel(meet_and_look, &barrier, FEW), ==, 0);
	pthread_barrier_destroy(&barrier);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	expect(!sigismember(&blocked, SIGTERM));
}

static void *end_at_once(void *unused)
{
	return unused;
}

/* If no threads can be started, the caller executes all tasks. */
Test(parallel, no_threads_to_be_had)
{
	struct rlimit before, none;
	pthread_t thread;

	expect_int(getrlimit(RLIMIT_NPROC, &before), ==, 0);
	none = before;
	none.rlim_cur = 0;
	expect_int(setrlimit(RLIMIT_NPROC, &none), ==, 0);
	if (!getuid()) /* the limit does not apply to root */
		expect_int(setresuid(65534, 65534, 65534), ==, 0);
	expect_int(pthread_create(&thread, NULL, end_at_once, NULL), ==, EAGAIN);
	expect_once(-1, 0, MANY);
	setrlimit(RLIMIT_NPROC, &before); /* the sanitizer needs a thread of its own */
	prctl(PR_SET_DUMPABLE, 1);
}

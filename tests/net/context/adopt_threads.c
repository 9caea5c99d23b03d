// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Programs register memory of threads: their stacks, and the pages in which the C library keeps
 * their state. These tests run in namespace a, where xa is loaded; tests/net/context.sh runs them.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mem/adopt.h"
#include "support/mapped.h"
#include "support/test.h"

TestSuite(adopt_threads, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

enum { STACK_BYTES = 8 * PAGE };

/* Thread-local variable, just below its thread's control block. */
static __thread volatile __u8 of_thread[8];

static struct {
	pthread_t id;
	pthread_barrier_t barrier; /* the thread waits here before it ends */
	pid_t tid;
	void *variable; /* address of the thread's of_thread[] */
	void *stack;	/* STACK_BYTES of the thread's stack */
} thread;

static void *wait_twice(void *arg)
{
	volatile __u8 stack[STACK_BYTES];

	stack[0] = of_thread[0] = 1;
	thread.tid = syscall(SYS_gettid);
	thread.variable = (void *)of_thread;
	thread.stack = (void *)stack;
	pthread_barrier_wait(&thread.barrier);
	pthread_barrier_wait(&thread.barrier);
	return arg;
}

static void start_thread(void)
{
	pthread_barrier_init(&thread.barrier, NULL, 2);
	expect_int(pthread_create(&thread.id, NULL, wait_twice, NULL), ==, 0);
	pthread_barrier_wait(&thread.barrier);
}

static void expect_joined(void)
{
	struct timespec limit;

	pthread_barrier_wait(&thread.barrier);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 10;
	expect_int(pthread_timedjoin_np(thread.id, NULL, &limit), ==, 0);
}

/*
 * pthread_join(3) returns even if the thread's stack was registered, because its control block was
 * not.
 */
Test(adopt_threads, joined)
{
	struct xrdma_mr *mr;
	char text[32];

	start_thread();
	snprintf(text, sizeof(text), "state of thread %d", thread.tid);
	expect_error(xrdma_mr_reg(mapped.owner.pd, thread.variable, 1, 0, &mr), EOPNOTSUPP, text);
	mr = mapped_reg(thread.stack, STACK_BYTES);
	mapped_end(mr);
	expect_joined();
}

/* Adoption on demand leaves out the page of the control block, and takes all others. */
Test(adopt_threads, on_demand)
{
	struct xrdma_heap *heap = &mapped.owner.context->heap;
	struct xrdma_range_list adopted;
	__u64 page;

	start_thread();
	page = thread.id & -(__u64)PAGE;
	expect_int(xrdma_adopt(heap, page - 4 * PAGE, 5 * PAGE, XRDMA_ADOPT_ANY, &adopted), ==, 0);
	expect_int(adopted.count, >, 0);
	for (size_t i = 0; i < adopted.count; i++)
		expect(adopted.ranges[i].end <= page);
	xrdma_disown(&adopted);
	expect_joined();
}

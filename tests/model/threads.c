// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "life.h"
#include "others.h"
#include "plain.h"
#include "regions.h"

static void register_stack(void)
{
	__u8 bytes[4 * PAGE];
	const size_t from = below(PAGE);

	memset(bytes, below(256), sizeof(bytes));
	region_elsewhere(bytes + from, 1 + below(sizeof(bytes) - from));
}

static void *run_pthread(void *arg)
{
	register_stack();
	return arg;
}

void thread_of_pthread(void)
{
	pthread_t thread;
	const int err = pthread_create(&thread, NULL, run_pthread, NULL);

	must(!err, "pthread_create(): %s", strerror(err));
	must(!pthread_join(thread, NULL), "pthread_join()");
}

static int run_c11(void *arg)
{
	(void)arg;
	register_stack();
	return 0;
}

void thread_of_c11(void)
{
	thrd_t thread;

	must(thrd_create(&thread, run_c11, NULL) == thrd_success, "thrd_create()");
	must(thrd_join(thread, NULL) == thrd_success, "thrd_join()");
}

static sem_t expired;

static void run_timer(union sigval value)
{
	(void)value;
	register_stack();
	sem_post(&expired);
}

void thread_of_timer(void)
{
	const struct itimerspec soon = { .it_value.tv_nsec = 1000 };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = run_timer,
	};
	timer_t timer;

	must(!sem_init(&expired, 0, 0), "sem_init(): %s", strerror(errno));
	must(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create(): %s", strerror(errno));
	must(!timer_settime(timer, 0, &soon, NULL), "timer_settime(): %s", strerror(errno));
	while (sem_wait(&expired))
		;
	must(!timer_delete(timer), "timer_delete(): %s", strerror(errno));
}

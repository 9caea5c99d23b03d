// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/parallel.h"

#include "lib/thread.h"

enum { THREADS_MAX = 64 };

struct work {
	int (*task)(void *of, size_t index);
	void *of;
	size_t count, next;
	int err;
};

static void *take_tasks(void *arg)
{
	struct work *work = arg;
	size_t index;
	int err;

	while ((index = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->count) {
		err = work->task(work->of, index);
		if (err)
			__atomic_store_n(&work->err, err, __ATOMIC_RELAXED);
	}
	return NULL;
}

int xrdma_parallel(int (*task)(void *of, size_t index), void *of, size_t count)
{
	struct work work = { .task = task, .of = of, .count = count };
	pthread_t threads[THREADS_MAX];
	size_t started = 0;

	while (started < THREADS_MAX && started + 1 < count &&
	       !xrdma_thread_start(&threads[started], NULL, take_tasks, &work))
		started++;
	take_tasks(&work);
	while (started)
		pthread_join(threads[--started], NULL);
	return work.err;
}

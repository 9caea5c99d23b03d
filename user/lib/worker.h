/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A worker: a thread for tasks, one after the other, in the order of submission. Thread safe. */
#ifndef XRDMA_USER_LIB_WORKER_H
#define XRDMA_USER_LIB_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "lib/mutex.h"

struct xrdma_task {
	STAILQ_ENTRY(xrdma_task) next;
	/* Do TASK, and free it. */
	void (*run)(struct xrdma_task *task);
};

struct xrdma_worker {
	struct xrdma_mutex lock; /* protects all following fields */
	pthread_cond_t changed;
	STAILQ_HEAD(, xrdma_task) tasks;
	bool has_thread, stop;
	pthread_t thread;
};

/* Set up WORKER, without a thread. */
void xrdma_worker_init(struct xrdma_worker *worker);

/* Start the thread, unless it runs. Returns 0 or, with xrdma_error() set, -errno. */
int xrdma_worker_start(struct xrdma_worker *worker);

/* Do all tasks, end the thread, and wait for its end. */
void xrdma_worker_stop(struct xrdma_worker *worker);

/* Submit TASK to the thread, which was started. */
void xrdma_worker_submit(struct xrdma_worker *worker, struct xrdma_task *task);

#endif

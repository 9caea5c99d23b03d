// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/worker.h"

#include <string.h>

#include "lib/error.h"
#include "lib/thread.h"

void xrdma_worker_init(struct xrdma_worker *worker)
{
	xrdma_mutex_init(&worker->lock, XRDMA_RANK_WORKER);
	pthread_cond_init(&worker->changed, NULL);
	STAILQ_INIT(&worker->tasks);
}

/* Wait for a task. Returns NULL when the thread must end. The caller holds the lock. */
static struct xrdma_task *wait_for_task(struct xrdma_worker *worker)
{
	struct xrdma_task *task;

	while (STAILQ_EMPTY(&worker->tasks) && !worker->stop)
		xrdma_mutex_wait(&worker->lock, &worker->changed);
	task = STAILQ_FIRST(&worker->tasks);
	if (task)
		STAILQ_REMOVE_HEAD(&worker->tasks, next);
	return task;
}

static void *serve(void *arg)
{
	struct xrdma_worker *worker = arg;
	struct xrdma_task *task;

	xrdma_mutex_lock(&worker->lock);
	while ((task = wait_for_task(worker))) {
		xrdma_mutex_unlock(&worker->lock);
		task->run(task);
		xrdma_mutex_lock(&worker->lock);
	}
	xrdma_mutex_unlock(&worker->lock);
	return NULL;
}

int xrdma_worker_start(struct xrdma_worker *worker)
{
	int err = 0;

	xrdma_mutex_lock(&worker->lock);
	if (!worker->has_thread)
		err = xrdma_thread_start(&worker->thread, NULL, serve, worker);
	if (!err)
		worker->has_thread = true;
	xrdma_mutex_unlock(&worker->lock);
	return err ? xrdma_fail(-err, "no thread for tasks: %s", strerror(-err)) : 0;
}

void xrdma_worker_stop(struct xrdma_worker *worker)
{
	xrdma_mutex_lock(&worker->lock);
	worker->stop = true;
	pthread_cond_signal(&worker->changed);
	xrdma_mutex_unlock(&worker->lock);
	if (worker->has_thread)
		pthread_join(worker->thread, NULL);
}

void xrdma_worker_submit(struct xrdma_worker *worker, struct xrdma_task *task)
{
	xrdma_mutex_lock(&worker->lock);
	STAILQ_INSERT_TAIL(&worker->tasks, task, next);
	pthread_cond_signal(&worker->changed);
	xrdma_mutex_unlock(&worker->lock);
}

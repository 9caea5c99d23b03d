// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/eq.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "lib/mutex.h"
#include "lib/order.h"
#include "lib/thread.h"
#include "obj/context.h"

STAILQ_HEAD(tasks, xrdma_task);

struct xrdma_eq {
	struct xrdma_context *context;
	__u32 pds; /* domains that are bound to it */
	int fd;	   /* an eventfd, which counts the events */
	struct xrdma_mutex lock;
	/* What follows changes with the lock. */
	pthread_cond_t changed;
	struct tasks tasks, events;
	bool has_thread, stop;
	pthread_t thread;
};

int xrdma_eq_open(struct xrdma_context *context, struct xrdma_eq **eq)
{
	int err = xrdma_context_enter(context);

	if (err)
		return err;
	*eq = calloc(1, sizeof(**eq));
	if (!*eq)
		return xrdma_fail(ENOMEM, "no memory for an event queue");
	(*eq)->context = context;
	(*eq)->fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	if ((*eq)->fd < 0) {
		err = xrdma_fail(errno, "no file descriptor for an event queue: %s",
				 strerror(errno));
		free(*eq);
		return err;
	}
	xrdma_mutex_init(&(*eq)->lock, XRDMA_RANK_EQ);
	pthread_cond_init(&(*eq)->changed, NULL);
	STAILQ_INIT(&(*eq)->tasks);
	STAILQ_INIT(&(*eq)->events);
	xrdma_count_in(&context->eqs);
	return 0;
}

/* Of what follows, up to carry_out(), the lock is held. */

static void forget(struct tasks *events)
{
	struct xrdma_task *event = STAILQ_FIRST(events);

	STAILQ_REMOVE_HEAD(events, next);
	free(event->message);
	free(event);
}

/* The first task, when there is one; NULL: there is to be none any more. */
static struct xrdma_task *wait_for_task(struct xrdma_eq *eq)
{
	while (!eq->stop && STAILQ_EMPTY(&eq->tasks))
		xrdma_mutex_wait(&eq->lock, &eq->changed);
	return STAILQ_FIRST(&eq->tasks);
}

static void carry_out(struct xrdma_eq *eq, struct xrdma_task *task)
{
	STAILQ_REMOVE_HEAD(&eq->tasks, next);
	xrdma_mutex_unlock(&eq->lock);
	task->err = task->run(task);
	task->message = task->err ? strdup(xrdma_error()) : NULL;
	xrdma_mutex_lock(&eq->lock);
	STAILQ_INSERT_TAIL(&eq->events, task, next);
	eventfd_write(eq->fd, 1);
}

static void *serve(void *arg)
{
	struct xrdma_eq *eq = arg;
	struct xrdma_task *task;

	xrdma_mutex_lock(&eq->lock);
	while ((task = wait_for_task(eq)))
		carry_out(eq, task);
	xrdma_mutex_unlock(&eq->lock);
	return NULL;
}

int xrdma_eq_close(struct xrdma_eq *eq)
{
	int err = xrdma_context_own(eq->context);
	__u32 pds = xrdma_count(&eq->pds);

	if (err)
		return err;
	if (pds)
		return xrdma_fail(EBUSY, "%u protection domains are bound to the event queue", pds);
	xrdma_mutex_lock(&eq->lock);
	eq->stop = true;
	pthread_cond_signal(&eq->changed);
	xrdma_mutex_unlock(&eq->lock);
	if (eq->has_thread)
		pthread_join(eq->thread, NULL);
	while (!STAILQ_EMPTY(&eq->events))
		forget(&eq->events);
	close(eq->fd);
	pthread_cond_destroy(&eq->changed);
	xrdma_mutex_destroy(&eq->lock);
	xrdma_count_out(&eq->context->eqs);
	free(eq);
	return 0;
}

/* The lock is held. */
static int start_thread(struct xrdma_eq *eq)
{
	int err = eq->has_thread ? 0 : xrdma_thread_start(&eq->thread, NULL, serve, eq);

	if (err)
		return xrdma_fail(-err, "no thread for an event queue: %s", strerror(-err));
	eq->has_thread = true;
	return 0;
}

int xrdma_eq_join(struct xrdma_eq *eq, const struct xrdma_context *context)
{
	int err;

	if (eq->context != context)
		return xrdma_fail(EINVAL, "the event queue is of another context");
	xrdma_mutex_lock(&eq->lock);
	err = start_thread(eq);
	if (!err)
		xrdma_count_in(&eq->pds);
	xrdma_mutex_unlock(&eq->lock);
	return err;
}

void xrdma_eq_submit(struct xrdma_eq *eq, struct xrdma_task *task)
{
	xrdma_mutex_lock(&eq->lock);
	STAILQ_INSERT_TAIL(&eq->tasks, task, next);
	pthread_cond_signal(&eq->changed);
	xrdma_mutex_unlock(&eq->lock);
}

void xrdma_eq_leave(struct xrdma_eq *eq)
{
	xrdma_count_out(&eq->pds);
}

/* Whether the oldest event is an error, as is asked for. Of what follows the lock is held. */
static int check_oldest(struct xrdma_eq *eq, bool error)
{
	const struct xrdma_task *oldest = STAILQ_FIRST(&eq->events);

	if (!oldest)
		return xrdma_fail(EAGAIN, "there is no event");
	if (oldest->err && !error)
		return xrdma_fail(XRDMA_EAVAIL, "an error is to be read: xrdma_eq_readerr()");
	if (!oldest->err && error)
		return xrdma_fail(EAGAIN, "the oldest event is not an error: xrdma_eq_read()");
	return 0;
}

static void take_oldest(struct xrdma_eq *eq, __u64 flags)
{
	eventfd_t one;

	if (flags & XRDMA_PEEK)
		return;
	eventfd_read(eq->fd, &one);
	forget(&eq->events);
}

static int check_flags(struct xrdma_eq *eq, __u64 flags)
{
	if (flags & ~XRDMA_PEEK)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown", flags & ~XRDMA_PEEK);
	return xrdma_context_own(eq->context);
}

static int check_room(size_t len)
{
	return len < sizeof(struct xrdma_eq_entry)
		       ? xrdma_fail(XRDMA_ETOOSMALL, "%zu bytes for an event of %zu", len,
				    sizeof(struct xrdma_eq_entry))
		       : 0;
}

ssize_t xrdma_eq_read(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len, __u64 flags)
{
	int err = check_flags(eq, flags);

	if (err)
		return err;
	xrdma_mutex_lock(&eq->lock);
	err = check_oldest(eq, false) ?: check_room(len);
	if (!err) {
		*event = STAILQ_FIRST(&eq->events)->event;
		memcpy(buf, &STAILQ_FIRST(&eq->events)->entry, sizeof(struct xrdma_eq_entry));
		take_oldest(eq, flags);
	}
	xrdma_mutex_unlock(&eq->lock);
	return err ?: (ssize_t)sizeof(struct xrdma_eq_entry);
}

ssize_t xrdma_eq_readerr(struct xrdma_eq *eq, struct xrdma_eq_err_entry *entry, __u64 flags)
{
	int err = check_flags(eq, flags);
	const struct xrdma_task *oldest;

	if (err)
		return err;
	xrdma_mutex_lock(&eq->lock);
	err = check_oldest(eq, true);
	if (!err) {
		oldest = STAILQ_FIRST(&eq->events);
		*entry = (struct xrdma_eq_err_entry){
			.fid = oldest->entry.fid,
			.context = oldest->entry.context,
			.data = oldest->entry.data,
			.err = -oldest->err,
			.prov_errno = -oldest->err,
		};
		xrdma_fail(entry->err, "%s", oldest->message ?: strerror(entry->err));
		take_oldest(eq, flags);
	}
	xrdma_mutex_unlock(&eq->lock);
	return err ?: (ssize_t)sizeof(*entry);
}

/* Returns 0: there was an event, which somebody else may have taken. */
static int wait_for_event(const struct xrdma_eq *eq, __u64 until)
{
	struct pollfd ready = { .fd = eq->fd, .events = POLLIN };

	switch (poll(&ready, 1, xrdma_ms_until(until))) {
	case 1:
		return 0;
	case 0:
		return xrdma_fail(EAGAIN, "there was no event in time");
	default:
		return xrdma_fail(errno, "cannot wait for an event: %s", strerror(errno));
	}
}

ssize_t xrdma_eq_sread(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len, int timeout,
		       __u64 flags)
{
	const __u64 until =
		timeout < 0 ? XRDMA_NEVER : xrdma_now() + (__u64)timeout * XRDMA_NS_PER_MS;
	ssize_t got;
	int err;

	do {
		got = xrdma_eq_read(eq, event, buf, len, flags);
		if (got != -EAGAIN)
			return got;
		err = wait_for_event(eq, until);
	} while (!err);
	return err;
}

int xrdma_eq_fd(const struct xrdma_eq *eq)
{
	return eq->fd;
}

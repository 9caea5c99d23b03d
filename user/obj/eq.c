// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/eq.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "lib/mutex.h"
#include "obj/context.h"

struct xrdma_eq {
	struct xrdma_context *context;
	__u32 users; /* number of objects that are bound to it */
	int fd;	     /* eventfd that counts the events */
	struct xrdma_mutex lock;
	STAILQ_HEAD(, xrdma_event) events; /* protected by LOCK; oldest first */
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
	STAILQ_INIT(&(*eq)->events);
	xrdma_count_in(&context->eqs);
	return 0;
}

/* The lock is held. */
static void drop_oldest(struct xrdma_eq *eq)
{
	struct xrdma_event *event = STAILQ_FIRST(&eq->events);

	STAILQ_REMOVE_HEAD(&eq->events, next);
	free(event->message);
	free(event);
}

int xrdma_eq_close(struct xrdma_eq *eq)
{
	int err = xrdma_context_own(eq->context);
	__u32 users = xrdma_count(&eq->users);

	if (err)
		return err;
	if (users)
		return xrdma_fail(EBUSY, "%u objects are bound to the event queue", users);
	xrdma_mutex_lock(&eq->lock); /* waits for threads in xrdma_eq_add() */
	while (!STAILQ_EMPTY(&eq->events))
		drop_oldest(eq);
	xrdma_mutex_unlock(&eq->lock);
	close(eq->fd);
	xrdma_mutex_destroy(&eq->lock);
	xrdma_count_out(&eq->context->eqs);
	free(eq);
	return 0;
}

int xrdma_eq_bind(struct xrdma_eq_link *link, const struct xrdma_context *context,
		  struct xrdma_eq *eq)
{
	struct xrdma_eq *none = NULL;

	if (eq->context != context)
		return xrdma_fail(EINVAL, "the event queue is of another context");
	xrdma_count_in(&eq->users);
	if (__atomic_compare_exchange_n(&link->eq, &none, eq, false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return 0;
	xrdma_count_out(&eq->users);
	return xrdma_fail(EBUSY, "the object is bound to an event queue already");
}

void xrdma_eq_unbind(struct xrdma_eq_link *link)
{
	if (link->eq)
		xrdma_count_out(&link->eq->users);
	link->eq = NULL;
}

void xrdma_eq_add(struct xrdma_eq *eq, struct xrdma_event *event, __u32 *users)
{
	xrdma_mutex_lock(&eq->lock);
	STAILQ_INSERT_TAIL(&eq->events, event, next);
	eventfd_write(eq->fd, 1);
	if (users)
		xrdma_count_out(users);
	xrdma_mutex_unlock(&eq->lock);
}

static int check_flags(struct xrdma_eq *eq, __u64 flags, __u64 known)
{
	if (flags & ~known)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown", flags & ~known);
	return xrdma_context_own(eq->context);
}

ssize_t xrdma_eq_post(struct xrdma_eq *eq, __u32 event, const void *buf, size_t len, __u64 flags)
{
	struct xrdma_event *posted;
	int err = check_flags(eq, flags, 0);

	if (err)
		return err;
	if (len > XRDMA_EQ_POST_MAX)
		return xrdma_fail(EINVAL, "an event of %zu bytes: at most %d", len,
				  XRDMA_EQ_POST_MAX);
	posted = malloc(sizeof(*posted) + len);
	if (!posted)
		return xrdma_fail(ENOMEM, "no memory for an event");
	*posted = (struct xrdma_event){ .number = event, .len = len };
	if (len)
		memcpy(&posted->entry, buf, len);
	xrdma_eq_add(eq, posted, NULL);
	return len;
}

/*
 * Check the oldest event. Returns 0 if there is one and if it is an error or not, as ERROR says.
 * This function, and those that follow up to check_room(), need the lock.
 */
static int check_oldest(struct xrdma_eq *eq, bool error)
{
	const struct xrdma_event *oldest = STAILQ_FIRST(&eq->events);

	if (!oldest)
		return xrdma_fail(EAGAIN, "there is no event");
	if (oldest->err && !error)
		return xrdma_fail(XRDMA_EAVAIL, "an error comes first: call xrdma_eq_readerr()");
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
	drop_oldest(eq);
}

static int check_room(const struct xrdma_eq *eq, size_t len)
{
	const struct xrdma_event *oldest = STAILQ_FIRST(&eq->events);

	return len < oldest->len ? xrdma_fail(XRDMA_ETOOSMALL, "%zu bytes for an event of %zu", len,
					      oldest->len)
				 : 0;
}

ssize_t xrdma_eq_read(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len, __u64 flags)
{
	int err = check_flags(eq, flags, XRDMA_PEEK);
	const struct xrdma_event *oldest;
	ssize_t read;

	if (err)
		return err;
	xrdma_mutex_lock(&eq->lock);
	read = check_oldest(eq, false) ?: check_room(eq, len);
	if (!read) {
		oldest = STAILQ_FIRST(&eq->events);
		*event = oldest->number;
		read = oldest->len;
		if (read)
			memcpy(buf, &oldest->entry, read);
		take_oldest(eq, flags);
	}
	xrdma_mutex_unlock(&eq->lock);
	return read;
}

ssize_t xrdma_eq_readerr(struct xrdma_eq *eq, struct xrdma_eq_err_entry *entry, __u64 flags)
{
	int err = check_flags(eq, flags, XRDMA_PEEK);
	const struct xrdma_event *oldest;

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

/*
 * Wait for an event until the time UNTIL. Returns 0 if there was one. Another thread may have read
 * it since.
 */
static int wait_for_event(const struct xrdma_eq *eq, __u64 until)
{
	struct pollfd ready = { .fd = eq->fd, .events = POLLIN };

	switch (poll(&ready, 1, xrdma_ms_until(until))) {
	case 1:
		return 0;
	case 0:
		return xrdma_fail(EAGAIN, "no event came in time");
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

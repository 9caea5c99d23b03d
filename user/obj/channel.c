// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

int xrdma_channel_open(struct xrdma_channel *channel)
{
	channel->fd = eventfd(0, EFD_CLOEXEC);
	if (channel->fd < 0)
		return -errno;
	channel->is_marked = false;
	xrdma_mutex_init(&channel->lock, XRDMA_RANK_CHANNEL);
	pthread_cond_init(&channel->acknowledged, NULL);
	TAILQ_INIT(&channel->events);
	return 0;
}

void xrdma_channel_close(struct xrdma_channel *channel)
{
	close(channel->fd);
}

/*
 * Make the file descriptor readable while there are events. It is read without waiting, whatever
 * its mode is, because the application may have read it, too. The lock is held.
 */
static void mark(struct xrdma_channel *channel)
{
	const bool marked = !TAILQ_EMPTY(&channel->events);
	eventfd_t value;
	const struct iovec part = { &value, sizeof(value) };

	if (marked && !channel->is_marked)
		eventfd_write(channel->fd, 1);
	if (!marked && channel->is_marked)
		preadv2(channel->fd, &part, 1, -1, RWF_NOWAIT);
	channel->is_marked = marked;
}

/* Returns the event of SOURCE that has KIND, or an unused one. The lock is held. */
static struct xrdma_channel_event *event_of(struct xrdma_channel_source *source, int kind)
{
	struct xrdma_channel_event *event, *unused = NULL;

	for (int i = 0; i < XRDMA_CHANNEL_KINDS; i++) {
		event = &source->events[i];
		if (event->count && event->kind == kind)
			return event;
		if (!event->count)
			unused = event;
	}
	return unused;
}

void xrdma_channel_add(struct xrdma_channel *channel, struct xrdma_channel_source *source, int kind)
{
	struct xrdma_channel_event *event;

	xrdma_mutex_lock(&channel->lock);
	event = event_of(source, kind);
	if (!event->count++) {
		event->source = source;
		event->kind = kind;
		TAILQ_INSERT_TAIL(&channel->events, event, next);
	}
	mark(channel);
	xrdma_mutex_unlock(&channel->lock);
}

/* Take the oldest event: *KIND of *OBJECT. Returns false if there is none. */
static bool take(struct xrdma_channel *channel, int *kind, void **object)
{
	struct xrdma_channel_event *event;

	xrdma_mutex_lock(&channel->lock);
	event = TAILQ_FIRST(&channel->events);
	if (event) {
		TAILQ_REMOVE(&channel->events, event, next);
		if (--event->count) /* those of other kinds come first */
			TAILQ_INSERT_TAIL(&channel->events, event, next);
		event->source->unacknowledged++;
		*kind = event->kind;
		*object = event->source->object;
		mark(channel);
	}
	xrdma_mutex_unlock(&channel->lock);
	return event;
}

int xrdma_channel_read(struct xrdma_channel *channel, int *kind, void **object)
{
	struct pollfd ready = { .fd = channel->fd, .events = POLLIN };

	while (!take(channel, kind, object)) {
		if (fcntl(channel->fd, F_GETFL) & O_NONBLOCK)
			return -EAGAIN;
		if (poll(&ready, 1, -1) < 0)
			return -errno;
	}
	return 0;
}

int xrdma_channel_acknowledge(struct xrdma_channel *channel, struct xrdma_channel_source *source,
			      __u32 count)
{
	int err = 0;

	xrdma_mutex_lock(&channel->lock);
	if (count > source->unacknowledged)
		err = -EINVAL;
	else
		source->unacknowledged -= count;
	pthread_cond_broadcast(&channel->acknowledged);
	xrdma_mutex_unlock(&channel->lock);
	return err;
}

void xrdma_channel_leave(struct xrdma_channel *channel, struct xrdma_channel_source *source)
{
	struct xrdma_channel_event *event;

	xrdma_mutex_lock(&channel->lock);
	for (int i = 0; i < XRDMA_CHANNEL_KINDS; i++) {
		event = &source->events[i];
		if (event->count)
			TAILQ_REMOVE(&channel->events, event, next);
		event->count = 0;
	}
	mark(channel);
	while (source->unacknowledged)
		xrdma_mutex_wait(&channel->lock, &channel->acknowledged);
	xrdma_mutex_unlock(&channel->lock);
}

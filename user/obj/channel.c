// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/channel.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

int xrdma_channel_open(struct xrdma_channel *channel)
{
	channel->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	if (channel->fd < 0)
		return -errno;
	xrdma_mutex_init(&channel->lock, XRDMA_RANK_CHANNEL);
	pthread_cond_init(&channel->acknowledged, NULL);
	TAILQ_INIT(&channel->events);
	return 0;
}

void xrdma_channel_close(struct xrdma_channel *channel)
{
	close(channel->fd);
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
	eventfd_write(channel->fd, 1);
	xrdma_mutex_unlock(&channel->lock);
}

/* Take the oldest event. Returns NULL if there is none. The lock is held. */
static struct xrdma_channel_event *take(struct xrdma_channel *channel)
{
	struct xrdma_channel_event *event = TAILQ_FIRST(&channel->events);

	if (!event)
		return NULL;
	TAILQ_REMOVE(&channel->events, event, next);
	if (--event->count) /* those of other kinds come first */
		TAILQ_INSERT_TAIL(&channel->events, event, next);
	event->source->unacknowledged++;
	return event;
}

/*
 * The file descriptor counts the events, so each read of it allows to take one. There is none if
 * its object left in the meantime.
 */
int xrdma_channel_read(struct xrdma_channel *channel, int *kind, void **object)
{
	const struct xrdma_channel_event *event;
	eventfd_t one;

	for (;;) {
		if (eventfd_read(channel->fd, &one))
			return -errno;
		xrdma_mutex_lock(&channel->lock);
		event = take(channel);
		if (event) {
			*kind = event->kind;
			*object = event->source->object;
		}
		xrdma_mutex_unlock(&channel->lock);
		if (event)
			return 0;
	}
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

/*
 * Subtract COUNT from the file descriptor, without waiting, whatever its mode is. If it counts
 * less, threads have read it that will find no event, and read it again.
 */
static void subtract(const struct xrdma_channel *channel, __u32 count)
{
	eventfd_t one;
	const struct iovec part = { &one, sizeof(one) };

	while (count && preadv2(channel->fd, &part, 1, -1, RWF_NOWAIT) == sizeof(one))
		count--;
}

void xrdma_channel_leave(struct xrdma_channel *channel, struct xrdma_channel_source *source)
{
	struct xrdma_channel_event *event;

	xrdma_mutex_lock(&channel->lock);
	for (int i = 0; i < XRDMA_CHANNEL_KINDS; i++) {
		event = &source->events[i];
		if (event->count)
			TAILQ_REMOVE(&channel->events, event, next);
		subtract(channel, event->count);
		event->count = 0;
	}
	while (source->unacknowledged)
		xrdma_mutex_wait(&channel->lock, &channel->acknowledged);
	xrdma_mutex_unlock(&channel->lock);
}

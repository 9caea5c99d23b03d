/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Channels: queues of events that an application reads and acknowledges, as ibv_get_cq_event(3) and
 * ibv_get_async_event(3). An event is a member of its object, so adding one never fails. An object
 * is destroyed only after all its events that were read are acknowledged. Thread safe.
 */
#ifndef XRDMA_USER_OBJ_CHANNEL_H
#define XRDMA_USER_OBJ_CHANNEL_H

#include <linux/types.h>
#include <sys/queue.h>

#include "lib/mutex.h"

enum { XRDMA_CHANNEL_KINDS = 6 }; /* kinds of events that one object has */

/* An event of one kind, which can be read COUNT times. */
struct xrdma_channel_event {
	struct xrdma_channel_source *source;
	int kind;
	__u32 count;
	TAILQ_ENTRY(xrdma_channel_event) next;
};

/* Member of an object with events. The lock of the channel protects it. */
struct xrdma_channel_source {
	void *object;
	__u32 unacknowledged; /* number of events that were read and are not acknowledged */
	struct xrdma_channel_event events[XRDMA_CHANNEL_KINDS];
};

struct xrdma_channel {
	int fd;		/* eventfd: readable while there are events */
	bool is_marked; /* FD was written, and not read since */
	struct xrdma_mutex lock;
	pthread_cond_t acknowledged;
	TAILQ_HEAD(, xrdma_channel_event) events; /* oldest first */
};

/* Returns 0 or -errno. */
int xrdma_channel_open(struct xrdma_channel *channel);

/* Close CHANNEL, which has no events. A child of fork() may close its parent's channel, too. */
void xrdma_channel_close(struct xrdma_channel *channel);

/* Add an event of SOURCE. */
void xrdma_channel_add(struct xrdma_channel *channel, struct xrdma_channel_source *source,
		       int kind);

/*
 * Read the oldest event: *KIND of *OBJECT. Waits for one, unless the file descriptor is O_NONBLOCK.
 * Returns 0 or -errno: -EAGAIN (there is none), -EINTR.
 */
int xrdma_channel_read(struct xrdma_channel *channel, int *kind, void **object);

/* Acknowledge COUNT events of SOURCE. Returns 0 or -EINVAL if fewer of them were read. */
int xrdma_channel_acknowledge(struct xrdma_channel *channel, struct xrdma_channel_source *source,
			      __u32 count);

/*
 * Remove the events of SOURCE that were not read, and wait until those that were read are
 * acknowledged. Nobody adds any of them any more. The caller holds no lock.
 */
void xrdma_channel_leave(struct xrdma_channel *channel, struct xrdma_channel_source *source);

#endif

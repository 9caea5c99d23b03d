// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/mutex.h"

#ifdef XRDMA_CHECK_LOCKS

#include <stdio.h>
#include <stdlib.h>

static const char *const names[XRDMA_RANKS] = {
	[XRDMA_RANK_FORK] = "the list of contexts",
	[XRDMA_RANK_WORKER] = "the tasks of a worker",
	[XRDMA_RANK_REFRESHING] = "a region that is refreshed",
	[XRDMA_RANK_QUEUES] = "the completion queues",
	[XRDMA_RANK_QP] = "a queue pair",
	[XRDMA_RANK_CQ] = "a completion queue",
	[XRDMA_RANK_EQ] = "an event queue",
	[XRDMA_RANK_CHANNEL] = "a channel of events",
	[XRDMA_RANK_SOURCES] = "the queues with events",
	[XRDMA_RANK_SRQ] = "a shared receive queue",
	[XRDMA_RANK_NOTICES] = "the reader of notices",
	[XRDMA_RANK_FAULTS] = "the buffers of faults",
	[XRDMA_RANK_KEYS] = "the keys",
	[XRDMA_RANK_USER_KEYS] = "the map of requested keys",
	[XRDMA_RANK_CACHE] = "the ranges that stay adopted",
	[XRDMA_RANK_ADOPTED] = "adopted memory",
	[XRDMA_RANK_HEAP] = "a heap that grows",
	[XRDMA_RANK_TABLE] = "a table",
	[XRDMA_RANK_TRANSMIT] = "the socket for packets",
	[XRDMA_RANK_BURSTS] = "the free bursts",
	[XRDMA_RANK_DEVICE] = "the list of locked devices",
};

/* Locks of this thread, newest first. It is one pointer, to keep thread-local storage small. */
static _Thread_local struct xrdma_ranked *held;

static void stop(const char *what, const struct xrdma_ranked *lock,
		 const struct xrdma_ranked *other)
{
	fprintf(stderr, "xrdma: this thread %s the lock of %s and holds the lock of %s\n", what,
		names[lock->rank], names[other->rank]);
	abort();
}

/*
 * Returns whether a thread may lock several locks of RANK: only if it has locked the list of
 * contexts.
 */
static bool may_take_several(enum xrdma_rank rank)
{
	const struct xrdma_ranked *other = held;

	while (other && other->rank != XRDMA_RANK_FORK)
		other = other->next;
	return other && rank == XRDMA_RANK_KEYS;
}

void xrdma_rank_check(struct xrdma_ranked *lock)
{
	for (const struct xrdma_ranked *other = held; other; other = other->next)
		if (other == lock || other->rank > lock->rank ||
		    (other->rank == lock->rank && !may_take_several(lock->rank)))
			stop("waits for", lock, other);
}

void xrdma_rank_check_alone(struct xrdma_ranked *lock)
{
	for (const struct xrdma_ranked *other = held; other; other = other->next)
		if (other != lock)
			stop("sleeps with", lock, other);
}

void xrdma_rank_taken(struct xrdma_ranked *lock)
{
	lock->next = held;
	held = lock;
}

void xrdma_rank_released(struct xrdma_ranked *lock)
{
	struct xrdma_ranked **at = &held;

	while (*at && *at != lock)
		at = &(*at)->next;
	if (!*at) {
		fprintf(stderr, "xrdma: this thread releases the lock of %s without holding it\n",
			names[lock->rank]);
		abort();
	}
	*at = lock->next;
}

void xrdma_rank_forget(void)
{
	held = NULL;
}

#endif

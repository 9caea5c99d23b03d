/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The library's locks, and the order in which a thread takes them. Each lock has a rank. A thread
 * that holds a lock waits only for locks of a later rank, so no two threads wait for each other.
 * Builds with -DXRDMA_CHECK_LOCKS, such as the sanitized ones, check this: a program that breaks
 * the rule is aborted, and the message names both locks.
 */
#ifndef XRDMA_USER_LIB_MUTEX_H
#define XRDMA_USER_LIB_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* Ranks, in the order of locking. */
enum xrdma_rank {
	XRDMA_RANK_WORKER,     /* tasks of a worker (lib/worker.h) */
	XRDMA_RANK_REFRESHING, /* a region, during xrdma_mr_refresh() */
	XRDMA_RANK_QUEUES,     /* completion queues of a context (queue/queues.h) */
	XRDMA_RANK_QP,	       /* a queue pair */
	XRDMA_RANK_SRQ,	       /* a shared receive queue */
	XRDMA_RANK_NOTICES,    /* reader of a context's notices (obj/dispatch.h) */
	XRDMA_RANK_SOURCES,    /* queues of a context that have events (queue/queues.h) */
	XRDMA_RANK_CQ,	       /* a completion queue */
	XRDMA_RANK_RQ,	       /* a receive queue */
	XRDMA_RANK_EQ,	       /* an event queue */
	XRDMA_RANK_CHANNEL,    /* a channel of events (obj/channel.h) */
	XRDMA_RANK_FAULTS,     /* buffers of a context with demand paging */
	XRDMA_RANK_FORK,       /* the list of contexts (key/fork.h) */
	XRDMA_RANK_KEYS,       /* a context's keys (key/key.h) */
	XRDMA_RANK_USER_KEYS,  /* user keys of a context (key/user_keys.h) */
	XRDMA_RANK_CACHE,      /* registration cache (mem/cache.h) */
	XRDMA_RANK_ADOPTED,    /* the process's memory in heaps (mem/adopt.h) */
	XRDMA_RANK_HEAP,       /* a heap, while it grows */
	XRDMA_RANK_TABLE,      /* free rows of a table (lib/rows.h, lib/extents.h) */
	XRDMA_RANK_TRANSMIT,   /* the socket for packets (net/transmit.h) */
	XRDMA_RANK_BURSTS,     /* free bursts of a context (net/burst.h) */
	XRDMA_RANK_DEVICE,     /* devices that this process has locked (dev/lock.h) */
	XRDMA_RANKS,
};

struct xrdma_ranked {
	enum xrdma_rank rank;
	struct xrdma_ranked *next; /* list of the locks that one thread holds */
};

/* A lock that may be held during system calls. */
struct xrdma_mutex {
	pthread_mutex_t mutex;
	struct xrdma_ranked ranked;
};

/* A lock that is held for a few steps only. */
struct xrdma_spin {
	pthread_spinlock_t spin;
	struct xrdma_ranked ranked;
};

#define XRDMA_MUTEX(rank_)                                                       \
	{                                                                        \
		.mutex = PTHREAD_MUTEX_INITIALIZER, .ranked = {.rank = (rank_) } \
	}

#ifdef XRDMA_CHECK_LOCKS
/*
 * Announce that this thread will wait for LOCK. Aborts the program if the order of ranks forbids
 * it.
 */
void xrdma_rank_check(struct xrdma_ranked *lock);

/*
 * Announce that this thread will wait for a condition. Aborts the program if it holds a lock
 * besides LOCK.
 */
void xrdma_rank_check_alone(struct xrdma_ranked *lock);

void xrdma_rank_taken(struct xrdma_ranked *lock);
void xrdma_rank_released(struct xrdma_ranked *lock);

/*
 * Forget the locks of this thread, the only one of a child, which has initialized all locks anew.
 */
void xrdma_rank_forget(void);
#else
static inline void xrdma_rank_check(struct xrdma_ranked *lock)
{
	(void)lock;
}

static inline void xrdma_rank_check_alone(struct xrdma_ranked *lock)
{
	(void)lock;
}

static inline void xrdma_rank_taken(struct xrdma_ranked *lock)
{
	(void)lock;
}

static inline void xrdma_rank_released(struct xrdma_ranked *lock)
{
	(void)lock;
}

static inline void xrdma_rank_forget(void)
{
}
#endif

static inline void xrdma_mutex_init(struct xrdma_mutex *mutex, enum xrdma_rank rank)
{
	pthread_mutex_init(&mutex->mutex, NULL);
	mutex->ranked.rank = rank;
}

static inline void xrdma_mutex_destroy(struct xrdma_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->mutex);
}

static inline void xrdma_mutex_lock(struct xrdma_mutex *mutex)
{
	xrdma_rank_check(&mutex->ranked);
	pthread_mutex_lock(&mutex->mutex);
	xrdma_rank_taken(&mutex->ranked);
}

/*
 * Try to lock MUTEX, without waiting, so that any order is allowed. Returns whether it is locked.
 */
static inline bool xrdma_mutex_trylock(struct xrdma_mutex *mutex)
{
	bool taken = !pthread_mutex_trylock(&mutex->mutex);

	if (taken)
		xrdma_rank_taken(&mutex->ranked);
	return taken;
}

static inline void xrdma_mutex_unlock(struct xrdma_mutex *mutex)
{
	xrdma_rank_released(&mutex->ranked);
	pthread_mutex_unlock(&mutex->mutex);
}

/* Wait for CONDITION, as pthread_cond_wait(3) does. The caller holds MUTEX and no other lock. */
static inline void xrdma_mutex_wait(struct xrdma_mutex *mutex, pthread_cond_t *condition)
{
	xrdma_rank_check_alone(&mutex->ranked);
	pthread_cond_wait(condition, &mutex->mutex);
}

static inline void xrdma_spin_init(struct xrdma_spin *spin, enum xrdma_rank rank)
{
	pthread_spin_init(&spin->spin, PTHREAD_PROCESS_PRIVATE);
	spin->ranked.rank = rank;
}

static inline void xrdma_spin_lock(struct xrdma_spin *spin)
{
	xrdma_rank_check(&spin->ranked);
	pthread_spin_lock(&spin->spin);
	xrdma_rank_taken(&spin->ranked);
}

static inline void xrdma_spin_unlock(struct xrdma_spin *spin)
{
	xrdma_rank_released(&spin->ranked);
	pthread_spin_unlock(&spin->spin);
}

#endif

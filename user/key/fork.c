// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/fork.h"

#include <pthread.h>

#include "lib/mutex.h"
#include "lib/order.h"
#include "mem/adopt.h"
#include "mem/cache.h"
#include "key/unbacked.h"

static struct xrdma_mutex lock = XRDMA_MUTEX(XRDMA_RANK_FORK);
static LIST_HEAD(, xrdma_context) contexts = LIST_HEAD_INITIALIZER(contexts);
static bool adopted; /* some memory was adopted when the fork began */
static int refused;  /* -errno if the kernel refused to move some memory back into the heap */

/* Pause CONTEXT: neither peers nor this process access memory through its keys any more. */
static void pause_context(struct xrdma_context *context)
{
	XRDMA_PUBLISH(context->paused, true);
	__atomic_add_fetch(&context->keys->revoked, 1, __ATOMIC_RELEASE);
	xrdma_mutex_lock(&context->keys->lock); /* held by threads that copy bounced data */
	xrdma_slot_pause(&context->slots, context->slot);
}

static void resume_context(struct xrdma_context *context)
{
	xrdma_slot_resume(&context->slots, context->slot);
	XRDMA_PUBLISH(context->paused, false);
	xrdma_mutex_unlock(&context->keys->lock);
}

/*
 * Move adopted memory back into the heap. The caller holds xrdma_adopt_lock(), and the lock of the
 * keys of each context.
 */
static void move_back(void)
{
	const bool were_refused = refused;
	struct xrdma_context *context;

	XRDMA_WRITE(refused, xrdma_adopt_resume());
	/* The fence pairs with the one in xrdma_fork_was_refused(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!were_refused && !refused)
		return;
	LIST_FOREACH(context, &contexts, next)
	xrdma_unbacked_judge_all(&context->heap, context->keys);
}

void xrdma_fork_mend(void)
{
	struct xrdma_context *context;

	if (!XRDMA_READ(refused))
		return;
	xrdma_mutex_lock(&lock);
	LIST_FOREACH(context, &contexts, next)
	xrdma_mutex_lock(&context->keys->lock);
	xrdma_adopt_lock();
	move_back();
	xrdma_adopt_unlock();
	LIST_FOREACH(context, &contexts, next)
	xrdma_mutex_unlock(&context->keys->lock);
	xrdma_mutex_unlock(&lock);
}

bool xrdma_fork_was_refused(void)
{
	/*
	 * move_back() writes REFUSED and judges all rows afterwards. So either it sees the row that
	 * the caller has just made valid, or the caller sees REFUSED here.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return XRDMA_READ(refused);
}

static void prepare(void)
{
	struct xrdma_context *context;

	xrdma_mutex_lock(&lock);
	xrdma_cache_relieve(NULL);
	adopted = xrdma_adopt_lock();
	if (!adopted)
		return;
	xrdma_adopt_unlock(); /* the order of locks is: contexts, then adopted memory */
	LIST_FOREACH(context, &contexts, next)
	pause_context(context);
	xrdma_adopt_lock();
	xrdma_adopt_suspend();
}

static void go_on(void)
{
	struct xrdma_context *context;

	if (adopted) {
		move_back();
		LIST_FOREACH(context, &contexts, next)
		resume_context(context);
	}
	xrdma_adopt_unlock();
	xrdma_mutex_unlock(&lock);
}

/*
 * Forget all contexts in a child. They belong to the parent. The child must not change their slots,
 * and another thread of the parent may have held their locks.
 */
static void forget(void)
{
	LIST_INIT(&contexts);
	adopted = false;
	refused = 0;
	xrdma_cache_forget();
	xrdma_adopt_forget();
	xrdma_mutex_init(&lock, XRDMA_RANK_FORK);
	xrdma_rank_forget();
}

static void start(void)
{
	pthread_atfork(prepare, go_on, forget);
}

void xrdma_fork_enter(struct xrdma_context *context)
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;

	pthread_once(&started, start);
	xrdma_mutex_lock(&lock);
	LIST_INSERT_HEAD(&contexts, context, next);
	xrdma_mutex_unlock(&lock);
}

void xrdma_fork_leave(struct xrdma_context *context)
{
	if (!xrdma_process_is_current(&context->process))
		return;
	xrdma_mutex_lock(&lock);
	LIST_REMOVE(context, next);
	xrdma_mutex_unlock(&lock);
}

void xrdma_fork_wait(void)
{
	xrdma_mutex_lock(&lock);
	xrdma_mutex_unlock(&lock);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/cache.h"

#include <bsd/sys/tree.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/mutex.h"

struct xrdma_cached {
	RB_ENTRY(xrdma_cached) of_tree;
	TAILQ_ENTRY(xrdma_cached) of_list;
	LIST_ENTRY(xrdma_cached) of_going;
	__u64 start, end; /* addresses that were registered */
	struct xrdma_heap *heap;
	struct xrdma_adopted adopted; /* for all users */
	__u64 users;
	bool kept; /* it is in the tree */
};

RB_HEAD(tree, xrdma_cached);
TAILQ_HEAD(list, xrdma_cached);

/*
 * Held while memory is freed and unmapped, so nothing is allocated, freed or waited for with it.
 */
static struct xrdma_mutex lock = XRDMA_MUTEX(XRDMA_RANK_CACHE);
static struct tree tree = RB_INITIALIZER(&tree);	    /* by address; none overlap */
static struct list unused = TAILQ_HEAD_INITIALIZER(unused); /* the first for longest */
static LIST_HEAD(, xrdma_cached) going = LIST_HEAD_INITIALIZER(going); /* still adopted */
static pthread_cond_t gone_some = PTHREAD_COND_INITIALIZER;
static __u64 size, count; /* of what is in the tree */
static __u64 max_size, max_count;
struct xrdma_cache_bounds xrdma_cache_bounds = { ~0ULL, 0 };

/* Those that overlap are taken for the same. */
static int compare(const struct xrdma_cached *a, const struct xrdma_cached *b)
{
	return a->end <= b->start ? -1 : a->start >= b->end;
}

RB_GENERATE_INTERNAL(tree, xrdma_cached, of_tree, compare, static __attribute__((unused)))

static struct xrdma_cached *find(__u64 start, __u64 end)
{
	struct xrdma_cached key = { .start = start, .end = end };

	return RB_FIND(tree, &tree, &key);
}

static void widen_bounds(const struct xrdma_cached *cached)
{
	if (cached->start < xrdma_cache_bounds.start)
		XRDMA_WRITE(xrdma_cache_bounds.start, cached->start);
	if (cached->end > xrdma_cache_bounds.end)
		XRDMA_WRITE(xrdma_cache_bounds.end, cached->end);
}

/* Of the tree, when nothing is going. */
static void narrow_bounds(void)
{
	const struct xrdma_cached *first = RB_MIN(tree, &tree), *last = RB_MAX(tree, &tree);

	if (!LIST_EMPTY(&going))
		return;
	XRDMA_WRITE(xrdma_cache_bounds.start, first ? first->start : ~0ULL);
	XRDMA_WRITE(xrdma_cache_bounds.end, last ? last->end : 0);
}

/* Nobody uses or finds it. */
static void let_go(struct xrdma_cached *cached, struct list *gone)
{
	LIST_INSERT_HEAD(&going, cached, of_going);
	widen_bounds(cached);
	TAILQ_INSERT_TAIL(gone, cached, of_list);
}

/* If nobody uses it, it is GONE. */
static void stop_keeping(struct xrdma_cached *cached, struct list *gone)
{
	RB_REMOVE(tree, &tree, cached);
	size -= cached->end - cached->start;
	count--;
	cached->kept = false;
	if (!cached->users) {
		TAILQ_REMOVE(&unused, cached, of_list);
		let_go(cached, gone);
	}
	narrow_bounds();
}

static void stop_keeping_all(__u64 start, __u64 end, struct list *gone)
{
	struct xrdma_cached *cached;

	while ((cached = find(start, end)))
		stop_keeping(cached, gone);
}

static bool is_too_much(void)
{
	return size > max_size || count > max_count;
}

static void trim(struct list *gone)
{
	while (is_too_much() && !TAILQ_EMPTY(&unused))
		stop_keeping(TAILQ_FIRST(&unused), gone);
}

/* The lock is not held. */
static void end_all(struct list *gone)
{
	struct xrdma_cached *cached;

	while ((cached = TAILQ_FIRST(gone))) {
		TAILQ_REMOVE(gone, cached, of_list);
		xrdma_disown(&cached->adopted);
		xrdma_mutex_lock(&lock);
		LIST_REMOVE(cached, of_going);
		narrow_bounds();
		pthread_cond_broadcast(&gone_some);
		xrdma_mutex_unlock(&lock);
		free(cached);
	}
}

/* Others may be at it. */
static void wait_gone(__u64 start, __u64 end)
{
	const struct xrdma_cached *cached;

	xrdma_mutex_lock(&lock);
	for (;;) {
		LIST_FOREACH(cached, &going, of_going)
		if (cached->start < end && cached->end > start)
			break;
		if (!cached)
			break;
		xrdma_mutex_wait(&lock, &gone_some);
	}
	xrdma_mutex_unlock(&lock);
}

static void use(struct xrdma_cached *cached)
{
	if (!cached->users++ && cached->kept)
		TAILQ_REMOVE(&unused, cached, of_list);
}

static struct xrdma_cached *find_all(const struct xrdma_heap *heap, __u64 start, __u64 end)
{
	struct xrdma_cached *cached = find(start, start + 1);

	return cached && cached->heap == heap && cached->end >= end ? cached : NULL;
}

static struct xrdma_cached *hit(const struct xrdma_heap *heap, __u64 start, __u64 end)
{
	struct xrdma_cached *cached;

	xrdma_mutex_lock(&lock);
	cached = find_all(heap, start, end);
	if (cached)
		use(cached);
	xrdma_mutex_unlock(&lock);
	return cached;
}

/*
 * Add FRESH to the cache, unless the cache has all of its addresses already; then end FRESH. Memory
 * of a stack is not added: when its thread ends, the C library drops the memory, and no hook sees
 * that. Returns the entry to use.
 */
static struct xrdma_cached *keep(struct xrdma_cached *fresh, __u64 start, __u64 end)
{
	struct list gone = TAILQ_HEAD_INITIALIZER(gone);
	struct xrdma_cached *cached;

	xrdma_mutex_lock(&lock);
	cached = find_all(fresh->heap, start, end);
	if (cached) {
		let_go(fresh, &gone);
	} else if (fresh->adopted.of_stack) {
		cached = fresh;
	} else {
		cached = fresh;
		stop_keeping_all(fresh->start, fresh->end, &gone);
		RB_INSERT(tree, &tree, fresh);
		widen_bounds(fresh);
		size += fresh->end - fresh->start;
		count++;
		fresh->kept = true;
		TAILQ_INSERT_TAIL(&unused, fresh, of_list);
	}
	use(cached);
	trim(&gone);
	if (fresh->kept && is_too_much())
		stop_keeping(fresh, &gone);
	xrdma_mutex_unlock(&lock);
	end_all(&gone);
	return cached;
}

/* With all that FRESH overlaps, so that what is used bit by bit becomes one. */
static void widen(struct xrdma_cached *fresh)
{
	__u64 start = fresh->start, end = fresh->end;
	const struct xrdma_cached *cached;

	xrdma_mutex_lock(&lock);
	cached = find(start, start + 1);
	if (cached && cached->heap == fresh->heap)
		start = cached->start;
	cached = find(end - 1, end);
	if (cached && cached->heap == fresh->heap)
		end = cached->end;
	if (end - start <= max_size) {
		fresh->start = start;
		fresh->end = end;
	}
	xrdma_mutex_unlock(&lock);
}

int xrdma_cache_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		      struct xrdma_adopted *adopted)
{
	int err = xrdma_adopt(heap, addr, len, what, adopted);

	if (err == -EBUSY)
		xrdma_cache_drop(addr & -(__u64)XRDMA_PAGE, addr + len + XRDMA_PAGE - 1);
	if (err == -EBUSY || (err == -ENOMEM && xrdma_cache_relieve(heap)))
		err = xrdma_adopt(heap, addr, len, what, adopted);
	return err;
}

int xrdma_cache_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at)
{
	int err = xrdma_heap_take(heap, size, align, at);

	return err && xrdma_cache_relieve(heap) ? xrdma_heap_take(heap, size, align, at) : err;
}

static int adopt(struct xrdma_cached *fresh)
{
	return xrdma_cache_adopt(fresh->heap, fresh->start, fresh->end - fresh->start,
				 XRDMA_ADOPT_ALL, &fresh->adopted);
}

static int miss(struct xrdma_heap *heap, __u64 start, __u64 end, struct xrdma_cached **cached)
{
	struct xrdma_cached *fresh = malloc(sizeof(*fresh));
	int err;

	if (!fresh)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	*fresh = (struct xrdma_cached){ .start = start, .end = end, .heap = heap };
	widen(fresh);
	err = adopt(fresh);
	if (err && (fresh->start < start || fresh->end > end)) {
		fresh->start = start;
		fresh->end = end;
		err = adopt(fresh);
	}
	if (err)
		free(fresh);
	else
		*cached = keep(fresh, start, end);
	return err;
}

static bool has_more(const struct xrdma_cached *cached, __u64 start, __u64 end)
{
	return cached->start >> XRDMA_PAGE_SHIFT < start >> XRDMA_PAGE_SHIFT ||
	       (cached->end - 1) >> XRDMA_PAGE_SHIFT > (end - 1) >> XRDMA_PAGE_SHIFT;
}

static int create_part(const struct xrdma_cached *whole, __u64 start, __u64 end,
		       struct xrdma_cached **part)
{
	int err;

	*part = malloc(sizeof(**part));
	if (!*part)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	**part = (struct xrdma_cached){ .start = start, .end = end, .heap = whole->heap };
	err = xrdma_adopt_again(&whole->adopted, start, end, &(*part)->adopted);
	if (err)
		free(*part);
	else
		(*part)->users = 1;
	return err;
}

/*
 * The caller uses *CACHED, but needs no page beyond those from START up to END. If the entry has
 * more pages, the caller gets an entry of its own, so that the rest of the memory can be dropped.
 */
static int narrow(struct xrdma_cached **cached, __u64 start, __u64 end)
{
	struct xrdma_cached *whole = *cached;
	int err;

	if (!has_more(whole, start, end))
		return 0;
	err = create_part(whole, start, end, cached);
	xrdma_cache_release(whole);
	return err;
}

int xrdma_cache_take(struct xrdma_heap *heap, __u64 addr, __u64 len, struct xrdma_cached **cached)
{
	const __u64 end = addr + len;
	int err;

	*cached = hit(heap, addr, end);
	err = *cached ? 0 : miss(heap, addr, end, cached);
	return err ?: narrow(cached, addr, end);
}

const struct xrdma_adopted *xrdma_cached_adopted(const struct xrdma_cached *cached)
{
	return &cached->adopted;
}

void xrdma_cache_release(struct xrdma_cached *cached)
{
	struct list gone = TAILQ_HEAD_INITIALIZER(gone);

	xrdma_mutex_lock(&lock);
	if (--cached->users)
		;
	else if (cached->kept)
		TAILQ_INSERT_TAIL(&unused, cached, of_list);
	else
		let_go(cached, &gone);
	trim(&gone);
	xrdma_mutex_unlock(&lock);
	end_all(&gone);
}

void xrdma_cache_limit(__u64 new_size, __u64 new_count)
{
	struct list gone = TAILQ_HEAD_INITIALIZER(gone);

	xrdma_mutex_lock(&lock);
	XRDMA_WRITE(max_size, new_size);
	XRDMA_WRITE(max_count, new_count);
	trim(&gone);
	xrdma_mutex_unlock(&lock);
	end_all(&gone);
}

bool xrdma_cache_keeps(__u64 size)
{
	return XRDMA_READ(max_count) && size <= XRDMA_READ(max_size);
}

void xrdma_cache_drop(__u64 start, __u64 end)
{
	struct list gone = TAILQ_HEAD_INITIALIZER(gone);

	xrdma_mutex_lock(&lock);
	stop_keeping_all(start, end, &gone);
	xrdma_mutex_unlock(&lock);
	end_all(&gone);
	wait_gone(start, end);
}

bool xrdma_cache_relieve(const struct xrdma_heap *heap)
{
	struct list gone = TAILQ_HEAD_INITIALIZER(gone);
	struct xrdma_cached *cached, *next;
	bool some;

	xrdma_mutex_lock(&lock);
	for (cached = TAILQ_FIRST(&unused); cached; cached = next) {
		next = TAILQ_NEXT(cached, of_list);
		if (!heap || cached->heap == heap)
			stop_keeping(cached, &gone);
	}
	xrdma_mutex_unlock(&lock);
	some = !TAILQ_EMPTY(&gone);
	end_all(&gone);
	return some;
}

void xrdma_cache_forget(void)
{
	xrdma_mutex_init(&lock, XRDMA_RANK_CACHE);
	pthread_cond_init(&gone_some, NULL);
	LIST_INIT(&going);
	RB_INIT(&tree);
	TAILQ_INIT(&unused);
	size = count = 0;
	narrow_bounds();
}

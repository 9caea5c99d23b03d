// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/mutex.h"

RB_HEAD(tree, xrdma_cache_entry);
TAILQ_HEAD(list, xrdma_cache_entry);
LIST_HEAD(evicting, xrdma_cache_entry);

/*
 * Hooks of free() and munmap() take this lock. So nobody may allocate or free memory, or wait,
 * while it is held.
 */
static struct xrdma_mutex lock = XRDMA_MUTEX(XRDMA_RANK_CACHE);
static struct tree tree = RB_INITIALIZER(&tree);		   /* by address; none overlap */
static struct list unused = TAILQ_HEAD_INITIALIZER(unused);	   /* the first for longest */
static struct evicting evicting = LIST_HEAD_INITIALIZER(evicting); /* still adopted */
static pthread_cond_t some_evicted = PTHREAD_COND_INITIALIZER;
static __u64 size, count; /* of what is in the tree */
static __u64 max_size, max_count;
struct xrdma_cache_bounds xrdma_cache_bounds = { ~0ULL, 0 };

/* Compare entries for the tree. Entries that overlap compare as equal. */
static int compare(const struct xrdma_cache_entry *a, const struct xrdma_cache_entry *b)
{
	return a->end <= b->start ? -1 : a->start >= b->end;
}

RB_GENERATE_INTERNAL(tree, xrdma_cache_entry, of_tree, compare, static __attribute__((unused)))

static struct xrdma_cache_entry *find(__u64 start, __u64 end)
{
	struct xrdma_cache_entry key = { .start = start, .end = end };

	return RB_FIND(tree, &tree, &key);
}

static void widen_bounds(const struct xrdma_cache_entry *entry)
{
	if (entry->start < xrdma_cache_bounds.start)
		XRDMA_WRITE(xrdma_cache_bounds.start, entry->start);
	if (entry->end > xrdma_cache_bounds.end)
		XRDMA_WRITE(xrdma_cache_bounds.end, entry->end);
}

/* Set the bounds to those of the tree, unless entries are still being evicted. */
static void narrow_bounds(void)
{
	const struct xrdma_cache_entry *first = RB_MIN(tree, &tree), *last = RB_MAX(tree, &tree);

	if (!LIST_EMPTY(&evicting))
		return;
	XRDMA_WRITE(xrdma_cache_bounds.start, first ? first->start : ~0ULL);
	XRDMA_WRITE(xrdma_cache_bounds.end, last ? last->end : 0);
}

/* Add ENTRY, which has no users and is not in the tree, to EVICTED. */
static void evict(struct xrdma_cache_entry *entry, struct list *evicted)
{
	LIST_INSERT_HEAD(&evicting, entry, of_evicting);
	widen_bounds(entry);
	TAILQ_INSERT_TAIL(evicted, entry, of_list);
}

/* Take ENTRY out of the tree. If it has no users, add it to EVICTED. */
static void remove_entry(struct xrdma_cache_entry *entry, struct list *evicted)
{
	RB_REMOVE(tree, &tree, entry);
	size -= entry->end - entry->start;
	count--;
	entry->is_cached = false;
	if (!entry->users) {
		TAILQ_REMOVE(&unused, entry, of_list);
		evict(entry, evicted);
	}
	narrow_bounds();
}

static void remove_entries(__u64 start, __u64 end, struct list *evicted)
{
	struct xrdma_cache_entry *entry;

	while ((entry = find(start, end)))
		remove_entry(entry, evicted);
}

static bool is_too_much(void)
{
	return size > max_size || count > max_count;
}

static void trim(struct list *evicted)
{
	while (is_too_much() && !TAILQ_EMPTY(&unused))
		remove_entry(TAILQ_FIRST(&unused), evicted);
}

/* Free the first entry of EVICTED. */
static void free_first(struct list *evicted)
{
	struct xrdma_cache_entry *entry = TAILQ_FIRST(evicted);

	TAILQ_REMOVE(evicted, entry, of_list);
	xrdma_disown(&entry->ranges);
	xrdma_mutex_lock(&lock);
	LIST_REMOVE(entry, of_evicting);
	narrow_bounds();
	pthread_cond_broadcast(&some_evicted);
	xrdma_mutex_unlock(&lock);
	free(entry);
}

/* Free all entries of EVICTED. The caller does not hold the lock. */
static void free_evicted(struct list *evicted)
{
	while (!TAILQ_EMPTY(evicted))
		free_first(evicted);
}

/* Wait until no other thread is still freeing an entry with a byte from START up to END. */
static void wait_evicted(__u64 start, __u64 end)
{
	const struct xrdma_cache_entry *entry;

	xrdma_mutex_lock(&lock);
	entry = LIST_FIRST(&evicting);
	while (entry) {
		if (entry->start < end && entry->end > start) {
			xrdma_mutex_wait(&lock, &some_evicted);
			entry = LIST_FIRST(&evicting);
		} else {
			entry = LIST_NEXT(entry, of_evicting);
		}
	}
	xrdma_mutex_unlock(&lock);
}

static void use(struct xrdma_cache_entry *entry)
{
	if (!entry->users++ && entry->is_cached)
		TAILQ_REMOVE(&unused, entry, of_list);
}

static struct xrdma_cache_entry *find_all(const struct xrdma_heap *heap, __u64 start, __u64 end)
{
	struct xrdma_cache_entry *entry = find(start, start + 1);

	return entry && entry->heap == heap && entry->end >= end ? entry : NULL;
}

struct xrdma_cache_entry *xrdma_cache_find(const struct xrdma_heap *heap, __u64 start, __u64 end)
{
	struct xrdma_cache_entry *entry;

	xrdma_mutex_lock(&lock);
	entry = find_all(heap, start, end);
	if (entry)
		use(entry);
	xrdma_mutex_unlock(&lock);
	return entry;
}

/* Add FRESH to the tree, where it replaces the entries that it overlaps. The lock is held. */
static void insert(struct xrdma_cache_entry *fresh, struct list *evicted)
{
	remove_entries(fresh->start, fresh->end, evicted);
	RB_INSERT(tree, &tree, fresh);
	widen_bounds(fresh);
	size += fresh->end - fresh->start;
	count++;
	fresh->is_cached = true;
	TAILQ_INSERT_TAIL(&unused, fresh, of_list);
}

struct xrdma_cache_entry *xrdma_cache_add(struct xrdma_cache_entry *fresh, __u64 start, __u64 end)
{
	struct list evicted = TAILQ_HEAD_INITIALIZER(evicted);
	struct xrdma_cache_entry *entry;

	xrdma_mutex_lock(&lock);
	entry = find_all(fresh->heap, start, end) ?: fresh;
	if (entry != fresh)
		evict(fresh, &evicted);
	else if (!fresh->ranges.of_stack)
		insert(fresh, &evicted);
	use(entry);
	trim(&evicted);
	if (fresh->is_cached && is_too_much())
		remove_entry(fresh, &evicted);
	xrdma_mutex_unlock(&lock);
	free_evicted(&evicted);
	return entry;
}

void xrdma_cache_widen(struct xrdma_cache_entry *fresh)
{
	__u64 start = fresh->start, end = fresh->end;
	const struct xrdma_cache_entry *entry;

	xrdma_mutex_lock(&lock);
	entry = find(start, start + 1);
	if (entry && entry->heap == fresh->heap)
		start = entry->start;
	entry = find(end - 1, end);
	if (entry && entry->heap == fresh->heap)
		end = entry->end;
	if (end - start <= max_size) {
		fresh->start = start;
		fresh->end = end;
	}
	xrdma_mutex_unlock(&lock);
}

void xrdma_cache_release(struct xrdma_cache_entry *entry)
{
	struct list evicted = TAILQ_HEAD_INITIALIZER(evicted);

	xrdma_mutex_lock(&lock);
	if (!--entry->users && entry->is_cached)
		TAILQ_INSERT_TAIL(&unused, entry, of_list);
	else if (!entry->users)
		evict(entry, &evicted);
	trim(&evicted);
	xrdma_mutex_unlock(&lock);
	free_evicted(&evicted);
}

void xrdma_cache_limit(__u64 new_size, __u64 new_count)
{
	struct list evicted = TAILQ_HEAD_INITIALIZER(evicted);

	xrdma_mutex_lock(&lock);
	XRDMA_WRITE(max_size, new_size);
	XRDMA_WRITE(max_count, new_count);
	trim(&evicted);
	xrdma_mutex_unlock(&lock);
	free_evicted(&evicted);
}

bool xrdma_cache_may_keep(__u64 size)
{
	return XRDMA_READ(max_count) && size <= XRDMA_READ(max_size);
}

void xrdma_cache_drop(__u64 start, __u64 end)
{
	struct list evicted = TAILQ_HEAD_INITIALIZER(evicted);

	xrdma_mutex_lock(&lock);
	remove_entries(start, end, &evicted);
	xrdma_mutex_unlock(&lock);
	free_evicted(&evicted);
	wait_evicted(start, end);
}

bool xrdma_cache_relieve(const struct xrdma_heap *heap)
{
	struct list evicted = TAILQ_HEAD_INITIALIZER(evicted);
	struct xrdma_cache_entry *entry, *next;
	bool some;

	xrdma_mutex_lock(&lock);
	for (entry = TAILQ_FIRST(&unused); entry; entry = next) {
		next = TAILQ_NEXT(entry, of_list);
		if (!heap || entry->heap == heap)
			remove_entry(entry, &evicted);
	}
	xrdma_mutex_unlock(&lock);
	some = !TAILQ_EMPTY(&evicted);
	free_evicted(&evicted);
	return some;
}

void xrdma_cache_forget(void)
{
	xrdma_mutex_init(&lock, XRDMA_RANK_CACHE);
	pthread_cond_init(&some_evicted, NULL);
	LIST_INIT(&evicting);
	RB_INIT(&tree);
	TAILQ_INIT(&unused);
	size = count = 0;
	narrow_bounds();
}

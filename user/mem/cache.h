/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The cache of registrations. When a registration ends, its pages remain adopted in case that the
 * program registers them again. An entry is evicted when its memory is about to change, for
 * instance by munmap(2) (reported by mem/monitor.h), or when others need the room. Thread safe.
 */
#ifndef XRDMA_USER_MEM_CACHE_H
#define XRDMA_USER_MEM_CACHE_H

#include <bsd/sys/tree.h>

#include "lib/order.h"
#include "mem/adopt.h"

/* A cache entry is an address range with its adopted pages and a count of users. */
struct xrdma_cache_entry {
	RB_ENTRY(xrdma_cache_entry) of_tree;
	TAILQ_ENTRY(xrdma_cache_entry) of_list;
	LIST_ENTRY(xrdma_cache_entry) of_evicting;
	__u64 start, end; /* addresses that were registered */
	struct xrdma_heap *heap;
	struct xrdma_range_list ranges; /* for all users */
	__u64 users;
	bool is_cached; /* it is in the tree */
};

/*
 * Returns the entry of HEAP that has all addresses from START up to END, with one more user, or
 * NULL. Release it with xrdma_cache_release().
 */
struct xrdma_cache_entry *xrdma_cache_find(const struct xrdma_heap *heap, __u64 start, __u64 end);

/*
 * Widen FRESH, which is not in the cache, by the entries that it overlaps at its ends, so that
 * memory that is registered bit by bit becomes one entry.
 */
void xrdma_cache_widen(struct xrdma_cache_entry *fresh);

/*
 * Add FRESH to the cache, unless the cache has all addresses from START up to END already: then
 * FRESH is freed. Memory of a stack is not added, because the C library drops the memory when the
 * thread ends, and no hook sees that. Returns the entry to use, with one more user.
 */
struct xrdma_cache_entry *xrdma_cache_add(struct xrdma_cache_entry *fresh, __u64 start, __u64 end);

/* End a use of ENTRY, which the caller must not touch any more. */
void xrdma_cache_release(struct xrdma_cache_entry *entry);

/* Cache at most COUNT unused entries, of SIZE bytes in all. */
void xrdma_cache_limit(__u64 size, __u64 count);

/* Returns whether the cache may have an unused entry of SIZE bytes. */
bool xrdma_cache_may_keep(__u64 size);

/*
 * Evict all entries with a byte from START up to END, because the memory there is about to change.
 * Pages without users are given back to the process.
 */
void xrdma_cache_drop(__u64 start, __u64 end);

/* Evict all unused entries of HEAP, or of all heaps if HEAP is NULL. Returns whether it had any. */
bool xrdma_cache_relieve(const struct xrdma_heap *heap);

/* Free the cache in a child of fork(). */
void xrdma_cache_forget(void);

/* All addresses in the cache are from START up to END. */
struct xrdma_cache_bounds {
	__u64 start, end;
};

extern struct xrdma_cache_bounds xrdma_cache_bounds;

/* Returns whether the cache may have an entry with a byte from START up to END. */
static inline bool xrdma_cache_may_have(__u64 start, __u64 end)
{
	return start < XRDMA_READ(xrdma_cache_bounds.end) &&
	       end > XRDMA_READ(xrdma_cache_bounds.start);
}

#endif

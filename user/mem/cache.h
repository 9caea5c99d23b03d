/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Adopted memory whose registrations ended, which remains adopted in case that it is registered
 * again: until it is about to become something else, as whoever watches for that says (monitor.h),
 * or others need the room. Thread safe.
 */
#ifndef XRDMA_USER_MEM_CACHE_H
#define XRDMA_USER_MEM_CACHE_H

#include "lib/order.h"
#include "mem/adopt.h"

/* An address range, and who uses it. */
struct xrdma_cached;

/*
 * Do what xrdma_adopt() does with all of the LEN bytes at ADDR. *CACHED has what is found in these
 * pages, and no other pages. The caller releases it.
 */
int xrdma_cache_take(struct xrdma_heap *heap, __u64 addr, __u64 len, struct xrdma_cached **cached);
const struct xrdma_adopted *xrdma_cached_adopted(const struct xrdma_cached *cached);
void xrdma_cache_release(struct xrdma_cached *cached);

/* xrdma_adopt() and xrdma_heap_take(): what is kept, and in the way, no longer is. */
int xrdma_cache_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		      struct xrdma_adopted *adopted);
int xrdma_cache_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at);

/* No more than this is kept that nobody uses: COUNT ranges, of SIZE bytes in all. */
void xrdma_cache_limit(__u64 size, __u64 count);

/* Whether a range of SIZE bytes may be kept. */
bool xrdma_cache_keeps(__u64 size);

/*
 * Nothing is kept that has a byte from START up to END: the memory there becomes something else. It
 * is the process's own again, if no registration has it.
 */
void xrdma_cache_drop(__u64 start, __u64 end);

/* Nothing of HEAP, or of any, is kept that nobody uses. Returns whether something was. */
bool xrdma_cache_relieve(const struct xrdma_heap *heap);

/* In a child that was forked. */
void xrdma_cache_forget(void);

/* No address that is kept lies below START, or from END on. */
struct xrdma_cache_bounds {
	__u64 start, end;
};

extern struct xrdma_cache_bounds xrdma_cache_bounds;

/* Whether something may be kept that has a byte from START up to END. */
static inline bool xrdma_cache_may_have(__u64 start, __u64 end)
{
	return start < XRDMA_READ(xrdma_cache_bounds.end) &&
	       end > XRDMA_READ(xrdma_cache_bounds.start);
}

#endif

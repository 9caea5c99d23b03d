/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Adopt memory, and take room in a heap, with the help of the cache (mem/cache.h). Thread safe.
 */
#ifndef XRDMA_USER_MEM_CACHE_TAKE_H
#define XRDMA_USER_MEM_CACHE_TAKE_H

#include "mem/cache.h"

/*
 * Find or make an entry for the LEN bytes at ADDR, all of which are adopted as by xrdma_adopt().
 * *ENTRY has their pages and no others. Release it with xrdma_cache_release(). Returns 0 or an
 * error of xrdma_adopt().
 */
int xrdma_cache_take(struct xrdma_heap *heap, __u64 addr, __u64 len,
		     struct xrdma_cache_entry **entry);

/*
 * Do the work of xrdma_adopt() and xrdma_heap_take(). If unused entries are in the way, evict them
 * and try again.
 */
int xrdma_cache_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		      struct xrdma_range_list *ranges);
int xrdma_cache_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at);

#endif

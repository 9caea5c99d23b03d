/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Move pages of the process into a heap, as one pinned range (mem/pinned.h), and back. Not thread
 * safe: mem/adopt.c calls these functions under its lock.
 */
#ifndef XRDMA_USER_MEM_PINNING_H
#define XRDMA_USER_MEM_PINNING_H

#include "mem/mappings.h"
#include "mem/pinned.h"

/*
 * Plan to adopt the pages from START up to END, which no other pinned range has. MAPPINGS has COUNT
 * mappings of the process, among them all at these addresses. Nothing is moved yet. The caller ends
 * *PINNED with xrdma_pinned_destroy(). Returns 0 or, with xrdma_error() set and nothing changed, an
 * error of xrdma_adopt().
 */
int xrdma_pinned_create(struct xrdma_heap *heap, __u64 start, __u64 end,
			const struct xrdma_mapping *mappings, int count,
			struct xrdma_pinned_range **pinned);

/*
 * Move the pages into the heap. Returns 0 or, with xrdma_error() set, -errno: some may have been
 * moved. Then the caller gives them back with xrdma_pinned_give_back(), although they never had
 * users.
 */
int xrdma_pinned_relocate(struct xrdma_pinned_range *pinned);

/*
 * Give back the pages from START up to END that have no users. Their bytes become the process's own
 * again, where they are still mapped. Their place in the heap remains reserved for PINNED. Returns
 * true if all were given back. Otherwise the kernel refused some: these remain in the heap, and the
 * caller tries again later.
 */
bool xrdma_pinned_give_back(struct xrdma_pinned_range *pinned, __u64 start, __u64 end);

/*
 * Free PINNED, which has no users and has given back all pages. If the process mapped some of them
 * elsewhere with mremap(2), their place in the heap is never used again.
 */
void xrdma_pinned_destroy(struct xrdma_pinned_range *pinned);

/*
 * xrdma_pinned_suspend() gives all pages back to the process for a while, where they are still
 * mapped. xrdma_pinned_resume() moves them into the heap again. PINNED loses those that were
 * unmapped meanwhile. It returns 0 or -errno: some pages are not in the heap.
 */
void xrdma_pinned_suspend(struct xrdma_pinned_range *pinned);
int xrdma_pinned_resume(struct xrdma_pinned_range *pinned);

#endif

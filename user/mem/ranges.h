/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The index from addresses of the process to the pinned ranges that have these pages. It leaves out
 * pages that were mapped anew since they were pinned. Not thread safe: the caller holds a lock.
 */
#ifndef XRDMA_USER_MEM_RANGES_H
#define XRDMA_USER_MEM_RANGES_H

#include "mem/pinned.h"

/* A range of addresses of the process, all of which one pinned range has. */
struct xrdma_range {
	__u64 start, end; /* addresses */
	struct xrdma_pinned_range *pinned;
};

/* Returns the offset of the first byte of RANGE in the heap. */
static inline __u64 xrdma_range_heap_at(const struct xrdma_range *range)
{
	return range->pinned->at + (range->start - range->pinned->start);
}

/* Returns the first range with a byte from START up to END, for reading, or NULL. */
const struct xrdma_range *xrdma_ranges_first(__u64 start, __u64 end);

/*
 * Add all addresses of PINNED, none of which is in the index. Returns 0 or, with xrdma_error() set,
 * -ENOMEM.
 */
int xrdma_ranges_add(struct xrdma_pinned_range *pinned);

/* Remove all addresses from START up to END. Returns 0 or, with xrdma_error() set, -ENOMEM. */
int xrdma_ranges_cut(__u64 start, __u64 end);

/* Remove all ranges of PINNED. */
void xrdma_ranges_remove(const struct xrdma_pinned_range *pinned);

/* Free the index in a child of fork(). */
void xrdma_ranges_forget(void);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A registration keeps a list of the ranges that it uses, sorted by address. These functions are
 * not thread safe.
 */
#ifndef XRDMA_USER_MEM_RANGE_LIST_H
#define XRDMA_USER_MEM_RANGE_LIST_H

#include <stddef.h>

#include "mem/ranges.h"

struct xrdma_range_list {
	__u64 start, end; /* the list has all pinned pages between these addresses */
	struct xrdma_range *ranges;
	size_t count;
	bool of_stack; /* it may have pages of a thread's stack, which the C library may drop */
};

/*
 * Append the part of RANGE from START up to END to LIST. It comes after all others in LIST. Returns
 * 0 or, with xrdma_error() set and nothing changed, -ENOMEM.
 */
int xrdma_range_list_add(struct xrdma_range_list *list, const struct xrdma_range *range,
			 __u64 start, __u64 end);

/*
 * The addresses of PART are among those of WHOLE. Set *NOW to a copy of WHOLE in which PART
 * replaces the ranges at its addresses, and *OLD to the ranges that were replaced. Returns 0 or,
 * with xrdma_error() set, -ENOMEM: *NOW and *OLD are empty.
 */
int xrdma_range_list_replace(const struct xrdma_range_list *whole,
			     const struct xrdma_range_list *part, struct xrdma_range_list *now,
			     struct xrdma_range_list *old);

/* Free the list, without a change to the users of its pages. */
void xrdma_range_list_free(struct xrdma_range_list *list);

#endif

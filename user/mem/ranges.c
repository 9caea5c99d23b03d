// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/ranges.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "lib/error.h"

static void *ranges; /* a tree of them, by address; none overlap */

/* Compare ranges for the tree. Ranges that overlap compare as equal. */
static int compare(const void *left, const void *right)
{
	const struct xrdma_range *a = left, *b = right;

	return a->end <= b->start ? -1 : a->start >= b->end;
}

static struct xrdma_range *first_in(__u64 start, __u64 end)
{
	struct xrdma_range key = { .start = start, .end = end }, *first = NULL, **found;

	while (key.start < key.end && (found = tfind(&key, &ranges, compare))) {
		first = *found;
		key.end = first->start;
	}
	return first;
}

const struct xrdma_range *xrdma_ranges_first(__u64 start, __u64 end)
{
	return first_in(start, end);
}

static int insert(__u64 start, __u64 end, struct xrdma_pinned_range *pinned)
{
	struct xrdma_range *range = malloc(sizeof(*range));

	if (range) {
		*range = (struct xrdma_range){ start, end, pinned };
		if (tsearch(range, &ranges, compare))
			return 0;
		free(range);
	}
	return xrdma_fail(ENOMEM, "no memory for records of registered memory");
}

static void drop(struct xrdma_range *range)
{
	tdelete(range, &ranges, compare);
	free(range);
}

/* Remove the addresses from START up to END, some of which RANGE has, from RANGE. */
static int cut(struct xrdma_range *range, __u64 start, __u64 end)
{
	const __u64 range_end = range->end;
	int err = 0;

	if (range->start >= start && range->end <= end) {
		drop(range);
	} else if (range->start >= start) {
		range->start = end;
	} else {
		range->end = start;
		if (range_end > end)
			err = insert(end, range_end, range->pinned);
		if (err)
			range->end = range_end;
	}
	return err;
}

int xrdma_ranges_cut(__u64 start, __u64 end)
{
	struct xrdma_range *range;
	int err = 0;

	while (!err && (range = first_in(start, end)))
		err = cut(range, start, end);
	return err;
}

int xrdma_ranges_add(struct xrdma_pinned_range *pinned)
{
	return insert(pinned->start, pinned->end, pinned);
}

void xrdma_ranges_remove(const struct xrdma_pinned_range *pinned)
{
	struct xrdma_range *range;
	__u64 at = pinned->start;

	while ((range = first_in(at, pinned->end))) {
		at = range->end;
		if (range->pinned == pinned)
			drop(range);
	}
}

void xrdma_ranges_forget(void)
{
	tdestroy(ranges, free);
	ranges = NULL;
}

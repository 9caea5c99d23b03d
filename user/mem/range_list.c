// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/range_list.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/error.h"

int xrdma_range_list_add(struct xrdma_range_list *list, const struct xrdma_range *range,
			 __u64 start, __u64 end)
{
	struct xrdma_range *last = list->count ? &list->ranges[list->count - 1] : NULL;
	struct xrdma_range *ranges;

	start = range->start > start ? range->start : start;
	end = range->end < end ? range->end : end;
	if (last && last->pinned == range->pinned && last->end == start) {
		last->end = end;
		return 0;
	}
	ranges = reallocarray(list->ranges, list->count + 1, sizeof(*ranges));
	if (!ranges)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	list->ranges = ranges;
	ranges[list->count++] = (struct xrdma_range){ start, end, range->pinned };
	return 0;
}

/* Append the ranges of FROM from START up to END to LIST. */
static int add_all(struct xrdma_range_list *list, const struct xrdma_range_list *from, __u64 start,
		   __u64 end)
{
	int err = 0;

	for (size_t i = 0; i < from->count && !err; i++)
		if (from->ranges[i].start < end && from->ranges[i].end > start)
			err = xrdma_range_list_add(list, &from->ranges[i], start, end);
	return err;
}

void xrdma_range_list_free(struct xrdma_range_list *list)
{
	free(list->ranges);
	*list = (struct xrdma_range_list){ 0 };
}

int xrdma_range_list_replace(const struct xrdma_range_list *whole,
			     const struct xrdma_range_list *part, struct xrdma_range_list *now,
			     struct xrdma_range_list *old)
{
	int err;

	*now = (struct xrdma_range_list){ .start = whole->start, .end = whole->end };
	*old = (struct xrdma_range_list){ .start = part->start, .end = part->end };
	err = add_all(now, whole, 0, part->start);
	err = err ?: add_all(now, part, part->start, part->end);
	err = err ?: add_all(now, whole, part->end, ~0ULL);
	err = err ?: add_all(old, whole, part->start, part->end);
	if (err) {
		xrdma_range_list_free(now);
		xrdma_range_list_free(old);
	}
	return err;
}

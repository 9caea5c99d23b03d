// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/extents.h"

#include <errno.h>
#include <stdlib.h>

struct xrdma_extent {
	struct xrdma_extent *next;
	size_t at;
	size_t size;
	bool used;
};

static size_t round_up(size_t value, size_t to)
{
	return (value + to - 1) & ~(to - 1);
}

int xrdma_extents_init(struct xrdma_extents *heap, size_t size)
{
	heap->extents = calloc(1, sizeof(*heap->extents));
	if (!heap->extents)
		return -ENOMEM;
	heap->extents->size = size;
	return 0;
}

void xrdma_extents_exit(struct xrdma_extents *heap)
{
	struct xrdma_extent *each = heap->extents, *next;

	for (; each; each = next) {
		next = each->next;
		free(each);
	}
}

/* Make EXTENT end after SIZE bytes, and a new one begin there. */
static bool split(struct xrdma_extent *extent, size_t size)
{
	struct xrdma_extent *rest;

	if (size == extent->size)
		return true;
	rest = malloc(sizeof(*rest));
	if (!rest)
		return false;
	*rest = (struct xrdma_extent){ .next = extent->next,
				       .at = extent->at + size,
				       .size = extent->size - size };
	extent->next = rest;
	extent->size = size;
	return true;
}

static void join_free(struct xrdma_extent *extent)
{
	struct xrdma_extent *next = extent->next;

	if (extent->used || !next || next->used)
		return;
	extent->size += next->size;
	extent->next = next->next;
	free(next);
}

int xrdma_extents_take(struct xrdma_extents *heap, size_t size, size_t align, size_t *at)
{
	struct xrdma_extent *each;
	size_t skip;

	if (align < XRDMA_EXTENT_ALIGN)
		align = XRDMA_EXTENT_ALIGN;
	for (each = heap->extents; each; each = each->next) {
		skip = round_up(each->at, align) - each->at;
		if (!each->used && skip < each->size && size <= each->size - skip)
			break;
	}
	if (!each)
		return -ENOMEM;
	if (skip) {
		if (!split(each, skip))
			return -ENOMEM;
		each = each->next;
	}
	if (!split(each, round_up(size, XRDMA_EXTENT_ALIGN)))
		return -ENOMEM;
	each->used = true;
	*at = each->at;
	return 0;
}

int xrdma_extents_give(struct xrdma_extents *heap, size_t at)
{
	struct xrdma_extent *each, *before = NULL;

	for (each = heap->extents; each && each->at < at; each = each->next)
		before = each;
	if (!each || each->at != at || !each->used)
		return -EINVAL;
	each->used = false;
	join_free(each);
	if (before)
		join_free(before);
	return 0;
}

bool xrdma_extents_hold(const struct xrdma_extents *heap, size_t at, size_t size)
{
	const struct xrdma_extent *each = heap->extents;

	while (each && (at < each->at || at - each->at >= each->size))
		each = each->next;
	return each && each->used && size <= each->size - (at - each->at);
}

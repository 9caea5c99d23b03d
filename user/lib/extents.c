// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/extents.h"

#include <errno.h>
#include <stdlib.h>

#define NONE XRDMA_SET_NONE

enum {
	SHIFT = 4, /* size classes for each power of two */
	FIRST = 1 << SHIFT,
};

/* Links of an extent in the list of its class. NEXT of an extent in use is IN_USE. */
struct xrdma_extent_links {
	__u32 next, previous;
};
#define IN_USE (NONE - 1)

/* A run of consecutive units. */
struct run {
	__u32 at, count;
};

/*
 * Return the class of a size. Below FIRST each size has its own class; above, the four bits after
 * the highest one select it.
 */
static __u32 class_of(__u64 count)
{
	int shift = 63 - SHIFT - __builtin_clzll(count);

	return count < FIRST ? count : shift * FIRST + (count >> shift);
}

/* Return the first class whose extents all have COUNT units. */
static __u32 class_above(__u64 count)
{
	int shift = 63 - SHIFT - __builtin_clzll(count);

	return count < FIRST ? count : class_of(count + (1ULL << shift) - 1);
}

static __u32 end_of(const struct xrdma_extents *extents, __u32 at)
{
	__u32 next = xrdma_set_next(&extents->starts, at + 1);

	return next == NONE ? extents->units : next;
}

static struct run run_at(const struct xrdma_extents *extents, __u32 at)
{
	return (struct run){ at, end_of(extents, at) - at };
}

static bool is_free(const struct xrdma_extents *extents, __u32 at)
{
	return extents->links[at].next != IN_USE;
}

/* Make RUN a free extent, if it is not empty. */
static void add_free(struct xrdma_extents *extents, struct run run)
{
	__u32 list, next;

	if (!run.count)
		return;
	list = class_of(run.count);
	next = extents->lists[list];
	xrdma_set_add(&extents->starts, run.at);
	extents->links[run.at] = (struct xrdma_extent_links){ next, NONE };
	if (next != NONE)
		extents->links[next].previous = run.at;
	extents->lists[list] = run.at;
	xrdma_set_add(&extents->classes, list);
}

/* Remove the free extent RUN. */
static void remove_free(struct xrdma_extents *extents, struct run run)
{
	struct xrdma_extent_links links = extents->links[run.at];
	__u32 list = class_of(run.count);

	xrdma_set_remove(&extents->starts, run.at);
	if (links.next != NONE)
		extents->links[links.next].previous = links.previous;
	if (links.previous != NONE)
		extents->links[links.previous].next = links.next;
	else
		extents->lists[list] = links.next;
	if (extents->lists[list] == NONE)
		xrdma_set_remove(&extents->classes, list);
}

int xrdma_extents_init(struct xrdma_extents *extents, size_t size)
{
	*extents = (struct xrdma_extents){
		.lock = XRDMA_MUTEX(XRDMA_RANK_TABLE),
		.units = size / XRDMA_EXTENT_ALIGN,
	};
	extents->links = calloc(extents->units, sizeof(*extents->links));
	if (!extents->links || xrdma_set_init(&extents->starts, extents->units, false) ||
	    xrdma_set_init(&extents->classes, XRDMA_EXTENT_CLASSES, false)) {
		xrdma_extents_exit(extents);
		return -ENOMEM;
	}
	for (int list = 0; list < XRDMA_EXTENT_CLASSES; list++)
		extents->lists[list] = NONE;
	add_free(extents, (struct run){ 0, extents->units });
	return 0;
}

void xrdma_extents_exit(struct xrdma_extents *extents)
{
	xrdma_set_exit(&extents->starts);
	xrdma_set_exit(&extents->classes);
	free(extents->links);
	extents->links = NULL;
}

/* Return the part of RUN that begins at a multiple of ALIGN units, a power of two. */
static struct run aligned(struct run run, __u32 align)
{
	__u32 skip = -run.at & (align - 1);

	return skip < run.count ? (struct run){ run.at + skip, run.count - skip } : (struct run){};
}

/*
 * Find the first free extent with COUNT units at a multiple of ALIGN, among all that may have them.
 * Returns NONE if there is none.
 */
static __u32 look_through(const struct xrdma_extents *extents, __u32 count, __u32 align)
{
	__u32 list = class_of(count), at;

	for (; (list = xrdma_set_next(&extents->classes, list)) != NONE; list++)
		for (at = extents->lists[list]; at != NONE; at = extents->links[at].next)
			if (aligned(run_at(extents, at), align).count >= count)
				return at;
	return NONE;
}

/* Find a free extent with COUNT units at a multiple of ALIGN. Returns NONE if there is none. */
static __u32 find(const struct xrdma_extents *extents, __u32 count, __u32 align)
{
	__u32 list = xrdma_set_next(&extents->classes, class_above((__u64)count + align - 1));

	return list == NONE ? look_through(extents, count, align) : extents->lists[list];
}

static int take(struct xrdma_extents *extents, size_t size, size_t align, size_t *at)
{
	size_t count = size / XRDMA_EXTENT_ALIGN + (size % XRDMA_EXTENT_ALIGN != 0);
	struct run whole, from;
	__u32 found;

	align = align > XRDMA_EXTENT_ALIGN ? align / XRDMA_EXTENT_ALIGN : 1;
	if (count > extents->units || align > extents->units)
		return -ENOMEM;
	found = find(extents, count, align);
	if (found == NONE)
		return -ENOMEM;
	whole = run_at(extents, found);
	from = aligned(whole, align);
	remove_free(extents, whole);
	add_free(extents, (struct run){ whole.at, from.at - whole.at });
	add_free(extents, (struct run){ from.at + count, from.count - count });
	xrdma_set_add(&extents->starts, from.at);
	extents->links[from.at].next = IN_USE;
	*at = (size_t)from.at * XRDMA_EXTENT_ALIGN;
	return 0;
}

/* Return the extent in use that contains unit AT, or NONE. */
static __u32 in_use_at(const struct xrdma_extents *extents, size_t at)
{
	__u32 start = at < extents->units ? xrdma_set_previous(&extents->starts, at) : NONE;

	return start != NONE && !is_free(extents, start) ? start : NONE;
}

static int give(struct xrdma_extents *extents, size_t at)
{
	__u32 start = in_use_at(extents, at / XRDMA_EXTENT_ALIGN), beside;
	struct run run, other;

	if (start == NONE || (size_t)start * XRDMA_EXTENT_ALIGN != at)
		return -EINVAL;
	run = run_at(extents, start);
	beside = run.at + run.count;
	if (beside < extents->units && is_free(extents, beside)) {
		other = run_at(extents, beside);
		remove_free(extents, other);
		run.count += other.count;
	}
	beside = start ? xrdma_set_previous(&extents->starts, start - 1) : NONE;
	if (beside != NONE && is_free(extents, beside)) {
		other = run_at(extents, beside);
		remove_free(extents, other);
		xrdma_set_remove(&extents->starts, start);
		run = (struct run){ other.at, other.count + run.count };
	}
	add_free(extents, run);
	return 0;
}

static bool hold(const struct xrdma_extents *extents, size_t at, size_t size)
{
	__u32 start = in_use_at(extents, at / XRDMA_EXTENT_ALIGN);
	size_t end;

	if (start == NONE)
		return false;
	end = (size_t)end_of(extents, start) * XRDMA_EXTENT_ALIGN;
	return size <= end - at;
}

int xrdma_extents_take(struct xrdma_extents *extents, size_t size, size_t align, size_t *at)
{
	int err;

	xrdma_mutex_lock(&extents->lock);
	err = take(extents, size, align, at);
	xrdma_mutex_unlock(&extents->lock);
	return err;
}

int xrdma_extents_give(struct xrdma_extents *extents, size_t at)
{
	int err;

	xrdma_mutex_lock(&extents->lock);
	err = give(extents, at);
	xrdma_mutex_unlock(&extents->lock);
	return err;
}

bool xrdma_extents_hold(struct xrdma_extents *extents, size_t at, size_t size)
{
	bool held;

	xrdma_mutex_lock(&extents->lock);
	held = hold(extents, at, size);
	xrdma_mutex_unlock(&extents->lock);
	return held;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bounds.h"
#include "lib/error.h"
#include "lib/mutex.h"
#include "mem/adoptable.h"
#include "mem/blocks.h"
#include "mem/relocator.h"
#include "mem/pinning.h"
#include "mem/shown.h"
#include "mem/threads.h"

static struct xrdma_mutex lock = XRDMA_MUTEX(XRDMA_RANK_ADOPTED);
static LIST_HEAD(, xrdma_pinned_range) all_pinned = LIST_HEAD_INITIALIZER(all_pinned);

/*
 * True if the kernel has refused to give back some pages of a heap that no registration needs. The
 * next call tries again.
 */
static bool refused;

/*
 * Give back those pages of PINNED from START up to END that have no users. If no page of PINNED has
 * users, give back all its pages and end PINNED.
 */
static void give(struct xrdma_pinned_range *pinned, __u64 start, __u64 end)
{
	const bool all = !pinned->uses;

	if (!xrdma_pinned_give_back(pinned, all ? pinned->start : start, all ? pinned->end : end)) {
		refused = true;
	} else if (all) {
		xrdma_ranges_remove(pinned);
		LIST_REMOVE(pinned, next);
		xrdma_pinned_destroy(pinned);
	}
}

static void give_refused(void)
{
	struct xrdma_pinned_range *pinned = refused ? LIST_FIRST(&all_pinned) : NULL, *next;

	refused = false;
	for (; pinned; pinned = next) {
		next = LIST_NEXT(pinned, next);
		give(pinned, pinned->start, pinned->end);
	}
}

static void drop_range(const struct xrdma_range *range)
{
	if (xrdma_pinned_drop_user(range->pinned, range->start, range->end))
		give(range->pinned, range->start, range->end);
}

static void drop_all(struct xrdma_range_list *list)
{
	while (list->count)
		drop_range(&list->ranges[--list->count]);
	xrdma_range_list_free(list);
}

/*
 * Add a user to the pages of RANGE from START up to END, and append them to LIST. Returns 0 or
 * -ENOMEM.
 */
static int use_range(struct xrdma_range_list *list, const struct xrdma_range *range, __u64 start,
		     __u64 end)
{
	int err;

	start = xrdma_greater(range->start, start);
	end = xrdma_lesser(range->end, end);
	err = xrdma_range_list_add(list, range, start, end);
	if (!err)
		xrdma_pinned_add_user(range->pinned, start, end);
	return err;
}

/* A call of xrdma_adopt(): its arguments, and the mappings of the process at these addresses. */
struct request {
	struct xrdma_heap *heap;
	__u64 start, end;
	enum xrdma_adopt what;
	struct xrdma_mapping *mappings;
	int count;
	struct xrdma_control_block block; /* the first of a thread that ends after START */
};

/* Remove the addresses from START up to END from all pinned ranges. */
static int take_away(__u64 start, __u64 end)
{
	const struct xrdma_range *range;
	__u64 at = start;
	int err = 0;

	while (!err && (range = xrdma_ranges_first(at, end))) {
		at = range->end;
		err = xrdma_pinned_lose(range->pinned, xrdma_greater(start, range->start),
					xrdma_lesser(end, at));
	}
	return err ?: xrdma_ranges_cut(start, end);
}

/*
 * The pages of RANGE from START up to END are not mapped there any more. Either the process has
 * mapped something else there, and RANGE loses these addresses; or the kernel refused to move them
 * back into the heap after a fork, which is an error.
 */
static int lose(const struct xrdma_range *range, __u64 start, __u64 end)
{
	const struct xrdma_pinned_range *pinned = range->pinned;

	if (xrdma_pinned_lacks(pinned, pinned->at + (start - pinned->start), end - start))
		return xrdma_fail(ENOMEM,
				  "the kernel refused to move the memory at %#llx back "
				  "into the heap after a fork(2)",
				  start);
	return take_away(start, end);
}

/* Refuse the pinned page at AT if the process may not read and write it any more. */
static int check_access(const struct request *request, __u64 at)
{
	__u64 end = request->end;
	const struct xrdma_mapping *mapping =
		xrdma_mappings_at(request->mappings, request->count, at, &end);
	bool of_file;
	size_t huge;

	if (request->what != XRDMA_ADOPT_ALL || !strncmp(mapping->flags, "rw", 2))
		return 0;
	return xrdma_adoptable(mapping, &of_file, &huge);
}

/*
 * Look at all pinned pages of REQUEST. Pinned ranges lose those that are not mapped any more. The
 * others must be readable and writable.
 */
static int look_again(const struct request *request)
{
	const struct xrdma_range *range;
	__u64 at = request->start, end;
	int err = 0;

	while (!err && (range = xrdma_ranges_first(at, request->end))) {
		at = xrdma_greater(at, range->start);
		if (xrdma_shown_in_place(range->pinned, at, request->mappings, request->count,
					 &end))
			err = check_access(request, at);
		else
			err = lose(range, at, xrdma_lesser(end, request->end));
		at = end;
	}
	return err;
}

/* Pin the pages from START up to END as a new pinned range. */
static int add(const struct request *request, __u64 start, __u64 end)
{
	struct xrdma_pinned_range *pinned;
	int err = xrdma_pinned_create(request->heap, start, end, request->mappings, request->count,
				      &pinned);

	if (err)
		return err;
	err = take_away(pinned->start, pinned->end) ?: xrdma_ranges_add(pinned);
	if (err) {
		xrdma_pinned_destroy(pinned);
		return err;
	}
	LIST_INSERT_HEAD(&all_pinned, pinned, next);
	err = xrdma_pinned_relocate(pinned);
	if (err)
		give(pinned, pinned->start, pinned->end);
	return err;
}

/*
 * Pin the first memory from *AT up to END, where nothing is pinned yet, and set *AT to its start.
 * Returns 0 or an error of add().
 */
static int add_memory(const struct request *request, __u64 *at, __u64 end)
{
	int err = 0;

	if (request->what != XRDMA_ADOPT_ALL)
		xrdma_adoptable_find(request->mappings, request->count,
				     request->what == XRDMA_ADOPT_ANY, at, &end);
	if (request->what == XRDMA_ADOPT_ANY)
		err = xrdma_blocks_avoid(at, &end);
	else if (xrdma_block_is_in(&request->block, *at, end))
		err = xrdma_block_refuse(&request->block);
	if (err)
		return err;
	return *at < end ? add(request, *at, end) : 0;
}

static int join(const struct request *request, struct xrdma_range_list *list)
{
	__u64 at = request->start;
	int err = 0;

	while (at < request->end && !err) {
		const struct xrdma_range *range = xrdma_ranges_first(at, request->end);

		if (!range || range->start > at) {
			err = add_memory(request, &at, range ? range->start : request->end);
		} else if (range->pinned->heap == request->heap) {
			err = use_range(list, range, at, request->end);
			at = range->end;
		} else if (request->what == XRDMA_ADOPT_ANY) {
			at = range->end;
		} else {
			err = xrdma_fail(EBUSY,
					 "the memory at %#llx is registered with another context",
					 at);
		}
	}
	return err;
}

/* The stack of a thread is all memory below its control block, down to the next hole. */
static int look_for_threads(struct request *request, struct xrdma_range_list *list)
{
	const struct xrdma_control_block *block = &request->block;
	int err = xrdma_threads_next_block(request->start, &request->block);

	if (!err && block->end && request->what == XRDMA_ADOPT_ALL) {
		err = xrdma_mappings_fill(request->start, block->end);
		list->of_stack = err > 0;
	}
	if (err >= 0)
		return 0;
	return xrdma_fail(-err, "cannot list the threads of the process: %s", strerror(-err));
}

/*
 * Adopt the memory of REQUEST, and set LIST. If this fails, set *OLD to whether the process has
 * mapped something else there since its mappings were listed: then it may help to try again.
 */
static int try_to_adopt(struct request *request, struct xrdma_range_list *list, bool *old)
{
	int err;

	*old = false;
	request->count = xrdma_mappings_list(request->start, request->end, &request->mappings);
	if (request->count < 0)
		return xrdma_fail(-request->count, "cannot list the mappings of the process: %s",
				  strerror(-request->count));
	err = look_for_threads(request, list) ?: look_again(request) ?: join(request, list);
	if (err) {
		drop_all(list);
		refused = true; /* some pages may be pinned without a user */
		*old = err != -ENOMEM && xrdma_mappings_are_old(request->mappings, request->count,
								request->start, request->end);
	}
	free(request->mappings);
	return err;
}

static int adopt(struct request *request, struct xrdma_range_list *list)
{
	enum { TRIES = 100 }; /* other threads may map and unmap memory all the time */
	bool old = true;
	int err = 0;

	for (int tries = 0; old && tries < TRIES; tries++) {
		*list = (struct xrdma_range_list){ .start = request->start, .end = request->end };
		err = try_to_adopt(request, list, &old);
	}
	return err;
}

int xrdma_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		struct xrdma_range_list *list)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	struct request request = {
		.heap = heap,
		.start = addr & ~in_page,
		.end = (addr + len + in_page) & ~in_page,
		.what = what,
	};
	int err;

	if (xrdma_relocator_owns(request.start, request.end))
		return xrdma_fail(
			EOPNOTSUPP,
			"the %llu bytes at %#llx include memory of the library's own, which "
			"cannot be registered",
			len, addr);
	xrdma_mutex_lock(&lock);
	give_refused();
	err = xrdma_relocator_start() ?: adopt(&request, list);
	xrdma_mutex_unlock(&lock);
	return err;
}

int xrdma_adopt_again(const struct xrdma_range_list *list, __u64 start, __u64 end,
		      struct xrdma_range_list *copy)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	int err = 0;

	*copy = (struct xrdma_range_list){ .start = start & ~in_page,
					   .end = (end + in_page) & ~in_page };
	xrdma_mutex_lock(&lock);
	for (size_t i = 0; i < list->count && !err; i++)
		if (list->ranges[i].start < copy->end && list->ranges[i].end > copy->start)
			err = use_range(copy, &list->ranges[i], copy->start, copy->end);
	if (err)
		drop_all(copy);
	xrdma_mutex_unlock(&lock);
	return err;
}

void xrdma_disown(struct xrdma_range_list *list)
{
	xrdma_mutex_lock(&lock);
	give_refused();
	drop_all(list);
	xrdma_mutex_unlock(&lock);
}

bool xrdma_adopt_lock(void)
{
	xrdma_mutex_lock(&lock);
	give_refused();
	return !LIST_EMPTY(&all_pinned);
}

void xrdma_adopt_suspend(void)
{
	struct xrdma_pinned_range *pinned;

	LIST_FOREACH(pinned, &all_pinned, next)
	xrdma_pinned_suspend(pinned);
}

int xrdma_adopt_resume(void)
{
	struct xrdma_pinned_range *pinned;
	int err = 0;

	LIST_FOREACH(pinned, &all_pinned, next)
	err = xrdma_pinned_resume(pinned) ?: err;
	return err;
}

bool xrdma_adopt_lacks(const struct xrdma_heap *heap, __u64 at, __u64 len)
{
	const struct xrdma_pinned_range *pinned;
	bool lacks = false;

	LIST_FOREACH(pinned, &all_pinned, next)
	lacks = lacks || (pinned->heap == heap && xrdma_pinned_lacks(pinned, at, len));
	return lacks;
}

void xrdma_adopt_unlock(void)
{
	xrdma_mutex_unlock(&lock);
}

void xrdma_adopt_forget(void)
{
	struct xrdma_pinned_range *pinned;

	while ((pinned = LIST_FIRST(&all_pinned))) {
		LIST_REMOVE(pinned, next);
		xrdma_pinned_forget(pinned);
	}
	refused = false;
	xrdma_ranges_forget();
	xrdma_relocator_forget();
	xrdma_mutex_init(&lock, XRDMA_RANK_ADOPTED);
}

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
#include "mem/mover.h"
#include "mem/relocate.h"
#include "mem/shown.h"
#include "mem/threads.h"

static struct xrdma_mutex lock = XRDMA_MUTEX(XRDMA_RANK_ADOPTED);
static LIST_HEAD(, xrdma_run) runs = LIST_HEAD_INITIALIZER(runs);

/*
 * Whether some pages that no registration needs are still pages of a heap: the kernel refused to
 * give them back. The next call tries again.
 */
static bool kept_back;

/*
 * Give back those pages of RUN from START up to END that no registration needs. If no registration
 * needs any page of RUN, give back all its pages and end RUN.
 */
static void give(struct xrdma_run *run, __u64 start, __u64 end)
{
	const bool all = !run->had;

	if (!xrdma_run_give(run, all ? run->start : start, all ? run->end : end)) {
		kept_back = true;
	} else if (all) {
		xrdma_spans_remove(run);
		LIST_REMOVE(run, next);
		xrdma_run_destroy(run);
	}
}

static void give_kept_back(void)
{
	struct xrdma_run *run = kept_back ? LIST_FIRST(&runs) : NULL, *next;

	kept_back = false;
	for (; run; run = next) {
		next = LIST_NEXT(run, next);
		give(run, run->start, run->end);
	}
}

static void leave(const struct xrdma_span *span)
{
	if (xrdma_run_leave(span->run, span->start, span->end))
		give(span->run, span->start, span->end);
}

static void leave_all(struct xrdma_adopted *adopted)
{
	while (adopted->count)
		leave(&adopted->spans[--adopted->count]);
	xrdma_adopted_free(adopted);
}

/* ADOPTED gets what SPAN has from START up to END, which comes after what ADOPTED has. */
static int hold(struct xrdma_adopted *adopted, const struct xrdma_span *span, __u64 start,
		__u64 end)
{
	int err;

	start = xrdma_greater(span->start, start);
	end = xrdma_lesser(span->end, end);
	err = xrdma_adopted_add(adopted, span, start, end);
	if (!err)
		xrdma_run_hold(span->run, start, end);
	return err;
}

/* What is being adopted, and what the process has there. */
struct adoption {
	struct xrdma_heap *heap;
	__u64 start, end;
	enum xrdma_adopt what;
	struct xrdma_mapping *mappings;
	int count;
	struct xrdma_control_block block; /* the first of a thread that ends after START */
};

/* No address from START up to END is any run's. */
static int take_away(__u64 start, __u64 end)
{
	const struct xrdma_span *span;
	__u64 at = start;
	int err = 0;

	while (!err && (span = xrdma_spans_first(at, end))) {
		at = span->end;
		err = xrdma_run_lose(span->run, xrdma_greater(start, span->start),
				     xrdma_lesser(end, at));
	}
	return err ?: xrdma_spans_cut(start, end);
}

/*
 * SPAN does not show what the process has from START up to END. Either this was mapped otherwise
 * since, and then it is no run's any more; or the kernel refused to move it back into the heap
 * after a fork, and that is an error.
 */
static int lose(const struct xrdma_span *span, __u64 start, __u64 end)
{
	const struct xrdma_run *run = span->run;

	if (xrdma_run_lacks(run, run->at + (start - run->start), end - start))
		return xrdma_fail(ENOMEM,
				  "the kernel refused to move the memory at %#llx back "
				  "into the heap after a fork(2)",
				  start);
	return take_away(start, end);
}

/* Refuse the page at AT, which is a run's, if the process may not read and write it any more. */
static int check_access(const struct adoption *adoption, __u64 at)
{
	__u64 end = adoption->end;
	const struct xrdma_mapping *mapping =
		xrdma_mappings_at(adoption->mappings, adoption->count, at, &end);
	bool of_file;
	size_t huge;

	if (adoption->what != XRDMA_ADOPT_ALL || !strncmp(mapping->flags, "rw", 2))
		return 0;
	return xrdma_adoptable(mapping, &of_file, &huge);
}

/*
 * Pages of runs that were mapped otherwise since are no run's any more. Those that are still where
 * they were put must be readable and writable.
 */
static int look_again(const struct adoption *adoption)
{
	const struct xrdma_span *span;
	__u64 at = adoption->start, end;
	int err = 0;

	while (!err && (span = xrdma_spans_first(at, adoption->end))) {
		at = xrdma_greater(at, span->start);
		if (xrdma_shown_in_place(span->run, at, adoption->mappings, adoption->count, &end))
			err = check_access(adoption, at);
		else
			err = lose(span, at, xrdma_lesser(end, adoption->end));
		at = end;
	}
	return err;
}

/* The pages from START up to END become those of a run. */
static int add(const struct adoption *adoption, __u64 start, __u64 end)
{
	struct xrdma_run *run;
	int err = xrdma_run_create(adoption->heap, start, end, adoption->mappings, adoption->count,
				   &run);

	if (err)
		return err;
	err = take_away(run->start, run->end) ?: xrdma_spans_add(run);
	if (err) {
		xrdma_run_destroy(run);
		return err;
	}
	LIST_INSERT_HEAD(&runs, run, next);
	err = xrdma_run_move(run);
	if (err)
		give(run, run->start, run->end);
	return err;
}

/* Up to END, no page from AT on is a run's. Returns what add() does. */
static int add_memory(const struct adoption *adoption, __u64 *at, __u64 end)
{
	int err = 0;

	if (adoption->what != XRDMA_ADOPT_ALL)
		xrdma_adoptable_find(adoption->mappings, adoption->count,
				     adoption->what == XRDMA_ADOPT_ANY, at, &end);
	if (adoption->what == XRDMA_ADOPT_ANY)
		err = xrdma_blocks_avoid(at, &end);
	else if (xrdma_block_is_in(&adoption->block, *at, end))
		err = xrdma_block_refuse(&adoption->block);
	if (err)
		return err;
	return *at < end ? add(adoption, *at, end) : 0;
}

static int join(const struct adoption *adoption, struct xrdma_adopted *adopted)
{
	__u64 at = adoption->start;
	int err = 0;

	while (at < adoption->end && !err) {
		const struct xrdma_span *span = xrdma_spans_first(at, adoption->end);

		if (!span || span->start > at) {
			err = add_memory(adoption, &at, span ? span->start : adoption->end);
		} else if (span->run->heap == adoption->heap) {
			err = hold(adopted, span, at, adoption->end);
			at = span->end;
		} else if (adoption->what == XRDMA_ADOPT_ANY) {
			at = span->end;
		} else {
			err = xrdma_fail(EBUSY,
					 "the memory at %#llx is registered with another context",
					 at);
		}
	}
	return err;
}

/* The stack of a thread is all memory below its control block, down to the next hole. */
static int look_for_threads(struct adoption *adoption, struct xrdma_adopted *adopted)
{
	const struct xrdma_control_block *block = &adoption->block;
	int err = xrdma_threads_next_block(adoption->start, &adoption->block);

	if (!err && block->end && adoption->what == XRDMA_ADOPT_ALL) {
		err = xrdma_mappings_fill(adoption->start, block->end);
		adopted->of_stack = err > 0;
	}
	if (err >= 0)
		return 0;
	return xrdma_fail(-err, "cannot list the threads of the process: %s", strerror(-err));
}

/*
 * If this fails, *OLD is whether the process has mapped something else there since it was listed,
 * and to try again may help.
 */
static int try_to_adopt(struct adoption *adoption, struct xrdma_adopted *adopted, bool *old)
{
	int err;

	*old = false;
	adoption->count = xrdma_mappings_list(adoption->start, adoption->end, &adoption->mappings);
	if (adoption->count < 0)
		return xrdma_fail(-adoption->count, "cannot list the mappings of the process: %s",
				  strerror(-adoption->count));
	err = look_for_threads(adoption, adopted) ?: look_again(adoption)
	      ?: join(adoption, adopted);
	if (err) {
		leave_all(adopted);
		kept_back = true; /* what was adopted, and could not be noted as held */
		*old = err != -ENOMEM && xrdma_mappings_are_old(adoption->mappings, adoption->count,
								adoption->start, adoption->end);
	}
	free(adoption->mappings);
	return err;
}

static int adopt(struct adoption *adoption, struct xrdma_adopted *adopted)
{
	enum { TRIES = 100 }; /* other threads may map and unmap memory all the time */
	bool old = true;
	int err = 0;

	for (int tries = 0; old && tries < TRIES; tries++) {
		*adopted = (struct xrdma_adopted){ .start = adoption->start, .end = adoption->end };
		err = try_to_adopt(adoption, adopted, &old);
	}
	return err;
}

int xrdma_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		struct xrdma_adopted *adopted)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	struct adoption adoption = {
		.heap = heap,
		.start = addr & ~in_page,
		.end = (addr + len + in_page) & ~in_page,
		.what = what,
	};
	int err;

	if (xrdma_mover_owns(adoption.start, adoption.end))
		return xrdma_fail(EOPNOTSUPP,
				  "the %llu bytes at %#llx have memory of the library's own among "
				  "them, which cannot be registered",
				  len, addr);
	xrdma_mutex_lock(&lock);
	give_kept_back();
	err = xrdma_mover_start() ?: adopt(&adoption, adopted);
	xrdma_mutex_unlock(&lock);
	return err;
}

int xrdma_adopt_again(const struct xrdma_adopted *adopted, __u64 start, __u64 end,
		      struct xrdma_adopted *copy)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	int err = 0;

	*copy = (struct xrdma_adopted){ .start = start & ~in_page,
					.end = (end + in_page) & ~in_page };
	xrdma_mutex_lock(&lock);
	for (size_t i = 0; i < adopted->count && !err; i++)
		if (adopted->spans[i].start < copy->end && adopted->spans[i].end > copy->start)
			err = hold(copy, &adopted->spans[i], copy->start, copy->end);
	if (err)
		leave_all(copy);
	xrdma_mutex_unlock(&lock);
	return err;
}

void xrdma_disown(struct xrdma_adopted *adopted)
{
	xrdma_mutex_lock(&lock);
	give_kept_back();
	leave_all(adopted);
	xrdma_mutex_unlock(&lock);
}

bool xrdma_adopt_lock(void)
{
	xrdma_mutex_lock(&lock);
	give_kept_back();
	return !LIST_EMPTY(&runs);
}

void xrdma_adopt_suspend(void)
{
	struct xrdma_run *run;

	LIST_FOREACH(run, &runs, next)
	xrdma_run_suspend(run);
}

int xrdma_adopt_resume(void)
{
	struct xrdma_run *run;
	int err = 0;

	LIST_FOREACH(run, &runs, next)
	err = xrdma_run_resume(run) ?: err;
	return err;
}

bool xrdma_adopt_lacks(const struct xrdma_heap *heap, __u64 at, __u64 len)
{
	const struct xrdma_run *run;
	bool lacks = false;

	LIST_FOREACH(run, &runs, next)
	lacks = lacks || (run->heap == heap && xrdma_run_lacks(run, at, len));
	return lacks;
}

void xrdma_adopt_unlock(void)
{
	xrdma_mutex_unlock(&lock);
}

void xrdma_adopt_forget(void)
{
	struct xrdma_run *run;

	while ((run = LIST_FIRST(&runs))) {
		LIST_REMOVE(run, next);
		xrdma_run_forget(run);
	}
	kept_back = false;
	xrdma_spans_forget();
	xrdma_mover_forget();
	xrdma_mutex_init(&lock, XRDMA_RANK_ADOPTED);
}

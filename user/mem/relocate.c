// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/relocate.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/error.h"
#include "mem/mover.h"
#include "mem/plan.h"
#include "mem/shown.h"

static int plan(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
{
	int err = xrdma_plan_check(run, mappings, count);

	if (err)
		return err;
	run->users = calloc((run->end - run->start) >> XRDMA_PAGE_SHIFT, sizeof(*run->users));
	if (!run->users)
		err = xrdma_fail(ENOMEM, "no memory for records of registered memory");
	if (!err)
		err = xrdma_heap_take(run->heap, run->end - run->start, run->align, &run->at);
	if (err)
		return err;
	err = xrdma_plan_moves(run, mappings, count);
	if (err)
		xrdma_heap_give(run->heap, run->at);
	return err;
}

int xrdma_run_create(struct xrdma_heap *heap, __u64 start, __u64 end,
		     const struct xrdma_mapping *mappings, int count, struct xrdma_run **run)
{
	int err;

	*run = malloc(sizeof(**run));
	if (!*run)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	**run = (struct xrdma_run){
		.start = start,
		.end = end,
		.heap = heap,
		.align = sysconf(_SC_PAGESIZE),
	};
	mappings = xrdma_mappings_in(mappings, &count, start, end);
	err = plan(*run, mappings, count);
	if (err)
		xrdma_run_forget(*run);
	return err;
}

int xrdma_run_move(struct xrdma_run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->count && !err; i++) {
		err = xrdma_move_in(&run->moves[i]);
		if (err)
			xrdma_fail(-err, "cannot register the memory at %p where it is: %s",
				   run->moves[i].at, strerror(-err));
	}
	return err;
}

/*
 * Returns whether what move I moved is where it put it, and notes how the process may access it
 * now. If that is so with a part of it only, parts become moves of their own.
 */
static bool is_there(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings,
		     int count)
{
	const __u64 at = (uintptr_t)run->moves[i].at;
	__u64 end;
	const bool shown = xrdma_shown_in_place(run, at, mappings, count, &end);
	const bool whole = end == xrdma_move_end(&run->moves[i]) || xrdma_run_split(run, i, end);

	if (!shown || !whole)
		return false;
	run->moves[i].prot = xrdma_mapping_prot(xrdma_mappings_at(mappings, count, at, &end));
	return true;
}

/*
 * Move the memory of move I back. If only a first part of it can be moved, the parts become moves
 * of their own. Returns -EAGAIN if the memory is not where it was any more, and nothing was moved;
 * or 0.
 */
static int move_out(struct xrdma_run *run, size_t i)
{
	struct xrdma_move *move = &run->moves[i];
	int err = xrdma_move_out(move);

	if (err && move->back && xrdma_run_split(run, i, (uintptr_t)move->at + move->back))
		run->moves[i].in = false;
	return err == -EAGAIN ? err : 0;
}

/* A list of the process's mappings up to END. */
struct view {
	struct xrdma_mapping *mappings;
	int count; /* or -errno */
	__u64 end;
};

/*
 * List the mappings where move I of RUN is in VIEW. Other threads may map and unmap memory at any
 * time, so these are listed anew for each move. If the kernel can only list all mappings, they are
 * listed once, up to the end of RUN. Returns whether the mappings are known.
 */
static bool look(struct view *view, const struct xrdma_run *run, size_t i)
{
	const struct xrdma_move *move = &run->moves[i];
	const bool asked = xrdma_mappings_are_asked();

	if (!asked && (uintptr_t)move->at < view->end)
		return view->count >= 0;
	free(view->mappings);
	view->end = asked ? xrdma_move_end(move) : run->end;
	view->count = xrdma_mappings_list((uintptr_t)move->at, view->end, &view->mappings);
	return view->count >= 0;
}

/*
 * Call MOVE for move I of RUN. It returns -EAGAIN if the process has mapped something else there
 * since its mappings were listed; then list them anew and call it again. Returns what MOVE returned
 * last, or -errno if there is no list.
 */
static int try(struct xrdma_run *run, size_t i, struct view *view,
	       int (*move)(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings,
			   int count))
{
	enum { TRIES = 5 };
	int err = -EAGAIN;

	for (int tries = 0; tries < TRIES && err == -EAGAIN; tries++) {
		if (!look(view, run, i))
			return view->count;
		err = move(run, i, view->mappings, view->count);
		if (err == -EAGAIN)
			view->end = 0;
	}
	return err;
}

/*
 * Give back move I, which has no users, or the first part of it, if it is not all there. Returns
 * what move_out() does.
 */
static int give(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings, int count)
{
	int err = 0;

	if (run->moves[i].in && is_there(run, i, mappings, count)) {
		err = move_out(run, i);
		run->moves[i].over = !run->moves[i].in;
	} else {
		xrdma_run_end_move(&run->moves[i]);
	}
	return err;
}

bool xrdma_run_give(struct xrdma_run *run, __u64 start, __u64 end)
{
	struct view view = { .end = 0 };
	bool all = true;

	for (size_t i = xrdma_run_move_at(run, start);
	     i < run->count && (uintptr_t)run->moves[i].at < end; i++) {
		if (run->moves[i].over || !xrdma_run_is_unused(run, i))
			continue;
		try(run, i, &view, give);
		all = all && run->moves[i].over;
	}
	free(view.mappings);
	return all;
}

void xrdma_run_destroy(struct xrdma_run *run)
{
	size_t restored = 0;

	for (size_t i = 0; i < run->count; i++)
		restored += run->moves[i].in ? 0 : run->moves[i].size;
	if (restored == run->end - run->start || !xrdma_shown_elsewhere(run))
		xrdma_heap_give(run->heap, run->at);
	xrdma_run_forget(run);
}

static int move_out_for_fork(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings,
			     int count)
{
	int err;

	if (!is_there(run, i, mappings, count))
		return 0;
	run->moves[i].watch = true;
	err = move_out(run, i);
	run->moves[i].watch = false;
	return err;
}

void xrdma_run_suspend(struct xrdma_run *run)
{
	struct view view = { .end = 0 };

	for (size_t i = 0; i < run->count; i++)
		if (run->moves[i].in && !run->moves[i].over)
			try(run, i, &view, move_out_for_fork);
	free(view.mappings);
}

/*
 * Move I in again, as far as the process still has it there. What was unmapped meanwhile, or mapped
 * anew, is over.
 */
static int move_again(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings,
		      int count)
{
	__u64 at = (uintptr_t)run->moves[i].at, end = xrdma_move_end(&run->moves[i]);
	const struct xrdma_mapping *mapping = xrdma_mappings_at(mappings, count, at, &end);
	bool gone;
	int err;

	if (end != xrdma_move_end(&run->moves[i]) && !xrdma_run_split(run, i, end))
		return -ENOMEM;
	if (mapping)
		run->moves[i].prot = xrdma_mapping_prot(mapping);
	gone = !mapping || mapping->inode || mapping->flags[3] != 'p';
	err = gone ? -ENOENT : xrdma_move_in(&run->moves[i]);
	if (err == -ENOENT)
		xrdma_run_end_move(&run->moves[i]);
	return err == -ENOENT ? 0 : err;
}

int xrdma_run_resume(struct xrdma_run *run)
{
	struct view view = { .end = 0 };
	int err = 0;

	for (size_t i = 0; i < run->count; i++)
		if (!run->moves[i].in && !run->moves[i].over)
			err = try(run, i, &view, move_again) ?: err;
	free(view.mappings);
	return err;
}

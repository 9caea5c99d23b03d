// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/plan.h"
#include "mem/shown.h"
#include "lib/error.h"
#include "mem/mover.h"

/* The number of the one at ADDR. */
static __u64 page_of(const struct xrdma_run *run, __u64 addr)
{
	return (addr - run->start) >> XRDMA_PAGE_SHIFT;
}

static int plan(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
{
	int err = xrdma_plan_check(run, mappings, count);

	if (err)
		return err;
	run->users = calloc(page_of(run, run->end), sizeof(*run->users));
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

void xrdma_run_forget(struct xrdma_run *run)
{
	free(run->users);
	free(run->moves);
	free(run);
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

static void drop_kept(struct xrdma_move *move)
{
	if (move->kept)
		munmap(move->kept, move->size);
	move->kept = NULL;
}

/* Move I becomes two, of which the second begins at AT. Of a huge page there are no halves. */
static bool split(struct xrdma_run *run, size_t i, __u64 at)
{
	struct xrdma_move *moves = reallocarray(run->moves, run->count + 1, sizeof(*moves));
	size_t size;

	if (!moves)
		return false;
	run->moves = moves;
	moves += i;
	if (moves->huge)
		drop_kept(moves);
	memmove(moves + 1, moves, (run->count++ - i) * sizeof(*moves));
	size = at - (uintptr_t)moves->at;
	moves[0].size = size;
	moves[1].size -= size;
	moves[1].at += size;
	moves[1].into += size;
	moves[1].fd_at += size;
	if (moves[1].kept)
		moves[1].kept += size;
	return true;
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
	const bool whole = end == xrdma_move_end(&run->moves[i]) || split(run, i, end);

	if (!shown || !whole)
		return false;
	run->moves[i].prot = xrdma_mapping_prot(xrdma_mappings_at(mappings, count, at, &end));
	return true;
}

static void end_move(struct xrdma_move *move)
{
	drop_kept(move);
	if (move->watched)
		xrdma_move_unwatch(move);
	move->over = true;
}

int xrdma_run_lose(struct xrdma_run *run, __u64 start, __u64 end)
{
	for (size_t i = 0; i < run->count && (uintptr_t)run->moves[i].at < end; i++) {
		const __u64 at = (uintptr_t)run->moves[i].at,
			    up_to = xrdma_move_end(&run->moves[i]);
		bool whole = true;

		if (run->moves[i].over || up_to <= start)
			continue;
		if (at < start)
			whole = split(run, i, start);
		else if (up_to > end)
			whole = split(run, i, end);
		if (!whole)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		if (at >= start)
			end_move(&run->moves[i]);
	}
	return 0;
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

	if (err && move->back && split(run, i, (uintptr_t)move->at + move->back))
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
		end_move(&run->moves[i]);
	}
	return err;
}

/* The first page from START on that has users, or has none; or END. */
static __u64 first_page(const struct xrdma_run *run, bool has, __u64 start, __u64 end)
{
	while (start < end && (run->users[page_of(run, start)] > 0) != has)
		start += XRDMA_PAGE;
	return start;
}

/* Whether move I has no users, or does not have any when it has become two. */
static bool has_none(struct xrdma_run *run, size_t i)
{
	const struct xrdma_move *move = &run->moves[i];
	const __u64 start = (uintptr_t)move->at, end = xrdma_move_end(move);
	const __u64 none = first_page(run, false, start, end);
	__u64 some;

	if (move->huge)
		return first_page(run, true, start, end) == end;
	if (none > start) { /* then the next has none */
		if (none < end)
			split(run, i, none);
		return false;
	}
	some = first_page(run, true, start, end);
	return some == end || split(run, i, some);
}

/* The first move of RUN that ends after AT. */
static size_t move_at(const struct xrdma_run *run, __u64 at)
{
	size_t i = 0;

	while (xrdma_move_end(&run->moves[i]) <= at)
		i++;
	return i;
}

bool xrdma_run_give(struct xrdma_run *run, __u64 start, __u64 end)
{
	struct view view = { .end = 0 };
	bool all = true;

	for (size_t i = move_at(run, start); i < run->count && (uintptr_t)run->moves[i].at < end;
	     i++) {
		if (run->moves[i].over || !has_none(run, i))
			continue;
		try(run, i, &view, give);
		all = all && run->moves[i].over;
	}
	free(view.mappings);
	return all;
}

/* Returns whether some of the pages have no users then. */
static bool count_users(struct xrdma_run *run, __u64 start, __u64 end, int change)
{
	bool unused = false;

	for (__u64 page = page_of(run, start); page < page_of(run, end); page++)
		unused |= !(run->users[page] += change);
	run->had += change * (__s64)((end - start) >> XRDMA_PAGE_SHIFT);
	return unused;
}

void xrdma_run_hold(struct xrdma_run *run, __u64 start, __u64 end)
{
	count_users(run, start, end, 1);
}

bool xrdma_run_leave(struct xrdma_run *run, __u64 start, __u64 end)
{
	return count_users(run, start, end, -1);
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

	if (end != xrdma_move_end(&run->moves[i]) && !split(run, i, end))
		return -ENOMEM;
	if (mapping)
		run->moves[i].prot = xrdma_mapping_prot(mapping);
	gone = !mapping || mapping->inode || mapping->flags[3] != 'p';
	err = gone ? -ENOENT : xrdma_move_in(&run->moves[i]);
	if (err == -ENOENT)
		end_move(&run->moves[i]);
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

bool xrdma_run_lacks(const struct xrdma_run *run, __u64 at, __u64 len)
{
	const __u64 end = at + len;
	__u64 start = run->at;
	bool lacks = false;

	if (end <= start || at >= start + (run->end - run->start))
		return false;
	for (size_t i = 0; i < run->count && !lacks; i++) {
		const struct xrdma_move *move = &run->moves[i];

		lacks = !move->in && !move->over && start < end && start + move->size > at;
		start += move->size;
	}
	return lacks;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/error.h"
#include "mem/mover.h"

/* Returns the number of the page at ADDR. */
static __u64 page_of(const struct xrdma_run *run, __u64 addr)
{
	return (addr - run->start) >> XRDMA_PAGE_SHIFT;
}

static void drop_kept(struct xrdma_move *move)
{
	if (move->kept)
		munmap(move->kept, move->size);
	move->kept = NULL;
}

bool xrdma_run_split(struct xrdma_run *run, size_t i, __u64 at)
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

void xrdma_run_end_move(struct xrdma_move *move)
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
			whole = xrdma_run_split(run, i, start);
		else if (up_to > end)
			whole = xrdma_run_split(run, i, end);
		if (!whole)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		if (at >= start)
			xrdma_run_end_move(&run->moves[i]);
	}
	return 0;
}

/* Returns the first page in START to END that has users if HAS, else that has none; END: none. */
static __u64 first_page(const struct xrdma_run *run, bool has, __u64 start, __u64 end)
{
	while (start < end && (run->users[page_of(run, start)] > 0) != has)
		start += XRDMA_PAGE;
	return start;
}

bool xrdma_run_is_unused(struct xrdma_run *run, size_t i)
{
	const struct xrdma_move *move = &run->moves[i];
	const __u64 start = (uintptr_t)move->at, end = xrdma_move_end(move);
	const __u64 none = first_page(run, false, start, end);
	__u64 some;

	if (move->huge)
		return first_page(run, true, start, end) == end;
	if (none > start) { /* then the next has none */
		if (none < end)
			xrdma_run_split(run, i, none);
		return false;
	}
	some = first_page(run, true, start, end);
	return some == end || xrdma_run_split(run, i, some);
}

size_t xrdma_run_move_at(const struct xrdma_run *run, __u64 at)
{
	size_t i = 0;

	while (xrdma_move_end(&run->moves[i]) <= at)
		i++;
	return i;
}

/* Add CHANGE to the users of the pages in START to END. Returns whether a page then has none. */
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

void xrdma_run_forget(struct xrdma_run *run)
{
	free(run->users);
	free(run->moves);
	free(run);
}

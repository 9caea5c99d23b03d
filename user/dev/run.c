// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev/adoptable.h"
#include "lib/error.h"
#include "lib/mover.h"

/* So that who uses memory while it is moved does not wait for long. */
enum { MOVE_MAX = 64 << 20 };

static __u64 lesser(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __u64 greater(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* The number of the one at ADDR. */
static __u64 page_of(const struct xrdma_run *run, __u64 addr)
{
	return (addr - run->start) >> XRDMA_PAGE_SHIFT;
}

/* One more move, of what is at AT of the process, as long as a map of the heap can be. */
static struct xrdma_move *add_move(struct xrdma_run *run, __u64 at)
{
	struct xrdma_move *moves = reallocarray(run->moves, run->count + 1, sizeof(*moves));
	const __u64 heap_at = run->at + (at - run->start);

	if (!moves)
		return NULL;
	run->moves = moves;
	moves += run->count++;
	*moves = (struct xrdma_move){ .at = (char *)at, .into = run->heap->bytes + heap_at };
	moves->size = xrdma_heap_part(run->heap, heap_at, &moves->fd, &moves->fd_at);
	return moves;
}

/* Of what RUN has of MAPPING. */
static int plan(struct xrdma_run *run, const struct xrdma_mapping *mapping)
{
	const __u64 end = lesser(mapping->end, run->end);
	struct xrdma_move *move;
	bool of_file;
	size_t huge, max;
	int err = xrdma_adoptable(mapping, &of_file, &huge);

	if (err)
		return err;
	max = huge ?: of_file ? XRDMA_MOVE_OF_FILE_MAX : MOVE_MAX;
	for (__u64 at = greater(mapping->start, run->start); at < end; at += move->size) {
		move = add_move(run, at);
		if (!move)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		move->size = lesser(move->size, lesser(max, end - at));
		move->of_file = of_file;
		move->huge = huge;
	}
	return 0;
}

/* Up to whole huge pages where RUN begins or ends in such. */
static int widen(struct xrdma_run *run, const struct xrdma_mapping *mapping)
{
	bool of_file;
	size_t huge;
	int err = xrdma_adoptable(mapping, &of_file, &huge);

	if (err || !huge)
		return err;
	if (run->start > mapping->start)
		run->start -= run->start % huge;
	if (run->end < mapping->end)
		run->end += -run->end % huge;
	run->align = lesser(huge, XRDMA_HEAP_ELEMENT);
	return 0;
}

/* Whether all of RUN is there, and can be adopted. */
static int check(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
{
	__u64 at = run->start;
	int err = 0, i;

	for (i = 0; i < count && mappings[i].start <= at && !err; i++) {
		err = widen(run, &mappings[i]);
		at = mappings[i].end;
	}
	if (err || at >= run->end)
		return err;
	return xrdma_fail(EFAULT, "there is no memory at %#llx", at);
}

/* The stack, of which the lowest page grows downwards, is to have one that is not moved. */
static void grow_stack(const struct xrdma_run *run, const struct xrdma_mapping *mapping)
{
	if (run->start <= mapping->start && !strcmp(mapping->name, "[stack]"))
		(void)*((volatile char *)mapping->start - 1);
}

static int move_all(struct xrdma_run *run)
{
	size_t done = 0;
	int err = 0;

	for (; done < run->count && !err; done += !err)
		err = xrdma_move_in(&run->moves[done]);
	if (!err)
		return 0;
	xrdma_fail(-err, "cannot register the memory at %p where it is: %s", run->moves[done].at,
		   strerror(-err));
	while (done--)
		xrdma_move_out(&run->moves[done]);
	return err;
}

static int adopt(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
{
	int err = check(run, mappings, count) ?: xrdma_mover_start();

	if (err)
		return err;
	run->users = calloc(page_of(run, run->end), sizeof(*run->users));
	if (!run->users)
		err = xrdma_fail(ENOMEM, "no memory for records of registered memory");
	if (!err)
		err = xrdma_heap_take(run->heap, run->end - run->start, run->align, &run->at);
	if (err)
		return err;
	for (int i = 0; i < count && !err; i++)
		err = plan(run, &mappings[i]);
	if (!err) {
		grow_stack(run, &mappings[0]);
		err = move_all(run);
	}
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
	err = adopt(*run, mappings, count);
	if (err)
		xrdma_run_forget(*run);
	return err;
}

/* Whether MAPPING is a map's, and begins or goes on with the byte at AT of the map that has it. */
static bool shows(const struct xrdma_mapping *mapping, __u64 addr, off_t fd_at)
{
	return !strcmp(mapping->name, "anon_inode:bpf-map") &&
	       mapping->offset + (addr - mapping->start) == (__u64)fd_at;
}

static __u64 end_of(const struct xrdma_move *move)
{
	return (uintptr_t)move->at + move->size;
}

bool xrdma_run_shows(const struct xrdma_run *run, __u64 at, const struct xrdma_mapping *mappings,
		     int count, __u64 *end)
{
	const struct xrdma_move *move = run->moves;
	bool there = false, shown = false;

	while (end_of(move) <= at)
		move++;
	*end = end_of(move);
	mappings = xrdma_mappings_in(mappings, &count, at, *end);
	if (count) {
		there = mappings->start <= at;
		*end = lesser(*end, there ? mappings->end : mappings->start);
	}
	if (there)
		shown = shows(mappings, at, move->fd_at + (at - (uintptr_t)move->at));
	return shown;
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
 * Whether what move I moved is where it put it. If that is so with a part of it only, parts become
 * moves of their own.
 */
static bool is_there(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings,
		     int count)
{
	__u64 end;
	bool shown = xrdma_run_shows(run, (uintptr_t)run->moves[i].at, mappings, count, &end);
	bool whole = end == end_of(&run->moves[i]) || split(run, i, end);

	return shown && whole;
}

/* Whether the process has some of RUN's memory elsewhere than in the heap. */
static bool is_mapped(const struct xrdma_run *run, const struct xrdma_mapping *mapping)
{
	const __u64 start = (uintptr_t)run->heap->bytes, end = start + XRDMA_HEAP_MAX;
	const __u64 size = mapping->end - mapping->start;
	bool found = false;

	if (strcmp(mapping->name, "anon_inode:bpf-map") ||
	    (mapping->start >= start && mapping->start < end))
		return false;
	for (size_t i = 0; i < run->count && !found; i++) {
		const struct xrdma_move *move = &run->moves[i];
		__u64 from = greater(mapping->offset, move->fd_at);

		found = from < lesser(mapping->offset + size, move->fd_at + move->size) &&
			xrdma_mapping_same(mapping->start + (from - mapping->offset),
					   (uintptr_t)move->into + (from - move->fd_at));
	}
	return found;
}

static bool is_mapped_elsewhere(const struct xrdma_run *run)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(0, ~0ULL, &mappings);
	bool found = count < 0;

	for (int i = 0; i < count && !found; i++)
		found = is_mapped(run, &mappings[i]);
	free(mappings);
	return found;
}

/* Move I has no users. Of it this is the first part, if it is not all there. */
static void give(struct xrdma_run *run, size_t i, const struct xrdma_mapping *mappings, int count)
{
	if (!is_there(run, i, mappings, count))
		drop_kept(&run->moves[i]);
	else if (xrdma_move_out(&run->moves[i]))
		return;
	run->moves[i].over = true;
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
	const __u64 start = (uintptr_t)move->at, end = end_of(move);
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

static void give_unused(struct xrdma_run *run, __u64 start, __u64 end)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(run->start, run->end, &mappings);
	size_t i = 0;

	while (end_of(&run->moves[i]) <= start)
		i++;
	for (; i < run->count && (uintptr_t)run->moves[i].at < end; i++)
		if (!run->moves[i].over && has_none(run, i))
			give(run, i, mappings, count);
	free(mappings);
}

static void count_users(struct xrdma_run *run, __u64 start, __u64 end, int change)
{
	for (__u64 page = page_of(run, start); page < page_of(run, end); page++)
		run->users[page] += change;
	run->had += change * (__s64)((end - start) >> XRDMA_PAGE_SHIFT);
}

void xrdma_run_hold(struct xrdma_run *run, __u64 start, __u64 end)
{
	count_users(run, start, end, 1);
}

void xrdma_run_leave(struct xrdma_run *run, __u64 start, __u64 end)
{
	count_users(run, start, end, -1);
	if (run->had)
		give_unused(run, start, end);
}

void xrdma_run_destroy(struct xrdma_run *run)
{
	size_t restored = 0;

	give_unused(run, run->start, run->end);
	for (size_t i = 0; i < run->count; i++)
		restored += run->moves[i].in ? 0 : run->moves[i].size;
	if (restored == run->end - run->start || !is_mapped_elsewhere(run))
		xrdma_heap_give(run->heap, run->at);
	xrdma_run_forget(run);
}

void xrdma_run_suspend(struct xrdma_run *run)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(run->start, run->end, &mappings);

	for (size_t i = 0; i < run->count; i++)
		if (!run->moves[i].over && is_there(run, i, mappings, count))
			xrdma_move_out(&run->moves[i]);
	free(mappings);
}

int xrdma_run_resume(struct xrdma_run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->count; i++)
		if (!run->moves[i].in && !run->moves[i].over)
			err = xrdma_move_in(&run->moves[i]) ?: err;
	return err;
}

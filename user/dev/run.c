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
	free(run->moves);
	free(run);
}

int xrdma_run_create(struct xrdma_heap *heap, __u64 start, __u64 end, struct xrdma_run **run)
{
	struct xrdma_mapping *mappings;
	int err, count = xrdma_mappings_list(start, end, &mappings);

	if (count < 0)
		return xrdma_fail(-count, "cannot read /proc/self/maps: %s", strerror(-count));
	*run = malloc(sizeof(**run));
	if (*run) {
		**run = (struct xrdma_run){
			.start = start,
			.end = end,
			.heap = heap,
			.align = sysconf(_SC_PAGESIZE),
		};
		err = adopt(*run, mappings, count);
		if (err)
			xrdma_run_forget(*run);
	} else {
		err = xrdma_fail(ENOMEM, "no memory for records of registered memory");
	}
	free(mappings);
	return err;
}

/* Whether MAPPING is a map's, and begins or goes on with the byte at AT of the map that has it. */
static bool shows(const struct xrdma_mapping *mapping, __u64 addr, off_t fd_at)
{
	return !strcmp(mapping->name, "anon_inode:bpf-map") &&
	       mapping->offset + (addr - mapping->start) == (__u64)fd_at;
}

/* What MOVE moved of the pages from START up to END is the process's own again. */
static bool move_back(const struct xrdma_move *move, __u64 start, __u64 end)
{
	const size_t skip = start - (uintptr_t)move->at;
	struct xrdma_move part = *move;

	part.at += skip;
	part.into += skip;
	part.size = end - start;
	if (part.kept)
		part.kept += skip;
	return !xrdma_move_out(&part);
}

/* What MOVE kept for the addresses from START up to END is of no use. */
static void drop_kept(const struct xrdma_move *move, __u64 start, __u64 end)
{
	if (move->kept && start < end)
		munmap(move->kept + (start - (uintptr_t)move->at), end - start);
}

/* Returns how many bytes were found where MOVE put them, and are the process's own again. */
static size_t restore(const struct xrdma_move *move, const struct xrdma_mapping *mappings,
		      int count)
{
	const __u64 move_end = (uintptr_t)move->at + move->size;
	__u64 at = (uintptr_t)move->at;
	size_t restored = 0;

	for (int i = 0; i < count && at < move_end; i++) {
		__u64 start = greater(mappings[i].start, at);
		__u64 end = lesser(mappings[i].end, move_end);

		if (start >= end ||
		    !shows(&mappings[i], start, move->fd_at + (start - (uintptr_t)move->at)))
			continue;
		drop_kept(move, at, start);
		if (move_back(move, start, end))
			restored += end - start;
		at = end;
	}
	drop_kept(move, at, move_end);
	return restored;
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

void xrdma_run_destroy(struct xrdma_run *run)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(run->start, run->end, &mappings);
	size_t restored = 0;

	for (size_t i = 0; i < run->count; i++)
		restored += restore(&run->moves[i], mappings, count);
	free(mappings);
	if (restored == run->end - run->start || !is_mapped_elsewhere(run))
		xrdma_heap_give(run->heap, run->at);
	xrdma_run_forget(run);
}

/* Whether what MOVE moved is all where it put it. */
static bool is_whole(const struct xrdma_move *move, const struct xrdma_mapping *mappings, int count)
{
	const __u64 start = (uintptr_t)move->at, end = start + move->size;
	bool whole = false;

	for (int i = 0; i < count && !whole; i++)
		whole = mappings[i].start <= start && mappings[i].end >= end &&
			shows(&mappings[i], start, move->fd_at);
	return whole;
}

void xrdma_run_suspend(struct xrdma_run *run)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(run->start, run->end, &mappings);

	for (size_t i = 0; i < run->count; i++)
		if (is_whole(&run->moves[i], mappings, count))
			xrdma_move_out(&run->moves[i]);
	free(mappings);
}

int xrdma_run_resume(struct xrdma_run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->count; i++)
		if (!run->moves[i].in)
			err = xrdma_move_in(&run->moves[i]) ?: err;
	return err;
}

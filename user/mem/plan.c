// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/bounds.h"
#include "lib/error.h"
#include "mem/adoptable.h"
#include "mem/mover.h"

/* So that who uses memory while it is moved does not wait for long. */
enum { MOVE_MAX = 64 << 20 };

/* One more move, of what is at AT of the process, as long as a map of the heap can be. */
static struct xrdma_move *add_move(struct xrdma_run *run, __u64 at)
{
	struct xrdma_move *moves = reallocarray(run->moves, run->count + 1, sizeof(*moves));
	const __u64 heap_at = run->at + (at - run->start);

	if (!moves)
		return NULL;
	run->moves = moves;
	moves += run->count++;
	*moves = (struct xrdma_move){
		.at = (char *)at,
		.prot = PROT_READ | PROT_WRITE,
		.into = run->heap->bytes + heap_at,
	};
	moves->size = xrdma_heap_part(run->heap, heap_at, &moves->fd, &moves->fd_at);
	return moves;
}

/* Of what RUN has of MAPPING. */
static int add_moves(struct xrdma_run *run, const struct xrdma_mapping *mapping)
{
	const __u64 end = xrdma_lesser(mapping->end, run->end);
	struct xrdma_move *move;
	bool of_file;
	size_t huge, max;
	int err = xrdma_adoptable(mapping, &of_file, &huge);

	if (err)
		return err;
	max = huge ?: of_file ? XRDMA_MOVE_OF_FILE_MAX : MOVE_MAX;
	for (__u64 at = xrdma_greater(mapping->start, run->start); at < end; at += move->size) {
		move = add_move(run, at);
		if (!move)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		move->size = xrdma_lesser(move->size, xrdma_lesser(max, end - at));
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
	run->align = xrdma_lesser(huge, XRDMA_HEAP_ELEMENT);
	return 0;
}

int xrdma_plan_check(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
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

int xrdma_plan_moves(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count)
{
	int err = 0;

	for (int i = 0; i < count && !err; i++)
		err = add_moves(run, &mappings[i]);
	if (!err)
		grow_stack(run, &mappings[0]);
	return err;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/pinning.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/error.h"
#include "mem/relocator.h"
#include "mem/relocations.h"
#include "mem/shown.h"

static int plan(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mappings, int count)
{
	int err = xrdma_relocations_check(pinned, mappings, count);

	if (err)
		return err;
	pinned->users =
		calloc((pinned->end - pinned->start) >> XRDMA_PAGE_SHIFT, sizeof(*pinned->users));
	if (!pinned->users)
		err = xrdma_fail(ENOMEM, "no memory for records of registered memory");
	if (!err)
		err = xrdma_heap_take(pinned->heap, pinned->end - pinned->start, pinned->align,
				      &pinned->at);
	if (err)
		return err;
	err = xrdma_relocations_add(pinned, mappings, count);
	if (err)
		xrdma_heap_give(pinned->heap, pinned->at);
	return err;
}

int xrdma_pinned_create(struct xrdma_heap *heap, __u64 start, __u64 end,
			const struct xrdma_mapping *mappings, int count,
			struct xrdma_pinned_range **pinned)
{
	int err;

	*pinned = malloc(sizeof(**pinned));
	if (!*pinned)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	**pinned = (struct xrdma_pinned_range){
		.start = start,
		.end = end,
		.heap = heap,
		.align = sysconf(_SC_PAGESIZE),
	};
	mappings = xrdma_mappings_in(mappings, &count, start, end);
	err = plan(*pinned, mappings, count);
	if (err)
		xrdma_pinned_forget(*pinned);
	return err;
}

int xrdma_pinned_relocate(struct xrdma_pinned_range *pinned)
{
	int err = 0;

	for (size_t i = 0; i < pinned->count && !err; i++) {
		err = xrdma_relocate_in(&pinned->relocations[i]);
		if (err)
			xrdma_fail(-err, "cannot register the memory at %p where it is: %s",
				   pinned->relocations[i].at, strerror(-err));
	}
	return err;
}

/*
 * Returns whether the pages of relocation I are still mapped where it put them, and notes how the
 * process may access them now. If only the first of them are, relocation I is split.
 */
static bool is_there(struct xrdma_pinned_range *pinned, size_t i,
		     const struct xrdma_mapping *mappings, int count)
{
	const __u64 at = (uintptr_t)pinned->relocations[i].at;
	__u64 end;
	const bool shown = xrdma_shown_in_place(pinned, at, mappings, count, &end);
	const bool whole = end == xrdma_relocation_end(&pinned->relocations[i]) ||
			   xrdma_pinned_split(pinned, i, end);

	if (!shown || !whole)
		return false;
	pinned->relocations[i].prot =
		xrdma_mapping_prot(xrdma_mappings_at(mappings, count, at, &end));
	return true;
}

/*
 * Move the pages of relocation I back. If the kernel moves only the first of them, split relocation
 * I. Returns 0, or -EAGAIN: the pages are not mapped there any more, and nothing was moved.
 */
static int move_out(struct xrdma_pinned_range *pinned, size_t i)
{
	struct xrdma_relocation *relocation = &pinned->relocations[i];
	int err = xrdma_relocate_out(relocation);

	if (err && relocation->back &&
	    xrdma_pinned_split(pinned, i, (uintptr_t)relocation->at + relocation->back))
		pinned->relocations[i].in = false;
	return err == -EAGAIN ? err : 0;
}

/* A list of the process's mappings up to END. */
struct view {
	struct xrdma_mapping *mappings;
	int count; /* or -errno */
	__u64 end;
};

/*
 * List the mappings at the addresses of relocation I of PINNED in VIEW. Other threads may map and
 * unmap memory at any time, so they are listed anew for each relocation. If the kernel can only
 * list all mappings, they are listed once, up to the end of PINNED. Returns whether the mappings
 * are known.
 */
static bool look(struct view *view, const struct xrdma_pinned_range *pinned, size_t i)
{
	const struct xrdma_relocation *relocation = &pinned->relocations[i];
	const bool asked = xrdma_mappings_are_asked();

	if (!asked && (uintptr_t)relocation->at < view->end)
		return view->count >= 0;
	free(view->mappings);
	view->end = asked ? xrdma_relocation_end(relocation) : pinned->end;
	view->count = xrdma_mappings_list((uintptr_t)relocation->at, view->end, &view->mappings);
	return view->count >= 0;
}

/*
 * Call STEP for relocation I of PINNED. STEP returns -EAGAIN if the process has mapped something
 * else there since its mappings were listed. Then list them anew, and call STEP again. Returns the
 * last result of STEP, or -errno if there is no list.
 */
static int try(struct xrdma_pinned_range *pinned, size_t i, struct view *view,
	       int (*step)(struct xrdma_pinned_range *pinned, size_t i,
			   const struct xrdma_mapping *mappings, int count))
{
	enum { TRIES = 5 };
	int err = -EAGAIN;

	for (int tries = 0; tries < TRIES && err == -EAGAIN; tries++) {
		if (!look(view, pinned, i))
			return view->count;
		err = step(pinned, i, view->mappings, view->count);
		if (err == -EAGAIN)
			view->end = 0;
	}
	return err;
}

/*
 * Give back the pages of relocation I, which has no users, or the first of them, if not all are
 * there. Returns 0 or an error of move_out().
 */
static int give(struct xrdma_pinned_range *pinned, size_t i, const struct xrdma_mapping *mappings,
		int count)
{
	int err = 0;

	if (pinned->relocations[i].in && is_there(pinned, i, mappings, count)) {
		err = move_out(pinned, i);
		pinned->relocations[i].over = !pinned->relocations[i].in;
	} else {
		xrdma_relocation_finish(&pinned->relocations[i]);
	}
	return err;
}

bool xrdma_pinned_give_back(struct xrdma_pinned_range *pinned, __u64 start, __u64 end)
{
	struct view view = { .end = 0 };
	bool all = true;

	for (size_t i = xrdma_pinned_relocation_at(pinned, start);
	     i < pinned->count && (uintptr_t)pinned->relocations[i].at < end; i++) {
		if (pinned->relocations[i].over || !xrdma_pinned_is_unused(pinned, i))
			continue;
		try(pinned, i, &view, give);
		all = all && pinned->relocations[i].over;
	}
	free(view.mappings);
	return all;
}

void xrdma_pinned_destroy(struct xrdma_pinned_range *pinned)
{
	size_t restored = 0;

	for (size_t i = 0; i < pinned->count; i++)
		restored += pinned->relocations[i].in ? 0 : pinned->relocations[i].size;
	if (restored == pinned->end - pinned->start || !xrdma_shown_elsewhere(pinned))
		xrdma_heap_give(pinned->heap, pinned->at);
	xrdma_pinned_forget(pinned);
}

static int move_out_for_fork(struct xrdma_pinned_range *pinned, size_t i,
			     const struct xrdma_mapping *mappings, int count)
{
	int err;

	if (!is_there(pinned, i, mappings, count))
		return 0;
	pinned->relocations[i].watch = true;
	err = move_out(pinned, i);
	pinned->relocations[i].watch = false;
	return err;
}

void xrdma_pinned_suspend(struct xrdma_pinned_range *pinned)
{
	struct view view = { .end = 0 };

	for (size_t i = 0; i < pinned->count; i++)
		if (pinned->relocations[i].in && !pinned->relocations[i].over)
			try(pinned, i, &view, move_out_for_fork);
	free(view.mappings);
}

/*
 * Move the pages of relocation I in again, as far as they are still mapped. Finish the relocation
 * for pages that were unmapped meanwhile, or mapped anew.
 */
static int move_again(struct xrdma_pinned_range *pinned, size_t i,
		      const struct xrdma_mapping *mappings, int count)
{
	__u64 at = (uintptr_t)pinned->relocations[i].at,
	      end = xrdma_relocation_end(&pinned->relocations[i]);
	const struct xrdma_mapping *mapping = xrdma_mappings_at(mappings, count, at, &end);
	bool gone;
	int err;

	if (end != xrdma_relocation_end(&pinned->relocations[i]) &&
	    !xrdma_pinned_split(pinned, i, end))
		return -ENOMEM;
	if (mapping)
		pinned->relocations[i].prot = xrdma_mapping_prot(mapping);
	gone = !mapping || mapping->inode || mapping->flags[3] != 'p';
	err = gone ? -ENOENT : xrdma_relocate_in(&pinned->relocations[i]);
	if (err == -ENOENT)
		xrdma_relocation_finish(&pinned->relocations[i]);
	return err == -ENOENT ? 0 : err;
}

int xrdma_pinned_resume(struct xrdma_pinned_range *pinned)
{
	struct view view = { .end = 0 };
	int err = 0;

	for (size_t i = 0; i < pinned->count; i++)
		if (!pinned->relocations[i].in && !pinned->relocations[i].over)
			err = try(pinned, i, &view, move_again) ?: err;
	free(view.mappings);
	return err;
}

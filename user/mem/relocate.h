/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Move pages of the process into a heap, as one run (mem/run.h), and back. Not thread safe:
 * mem/adopt.c calls these functions under its lock.
 */
#ifndef XRDMA_USER_MEM_RELOCATE_H
#define XRDMA_USER_MEM_RELOCATE_H

#include "mem/mappings.h"
#include "mem/run.h"

/*
 * Plan to adopt the pages from START up to END, which no other run has. MAPPINGS are COUNT of the
 * process's: all that have such addresses, or more. Nothing is moved yet. The caller ends *RUN with
 * xrdma_run_destroy(). Returns 0 or, with xrdma_error() set and nothing changed, what xrdma_adopt()
 * does.
 */
int xrdma_run_create(struct xrdma_heap *heap, __u64 start, __u64 end,
		     const struct xrdma_mapping *mappings, int count, struct xrdma_run **run);

/*
 * Move the pages into the heap. Returns 0 or, with xrdma_error() set, -errno: some may have been
 * moved. Then the caller gives them back with xrdma_run_give(), as if somebody had had them.
 */
int xrdma_run_move(struct xrdma_run *run);

/*
 * Give back the pages from START up to END that nobody has: what they hold becomes the process's
 * own again, where it is mapped as RUN mapped it. Their place in the heap remains RUN's. Returns
 * whether that is done; else the kernel refused it for some pages, which the process still has as
 * pages of the heap, and the caller tries again later.
 */
bool xrdma_run_give(struct xrdma_run *run, __u64 start, __u64 end);

/*
 * End a run that nobody has and that has given back all pages. What was mapped elsewhere meanwhile,
 * by mremap(2), remains memory of the heap, which does not give it to others.
 */
void xrdma_run_destroy(struct xrdma_run *run);

/*
 * For a while, the pages are the process's own, where they are still mapped as they were. Then they
 * are the heap's again, but for those that were unmapped meanwhile, which are RUN's no more.
 * xrdma_run_resume() returns 0 or -errno: other pages are not the heap's.
 */
void xrdma_run_suspend(struct xrdma_run *run);
int xrdma_run_resume(struct xrdma_run *run);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where the process has mapped the pages of a run (mem/run.h). The process maps, unmaps and remaps
 * memory without the library's knowledge; the lists of mappings that the kernel gives tell.
 */
#ifndef XRDMA_USER_MEM_SHOWN_H
#define XRDMA_USER_MEM_SHOWN_H

#include "mem/mappings.h"
#include "mem/run.h"

/*
 * Returns whether the page at AT, which is RUN's, is still mapped where xrdma_run_move() put it.
 * The answer holds for the addresses up to *END at least. MAPPINGS are COUNT of the process's: all
 * that have such addresses, or more.
 */
bool xrdma_shown_in_place(const struct xrdma_run *run, __u64 at,
			  const struct xrdma_mapping *mappings, int count, __u64 *end);

/*
 * Returns whether the process has memory of RUN mapped anywhere else than in the heap, or whether
 * that cannot be known.
 */
bool xrdma_shown_elsewhere(const struct xrdma_run *run);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Find out where the process has mapped the pages of a pinned range (mem/pinned.h). The process
 * maps, unmaps and remaps memory without the library's knowledge. The kernel's lists of mappings
 * show the result.
 */
#ifndef XRDMA_USER_MEM_SHOWN_H
#define XRDMA_USER_MEM_SHOWN_H

#include "mem/mappings.h"
#include "mem/pinned.h"

/*
 * Returns whether the page at AT of PINNED is still mapped where xrdma_pinned_relocate() put it.
 * The answer holds for the addresses from AT up to *END at least. MAPPINGS has COUNT mappings of
 * the process, among them all at these addresses.
 */
bool xrdma_shown_in_place(const struct xrdma_pinned_range *pinned, __u64 at,
			  const struct xrdma_mapping *mappings, int count, __u64 *end);

/*
 * Returns true if the process has mapped memory of PINNED anywhere else than in the heap, or if
 * that cannot be known.
 */
bool xrdma_shown_elsewhere(const struct xrdma_pinned_range *pinned);

#endif

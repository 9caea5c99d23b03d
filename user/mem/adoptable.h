/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which memory of the process can be registered in place. */
#ifndef XRDMA_USER_MEM_ADOPTABLE_H
#define XRDMA_USER_MEM_ADOPTABLE_H

#include <stddef.h>

#include "mem/mappings.h"

/*
 * Check that the memory in MAPPING can be adopted: it belongs only to this process, which may write
 * to it. *OF_FILE becomes whether to move it like memory of a file (mem/relocator.h). *HUGE becomes
 * the size of its huge pages in bytes, or 0. Returns 0 or, with xrdma_error() set to the kind of
 * the mapping, -EFAULT (it cannot be read and written) or -EOPNOTSUPP (it is not private).
 */
int xrdma_adoptable(const struct xrdma_mapping *mapping, bool *of_file, size_t *huge);

/*
 * Find the first memory between *AT and *END in the process's COUNT MAPPINGS, and set both to its
 * bounds; if there is none, set *AT to *END. Mappings that are reserved are no memory. If
 * ADOPTABLE_ONLY is true, those that xrdma_adoptable() refuses are not, either.
 */
void xrdma_adoptable_find(const struct xrdma_mapping *mappings, int count, bool adoptable_only,
			  __u64 *at, __u64 *end);

#endif

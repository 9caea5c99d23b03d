/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which memory of the process can be registered in place. */
#ifndef XRDMA_USER_MEM_ADOPTABLE_H
#define XRDMA_USER_MEM_ADOPTABLE_H

#include <stddef.h>

#include "mem/mappings.h"

/*
 * Whether what lies in MAPPING can be: memory that is the process's alone and that it may write.
 * Sets *OF_FILE: it is moved as that (mem/relocator.h); *HUGE: bytes of its pages if these are huge
 * ones, else 0. Returns 0 or, with xrdma_error() set to what the mapping is, -EFAULT (it cannot be
 * read and written) or -EOPNOTSUPP (it is not the process's alone).
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

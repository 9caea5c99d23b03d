/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Plan the relocations of a pinned range. Nothing is moved here. */
#ifndef XRDMA_USER_MEM_RELOCATIONS_H
#define XRDMA_USER_MEM_RELOCATIONS_H

#include "mem/mappings.h"
#include "mem/pinned.h"

/*
 * Check that all addresses of PINNED are in the COUNT MAPPINGS, and can be adopted. Widen PINNED to
 * whole huge pages. Returns 0 or, with xrdma_error() set, -EFAULT or -EOPNOTSUPP.
 */
int xrdma_relocations_check(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mappings,
			    int count);

/*
 * Add the relocations to PINNED, which has its place in the heap. Returns 0 or, with xrdma_error()
 * set, -ENOMEM or an error of xrdma_relocations_check().
 */
int xrdma_relocations_add(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mappings,
			  int count);

#endif

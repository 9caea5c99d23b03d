/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The moves by which a run will have its pages in the heap. Nothing is moved here. */
#ifndef XRDMA_USER_MEM_PLAN_H
#define XRDMA_USER_MEM_PLAN_H

#include "mem/mappings.h"
#include "mem/run.h"

/*
 * Whether all of RUN is mapped, by MAPPINGS, of which there are COUNT, and can be adopted. RUN is
 * widened to whole huge pages. Returns 0 or, with xrdma_error() set, -EFAULT or -EOPNOTSUPP.
 */
int xrdma_plan_check(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count);

/* Add the moves to RUN, whose place in the heap is known. Returns 0 or what check does, -ENOMEM. */
int xrdma_plan_moves(struct xrdma_run *run, const struct xrdma_mapping *mappings, int count);

#endif

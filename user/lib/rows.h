/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which rows of a context's table are free, one by one; runs of rows are extents (extents.h). The
 * record is in private memory: what stands in the table itself is not believed. Thread safe.
 */
#ifndef XRDMA_USER_LIB_ROWS_H
#define XRDMA_USER_LIB_ROWS_H

#include "lib/mutex.h"
#include "lib/set.h"

#define XRDMA_ROWS_NONE XRDMA_SET_NONE

struct xrdma_rows {
	struct xrdma_spin lock; /* held for some steps */
	struct xrdma_set free;
	__u32 count;		    /* rows of the table */
	__u32 randoms, random[256]; /* how many are left of what the kernel made at one go */
};

/* Manage a table of COUNT rows. The rows from FIRST on are free. Returns 0 or -ENOMEM. */
int xrdma_rows_init(struct xrdma_rows *rows, __u32 first, __u32 count);

/* Also of one that is zeroed. */
void xrdma_rows_exit(struct xrdma_rows *rows);

/* Take the first free row, or XRDMA_ROWS_NONE. */
__u32 xrdma_rows_take(struct xrdma_rows *rows);

/*
 * Take the first that is free from a random one on, so that none is soon used again. Or
 * XRDMA_ROWS_NONE.
 */
__u32 xrdma_rows_take_random(struct xrdma_rows *rows);

void xrdma_rows_give(struct xrdma_rows *rows, __u32 row);

#endif

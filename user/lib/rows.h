/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Allocator of single rows in a context's table; for runs of rows see extents.h. Its record is in
 * private memory, because the table itself may contain anything. Thread safe.
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
	__u32 randoms, random[256]; /* random numbers from the kernel that are left */
};

/* Manage a table of COUNT rows. The rows from FIRST on are free. Returns 0 or -ENOMEM. */
int xrdma_rows_init(struct xrdma_rows *rows, __u32 first, __u32 count);

/* Free the record. Zeroed rows are accepted. */
void xrdma_rows_exit(struct xrdma_rows *rows);

/* Take the first free row. Returns XRDMA_ROWS_NONE if there is none. */
__u32 xrdma_rows_take(struct xrdma_rows *rows);

/*
 * Take the first free row after a random one, so that a row is not used again soon. Returns
 * XRDMA_ROWS_NONE if there is none.
 */
__u32 xrdma_rows_take_random(struct xrdma_rows *rows);

void xrdma_rows_give(struct xrdma_rows *rows, __u32 row);

#endif

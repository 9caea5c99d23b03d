// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/rows.h"

#include <sys/random.h>

int xrdma_rows_init(struct xrdma_rows *rows, __u32 first, __u32 count)
{
	int err = xrdma_set_init(&rows->free, count, true);

	xrdma_spin_init(&rows->lock, XRDMA_RANK_TABLE);
	rows->count = count;
	rows->randoms = 0;
	for (__u32 row = 0; !err && row < first; row++)
		xrdma_set_remove(&rows->free, row);
	return err;
}

void xrdma_rows_exit(struct xrdma_rows *rows)
{
	xrdma_set_exit(&rows->free);
}

/* Take the first free row from FROM on. The caller holds the lock. */
static __u32 take_from(struct xrdma_rows *rows, __u32 from)
{
	__u32 row = xrdma_set_next(&rows->free, from);

	if (row == XRDMA_SET_NONE)
		row = xrdma_set_next(&rows->free, 0);
	if (row != XRDMA_SET_NONE)
		xrdma_set_remove(&rows->free, row);
	return row;
}

__u32 xrdma_rows_take(struct xrdma_rows *rows)
{
	__u32 row;

	xrdma_spin_lock(&rows->lock);
	row = take_from(rows, 0);
	xrdma_spin_unlock(&rows->lock);
	return row;
}

/* Return a random number, or 0 if the kernel gives none. The caller holds the lock. */
static __u32 next_random(struct xrdma_rows *rows)
{
	ssize_t bytes;

	if (!rows->randoms) {
		bytes = getrandom(rows->random, sizeof(rows->random), 0);
		rows->randoms = bytes > 0 ? bytes / sizeof(*rows->random) : 0;
	}
	return rows->randoms ? rows->random[--rows->randoms] : 0;
}

__u32 xrdma_rows_take_random(struct xrdma_rows *rows)
{
	__u32 row;

	xrdma_spin_lock(&rows->lock);
	row = take_from(rows, next_random(rows) % rows->count);
	xrdma_spin_unlock(&rows->lock);
	return row;
}

void xrdma_rows_give(struct xrdma_rows *rows, __u32 row)
{
	xrdma_spin_lock(&rows->lock);
	xrdma_set_add(&rows->free, row);
	xrdma_spin_unlock(&rows->lock);
}

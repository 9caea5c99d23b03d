/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tables of a context: arrays of rows that its process and the XDP programs share. */
#ifndef XRDMA_USER_LIB_TABLE_H
#define XRDMA_USER_LIB_TABLE_H

#include <linux/types.h>
#include <stddef.h>

struct xrdma_table {
	int fd;
	void *rows;
	size_t size; /* bytes of all rows */
};

/*
 * Create a map of COUNT zeroed rows of ROW_SIZE bytes, for an outer map of the device, and map it
 * into this process: at AT, an address that the caller has reserved, or anywhere if AT is NULL.
 * bpftool shows NAME, of at most 15 characters. Returns 0 or -errno: -EPERM without CAP_BPF,
 * -ENOMEM. After an error *TABLE need not be closed, and AT remains reserved.
 */
int xrdma_table_create(struct xrdma_table *table, const char *name, __u32 row_size, __u32 count,
		       void *at);

/* Unmap and close the table. The map itself exists while a slot of an outer map holds it. */
void xrdma_table_close(struct xrdma_table *table);

/*
 * Close the table, but do not unmap it: a child has no mapping, or the caller unmaps it with other
 * addresses.
 */
void xrdma_table_forget(struct xrdma_table *table);

static inline __u32 xrdma_power_of_two(__u32 at_least)
{
	__u32 size = 1;

	while (size < at_least)
		size <<= 1;
	return size;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A context's maps: arrays of rows that its process and the XDP programs share. */
#ifndef XRDMA_USER_LIB_TABLE_H
#define XRDMA_USER_LIB_TABLE_H

#include <linux/types.h>
#include <stddef.h>

struct xrdma_table {
	int fd;
	void *rows;
	size_t size; /* of all rows, in bytes */
};

/*
 * Create a map of COUNT zeroed rows of ROW_SIZE bytes, mapped into this process, that an outer map
 * of the device accepts: AT an address that the caller has reserved, or, if that is NULL, at any.
 * NAME, at most 15 characters, is what bpftool shows. Returns 0 or -errno: -EPERM without CAP_BPF,
 * -ENOMEM. On error *TABLE needs no closing, and AT remains reserved.
 */
int xrdma_table_create(struct xrdma_table *table, const char *name, __u32 row_size, __u32 count,
		       void *at);

/* Unmap and close; the map itself lives on while a slot of an outer map holds it. */
void xrdma_table_close(struct xrdma_table *table);

/*
 * Close, but leave what is mapped: nothing in a child that was forked, or what the caller unmaps
 * together with other addresses.
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

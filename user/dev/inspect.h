/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The rows of a loaded device, for anyone who may read its maps. Other processes change them
 * meanwhile.
 */
#ifndef XRDMA_USER_DEV_INSPECT_H
#define XRDMA_USER_DEV_INSPECT_H

#include <linux/types.h>

/* A row in use. */
struct xrdma_inspected {
	__u32 slot;
	__u32 owner; /* process id in the first PID namespace */
	__u32 index; /* index of the row in its table */
	const void *row;
};

/*
 * Call VISIT for each row that is not empty in the table MAP ("xrdma_qps") of each living context
 * of the device NAME, or in "xrdma_contexts" itself, until a call returns another value than 0.
 * Returns the value of the last call, or -errno with xrdma_error() set.
 */
int xrdma_inspect(const char *name, const char *map,
		  int (*visit)(const struct xrdma_inspected *row, void *arg), void *arg);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The rows of a loaded device, as whoever may read its maps finds them; others change them
 * meanwhile.
 */
#ifndef XRDMA_USER_DEV_INSPECT_H
#define XRDMA_USER_DEV_INSPECT_H

#include <linux/types.h>

/* A row that is in use. */
struct xrdma_inspected {
	__u32 slot;
	__u32 owner; /* process id in the first PID namespace */
	__u32 index; /* of the row in its table */
	const void *row;
};

/*
 * Call VISIT for each row that is not empty of the table MAP ("xrdma_qps") in each context of the
 * device NAME that is alive, or of "xrdma_contexts" itself, until one returns other than 0. Returns
 * what the last one returned, or -errno with xrdma_error() set.
 */
int xrdma_inspect(const char *name, const char *map,
		  int (*visit)(const struct xrdma_inspected *row, void *arg), void *arg);

#endif

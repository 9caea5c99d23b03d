/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Keys that the program chose for its regions: the map by which XDP finds for one the key of a row,
 * which the library chose. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_REQUESTED_H
#define XRDMA_USER_KEY_REQUESTED_H

#include "lib/mutex.h"
#include "obj/context.h"

struct xrdma_requested {
	struct xrdma_context *context;
	__u32 rows; /* of the context's keys */
	struct xrdma_mutex
		lock; /* held while MAP is created, and while keys are added or removed */
	int map;      /* file descriptor; -1: no key was requested yet */
};

/* There are to be requested keys of CONTEXT, which has ROWS keys. */
void xrdma_requested_init(struct xrdma_requested *requested, struct xrdma_context *context,
			  __u32 rows);
void xrdma_requested_exit(struct xrdma_requested *requested);

/*
 * Take the key KEY for the protection domain PD. It stands for nothing yet. Returns 0,
 * -XRDMA_ENOKEY (PD has it), -ENOMEM.
 */
int xrdma_requested_add(struct xrdma_requested *requested, __u32 pd, __u32 key);

/* From now on KEY, which was added, stands for ROW_KEY, that of a row. Returns 0 or -ENOMEM. */
int xrdma_requested_set(struct xrdma_requested *requested, __u32 pd, __u32 key, __u32 row_key);

/* KEY stands for nothing any more, but what peers began by it goes on. */
void xrdma_requested_remove(struct xrdma_requested *requested, __u32 pd, __u32 key);

/* Whether KEY was requested, for any protection domain. Asks the kernel, if any key was. */
bool xrdma_requested_has(const struct xrdma_requested *requested, __u32 key);

#endif

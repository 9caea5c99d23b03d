/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Keys that the program chose for its regions: the map by which XDP finds for one the key of a row,
 * which the library chose. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_OBJ_REQUESTED_H
#define XRDMA_USER_OBJ_REQUESTED_H

#include "obj/context.h"

void xrdma_requested_init(struct xrdma_requested *requested);
void xrdma_requested_exit(struct xrdma_requested *requested);

/* REQUESTED means nothing yet. Returns 0, -ENOKEY (it was requested before), -ENOMEM. */
int xrdma_requested_add(struct xrdma_context *context, __u32 requested);

/* Peers mean what KEY is the key of by REQUESTED, which was added. Returns 0 or -ENOMEM. */
int xrdma_requested_set(struct xrdma_context *context, __u32 requested, __u32 key);

/* Peers mean nothing by it any more, but what they began goes on. */
void xrdma_requested_remove(struct xrdma_context *context, __u32 requested);

/* Whether KEY was requested. Asks the kernel, if any was. */
bool xrdma_requested_has(const struct xrdma_context *context, __u32 key);

#endif

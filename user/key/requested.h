/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Keys that the program chose for its regions: the map by which XDP finds for one the key of a row,
 * which the library chose. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_REQUESTED_H
#define XRDMA_USER_KEY_REQUESTED_H

#include "obj/context.h"

void xrdma_requested_init(struct xrdma_requested *requested);
void xrdma_requested_exit(struct xrdma_requested *requested);

/*
 * Take the key REQUESTED for the protection domain PD. It stands for nothing yet. Returns 0,
 * -XRDMA_ENOKEY (PD has it), -ENOMEM.
 */
int xrdma_requested_add(struct xrdma_context *context, __u32 pd, __u32 requested);

/* From now on REQUESTED, which was added, stands for KEY, that of a row. Returns 0 or -ENOMEM. */
int xrdma_requested_set(struct xrdma_context *context, __u32 pd, __u32 requested, __u32 key);

/* REQUESTED stands for nothing any more, but what peers began by it goes on. */
void xrdma_requested_remove(struct xrdma_context *context, __u32 pd, __u32 requested);

/* Whether KEY was requested, for any protection domain. Asks the kernel, if any key was. */
bool xrdma_requested_has(const struct xrdma_context *context, __u32 key);

#endif

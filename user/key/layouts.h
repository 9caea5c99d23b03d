/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows for the entries of lists and patterns. Thread safe. */
#ifndef XRDMA_USER_KEY_LAYOUTS_H
#define XRDMA_USER_KEY_LAYOUTS_H

#include "key/key.h"

/*
 * Rows for COUNT entries, which begin in row *FIRST. Returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_layouts_take(struct xrdma_keys *keys, __u32 count, __u32 *first);
void xrdma_layouts_give(struct xrdma_keys *keys, __u32 first);

/* The entries that begin in row FIRST. */
static inline struct xrdma_layout_entry *xrdma_layout_entries(const struct xrdma_keys *keys,
							      __u32 first)
{
	return keys->layouts[first].entries;
}

#endif

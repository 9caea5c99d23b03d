/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The process's own way from keys to memory. */
#ifndef XRDMA_USER_KEY_MEMORY_H
#define XRDMA_USER_KEY_MEMORY_H

#include "memory/layout.h"
#include "obj/context.h"

/* Of CONTEXT. */
static inline struct xrdma_space xrdma_space_of(const struct xrdma_context *context)
{
	return (struct xrdma_space){
		.mkeys = context->tables.mkeys.rows,
		.mkey_mask = context->mkey_mask,
		.layouts = context->tables.layouts.rows,
		.layout_rows = context->tables.layouts.size / sizeof(struct xrdma_layout_row),
		.heap = (__u8 *)context->heap.bytes,
		.heap_sizes = context->heap.sizes,
	};
}

#endif

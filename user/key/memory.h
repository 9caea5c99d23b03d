/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Access of the process itself to memory by key. */
#ifndef XRDMA_USER_KEY_MEMORY_H
#define XRDMA_USER_KEY_MEMORY_H

#include "key/key.h"
#include "memory/layout.h"

/* Returns the memory of CONTEXT as an address space. */
static inline struct xrdma_space xrdma_space_of(const struct xrdma_context *context)
{
	const struct xrdma_keys *keys = context->keys;

	return (struct xrdma_space){
		.mkeys = keys->rows,
		.mkey_mask = keys->mask,
		.layouts = keys->layouts,
		.layout_rows = context->tables.layouts.size / sizeof(struct xrdma_layout_row),
		.heap = (__u8 *)context->heap.bytes,
		.heap_sizes = context->heap.sizes,
	};
}

#endif

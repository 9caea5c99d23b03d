// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/layouts.h"

#include <errno.h>

#include "lib/error.h"

int xrdma_layouts_take(struct xrdma_keys *keys, __u32 count, __u32 *first)
{
	const size_t size = sizeof(struct xrdma_layout_row);
	const size_t rows = (count + XRDMA_LAYOUT_ROW - 1) / XRDMA_LAYOUT_ROW;
	size_t at;

	if (xrdma_extents_take(&keys->layout_space, rows * size, size, &at))
		return xrdma_fail(
			ENOMEM,
			"no room for %u entries of a layout: destroy some mkeys, close some "
			"regions of several buffers, or open the context with more layouts",
			count);
	*first = at / size;
	return 0;
}

void xrdma_layouts_give(struct xrdma_keys *keys, __u32 first)
{
	xrdma_extents_give(&keys->layout_space, first * sizeof(struct xrdma_layout_row));
}

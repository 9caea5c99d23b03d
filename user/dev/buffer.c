// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/buffer.h"

#include <errno.h>
#include <stdint.h>

#include "dev/adopt.h"
#include "lib/error.h"

static int adopt(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	int err = xrdma_adopt(heap, buffer->addr, buffer->len);

	if (err)
		return err;
	err = xrdma_pages_create(&buffer->pages, heap, buffer->addr, buffer->len);
	if (err)
		xrdma_disown(buffer->addr, buffer->len);
	return err;
}

int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, struct xrdma_buffer *buffer)
{
	const __u64 heap_at = addr - (uintptr_t)heap->bytes;

	if (!len)
		return xrdma_fail(EINVAL, "0 bytes at %#llx: at least one", addr);
	*buffer = (struct xrdma_buffer){
		.addr = addr,
		.len = len,
		.pages.offset = heap_at,
		.is_adopted = heap_at >= XRDMA_HEAP_MAX,
	};
	if (buffer->is_adopted)
		return adopt(heap, buffer);
	if (xrdma_heap_holds(heap, heap_at, len))
		return 0;
	return xrdma_fail(EINVAL,
			  "%llu bytes at %#llx are not in one piece of memory from xrdma_alloc()",
			  len, addr);
}

void xrdma_buffer_give(struct xrdma_heap *heap, const struct xrdma_buffer *buffer)
{
	if (!buffer->is_adopted)
		return;
	xrdma_pages_destroy(&buffer->pages, heap);
	xrdma_disown(buffer->addr, buffer->len);
}

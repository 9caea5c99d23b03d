// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/buffer.h"

#include <errno.h>
#include <stdint.h>

#include "lib/error.h"

/* Of what is mapped from START up to END now, and of what BUFFER has elsewhere. */
static int adopt(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start, __u64 end)
{
	struct xrdma_adopted adopted;
	struct xrdma_pages pages;
	int err = xrdma_adopt(heap, start, end - start, buffer->sparse, &buffer->adopted, &adopted);

	if (err)
		return err;
	err = xrdma_pages_create(&pages, heap, buffer->addr, buffer->len, &adopted);
	if (err) {
		xrdma_disown(&adopted);
		return err;
	}
	xrdma_buffer_give(heap, buffer);
	buffer->pages = pages;
	buffer->adopted = adopted;
	return 0;
}

int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, bool sparse,
		      struct xrdma_buffer *buffer)
{
	const __u64 heap_at = addr - (uintptr_t)heap->bytes;

	if (!len)
		return xrdma_fail(EINVAL, "0 bytes at %#llx: at least one", addr);
	*buffer = (struct xrdma_buffer){
		.addr = addr,
		.len = len,
		.is_adopted = heap_at >= XRDMA_HEAP_MAX,
		.sparse = sparse,
	};
	if (buffer->is_adopted)
		return adopt(heap, buffer, addr, addr + len);
	buffer->pages.offset = heap_at;
	if (xrdma_heap_holds(heap, heap_at, len))
		return 0;
	return xrdma_fail(EINVAL,
			  "%llu bytes at %#llx are not in one piece of memory from xrdma_alloc()",
			  len, addr);
}

void xrdma_buffer_give(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	if (!buffer->is_adopted)
		return;
	xrdma_pages_destroy(&buffer->pages, heap);
	xrdma_disown(&buffer->adopted);
}

int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end)
{
	return buffer->is_adopted ? adopt(heap, buffer, start, end) : 0;
}

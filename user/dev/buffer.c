// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/buffer.h"

#include <errno.h>
#include <stdint.h>

#include "lib/error.h"

/* Of what is mapped from START up to END now, and of what BUFFER has elsewhere. */
static int adopt(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start, __u64 end)
{
	struct xrdma_adopted adopted;
	struct xrdma_pages pages = {
		.missing = buffer->backing == XRDMA_ON_DEMAND ? XRDMA_PAGE_ASK : XRDMA_PAGE_NONE,
	};
	int err = xrdma_cache_adopt(heap, start, end - start,
				    buffer->backing == XRDMA_BACKED ? XRDMA_ADOPT_ALL
								    : XRDMA_ADOPT_MAPPED,
				    &buffer->adopted, &adopted);

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
	buffer->cached = NULL;
	return 0;
}

/* All of it, which may be kept afterwards. */
static int adopt_cached(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	int err = xrdma_cache_take(heap, buffer->addr, buffer->len, &buffer->cached);

	if (err)
		return err;
	buffer->adopted = *xrdma_cached_adopted(buffer->cached);
	err = xrdma_pages_create(&buffer->pages, heap, buffer->addr, buffer->len, &buffer->adopted);
	if (err)
		xrdma_cache_release(buffer->cached);
	return err;
}

static int take_own(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	const __u64 addr = buffer->addr, len = buffer->len;
	__u64 end;

	if (__builtin_add_overflow(addr, len, &end) || end > -(__u64)XRDMA_PAGE)
		return xrdma_fail(EINVAL, "%llu bytes at %#llx: there are no such addresses", len,
				  addr);
	return buffer->backing == XRDMA_BACKED ? adopt_cached(heap, buffer)
					       : adopt(heap, buffer, addr, end);
}

int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_backing backing,
		      struct xrdma_buffer *buffer)
{
	const __u64 heap_at = addr - (uintptr_t)heap->bytes;

	if (!len)
		return xrdma_fail(EINVAL, "0 bytes at %#llx: at least one", addr);
	*buffer = (struct xrdma_buffer){
		.addr = addr,
		.len = len,
		.is_adopted = heap_at >= XRDMA_HEAP_MAX,
		.backing = backing,
	};
	if (buffer->is_adopted)
		return take_own(heap, buffer);
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
	if (buffer->cached)
		xrdma_cache_release(buffer->cached);
	else
		xrdma_disown(&buffer->adopted);
}

int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end)
{
	if (!buffer->is_adopted)
		return 0;
	xrdma_cache_drop(start, end);
	return adopt(heap, buffer, start, end);
}

/* As much as can be had at once. */
int xrdma_buffer_fill(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 page,
		      struct xrdma_adopted *old)
{
	const struct xrdma_pages *pages = &buffer->pages;
	struct xrdma_adopted adopted;
	__u64 start = 0, end = 0;
	int err = -ENOMEM;

	for (__u64 size = XRDMA_HEAP_ELEMENT; size >= XRDMA_PAGE && err; size >>= 3) {
		start = page & ~(size - 1);
		end = start + size < pages->end ? start + size : pages->end;
		if (start < pages->start)
			start = pages->start;
		err = xrdma_cache_adopt(heap, start, end - start, XRDMA_ADOPT_ANY, &buffer->adopted,
					&adopted);
	}
	if (err)
		return err;
	xrdma_pages_fill(pages, heap, start, end, &adopted);
	*old = buffer->adopted;
	buffer->adopted = adopted;
	return 0;
}

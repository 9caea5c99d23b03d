// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/buffer.h"

#include <errno.h>
#include <stdint.h>

#include "lib/error.h"

static int adopt_whole(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	int err = xrdma_cache_adopt(heap, buffer->addr, buffer->len, XRDMA_ADOPT_MAPPED,
				    &buffer->adopted);

	if (err)
		return err;
	err = xrdma_pages_create(&buffer->pages, heap, buffer->addr, buffer->len, &buffer->adopted);
	if (err)
		xrdma_disown(&buffer->adopted);
	return err;
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
					       : adopt_whole(heap, buffer);
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
		.is_adopted = !xrdma_heap_has_address(heap, addr),
		.backing = backing,
		.pages.missing = backing == XRDMA_ON_DEMAND ? XRDMA_PAGE_ASK : XRDMA_PAGE_NONE,
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

/*
 * BUFFER uses the list of a registration that the cache keeps. Give BUFFER a list of its own with
 * the same memory, and release the one in the cache.
 */
static int leave_cached(struct xrdma_buffer *buffer)
{
	struct xrdma_adopted own;
	int err = xrdma_adopt_again(&buffer->adopted, buffer->adopted.start, buffer->adopted.end,
				    &own);

	if (err)
		return err;
	xrdma_cache_release(buffer->cached);
	buffer->cached = NULL;
	buffer->adopted = own;
	return 0;
}

/* In a part of its addresses, a buffer gets other memory than it has. These are lists of memory. */
struct change {
	struct xrdma_adopted part; /* the memory that the buffer gets in that part */
	struct xrdma_adopted old;  /* the memory that it has there before */
	struct xrdma_adopted now;  /* all memory of the buffer, after the change */
};

static void abandon(struct change *change)
{
	xrdma_adopted_free(&change->now);
	xrdma_adopted_free(&change->old);
	xrdma_disown(&change->part);
}

static int plan(struct xrdma_heap *heap, const struct xrdma_buffer *buffer, __u64 start, __u64 end,
		enum xrdma_adopt what, struct change *change)
{
	int err = xrdma_cache_adopt(heap, start, end - start, what, &change->part);

	if (err)
		return err;
	err = xrdma_adopted_replace(&buffer->adopted, &change->part, &change->now, &change->old);
	if (err)
		abandon(change);
	return err;
}

/* Give BUFFER its new list. The caller still has to disown CHANGE->old. */
static void carry_out(struct xrdma_buffer *buffer, struct change *change)
{
	xrdma_adopted_free(&change->part);
	xrdma_adopted_free(&buffer->adopted);
	buffer->adopted = change->now;
}

/* The table of pages of BUFFER, or its offset if it has none, shows CHANGE. */
static int show(struct xrdma_heap *heap, struct xrdma_buffer *buffer, const struct change *change)
{
	if (!(buffer->pages.offset & XRDMA_PAGED))
		return xrdma_pages_create(&buffer->pages, heap, buffer->addr, buffer->len,
					  &change->now);
	xrdma_pages_fill(&buffer->pages, heap, &change->part);
	return 0;
}

int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end)
{
	struct change change;
	int err = 0;

	if (!buffer->is_adopted)
		return 0;
	if (buffer->cached)
		err = leave_cached(buffer);
	if (err)
		return err;
	xrdma_cache_drop(start, end);
	err = plan(heap, buffer, start, end,
		   buffer->backing == XRDMA_BACKED ? XRDMA_ADOPT_ALL : XRDMA_ADOPT_MAPPED, &change);
	if (err)
		return err;
	err = show(heap, buffer, &change);
	if (err) {
		abandon(&change);
		return err;
	}
	carry_out(buffer, &change);
	xrdma_disown(&change.old);
	return 0;
}

/* As much as can be had at once. */
int xrdma_buffer_fill(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 page,
		      struct xrdma_adopted *old)
{
	const struct xrdma_pages *pages = &buffer->pages;
	struct change change;
	int err = -ENOMEM;

	for (__u64 size = XRDMA_HEAP_ELEMENT; size >= XRDMA_PAGE && err; size >>= 3) {
		__u64 start = page & ~(size - 1), end = start + size;

		err = plan(heap, buffer, start > pages->start ? start : pages->start,
			   end < pages->end ? end : pages->end, XRDMA_ADOPT_ANY, &change);
	}
	if (err)
		return err;
	xrdma_pages_fill(pages, heap, &change.part);
	carry_out(buffer, &change);
	*old = change.old;
	return 0;
}

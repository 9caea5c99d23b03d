// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/buffer.h"

#include <errno.h>
#include <stdint.h>

#include "lib/error.h"

static int adopt_whole(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	int err = xrdma_cache_adopt(heap, buffer->addr, buffer->len, XRDMA_ADOPT_MAPPED,
				    &buffer->ranges);

	if (err)
		return err;
	err = xrdma_page_table_create(&buffer->table, heap, buffer->addr, buffer->len,
				      &buffer->ranges);
	if (err)
		xrdma_disown(&buffer->ranges);
	return err;
}

/* Adopt all of BUFFER by an entry of the cache. */
static int adopt_cached(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	int err = xrdma_cache_take(heap, buffer->addr, buffer->len, &buffer->entry);

	if (err)
		return err;
	buffer->ranges = buffer->entry->ranges;
	err = xrdma_page_table_create(&buffer->table, heap, buffer->addr, buffer->len,
				      &buffer->ranges);
	if (err)
		xrdma_cache_release(buffer->entry);
	return err;
}

static int take_own(struct xrdma_heap *heap, struct xrdma_buffer *buffer)
{
	const __u64 addr = buffer->addr, len = buffer->len;
	__u64 end;

	if (__builtin_add_overflow(addr, len, &end) || end > -(__u64)XRDMA_PAGE)
		return xrdma_fail(
			EINVAL,
			"%llu bytes at %#llx: the range reaches beyond the end of the address "
			"space",
			len, addr);
	return buffer->backing == XRDMA_BACKED ? adopt_cached(heap, buffer)
					       : adopt_whole(heap, buffer);
}

int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_backing backing,
		      struct xrdma_buffer *buffer)
{
	const __u64 heap_at = addr - (uintptr_t)heap->bytes;

	if (!len)
		return xrdma_fail(EINVAL, "0 bytes at %#llx: at least one", addr);
	/* A zeroed struct would cost 10 ns, and memory of the heap needs no other members. */
	buffer->addr = addr;
	buffer->len = len;
	buffer->is_adopted = !xrdma_heap_has_address(heap, addr);
	buffer->backing = backing;
	buffer->entry = NULL;
	buffer->table.missing = backing == XRDMA_ON_DEMAND ? XRDMA_PAGE_ASK : XRDMA_PAGE_NONE;
	if (buffer->is_adopted)
		return take_own(heap, buffer);
	buffer->table.offset = heap_at;
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
	xrdma_page_table_destroy(&buffer->table, heap);
	if (buffer->entry)
		xrdma_cache_release(buffer->entry);
	else
		xrdma_disown(&buffer->ranges);
}

/* BUFFER uses the list of a cache entry. Give BUFFER a copy, and release the entry. */
static int leave_cached(struct xrdma_buffer *buffer)
{
	struct xrdma_range_list own;
	int err =
		xrdma_adopt_again(&buffer->ranges, buffer->ranges.start, buffer->ranges.end, &own);

	if (err)
		return err;
	xrdma_cache_release(buffer->entry);
	buffer->entry = NULL;
	buffer->ranges = own;
	return 0;
}

/* The replacement of some pages of a buffer, by others at the same addresses. */
struct change {
	struct xrdma_range_list part; /* the new pages */
	struct xrdma_range_list old;  /* the pages that they replace */
	struct xrdma_range_list now;  /* all pages of the buffer, after the change */
};

static void abandon(struct change *change)
{
	xrdma_range_list_free(&change->now);
	xrdma_range_list_free(&change->old);
	xrdma_disown(&change->part);
}

static int plan(struct xrdma_heap *heap, const struct xrdma_buffer *buffer, __u64 start, __u64 end,
		enum xrdma_adopt what, struct change *change)
{
	int err = xrdma_cache_adopt(heap, start, end - start, what, &change->part);

	if (err)
		return err;
	err = xrdma_range_list_replace(&buffer->ranges, &change->part, &change->now, &change->old);
	if (err)
		abandon(change);
	return err;
}

/* Give BUFFER its new list. The caller still has to disown CHANGE->old. */
static void apply(struct xrdma_buffer *buffer, struct change *change)
{
	xrdma_range_list_free(&change->part);
	xrdma_range_list_free(&buffer->ranges);
	buffer->ranges = change->now;
}

/* Write CHANGE into the page table of BUFFER, or into its offset if it has no table. */
static int show(struct xrdma_heap *heap, struct xrdma_buffer *buffer, const struct change *change)
{
	if (!(buffer->table.offset & XRDMA_PAGED))
		return xrdma_page_table_create(&buffer->table, heap, buffer->addr, buffer->len,
					       &change->now);
	xrdma_page_table_fill(&buffer->table, heap, &change->part);
	return 0;
}

int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end)
{
	struct change change;
	int err = 0;

	if (!buffer->is_adopted)
		return 0;
	if (buffer->entry)
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
	apply(buffer, &change);
	xrdma_disown(&change.old);
	return 0;
}

/* Try to adopt 2 MiB around PAGE, and an eighth of that each time when this fails. */
int xrdma_buffer_fill(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 page,
		      struct xrdma_range_list *old)
{
	const struct xrdma_page_table *table = &buffer->table;
	struct change change;
	int err = -ENOMEM;

	for (__u64 size = XRDMA_HEAP_ELEMENT; size >= XRDMA_PAGE && err; size >>= 3) {
		__u64 start = page & ~(size - 1), end = start + size;

		err = plan(heap, buffer, start > table->start ? start : table->start,
			   end < table->end ? end : table->end, XRDMA_ADOPT_ANY, &change);
	}
	if (err)
		return err;
	xrdma_page_table_fill(table, heap, &change.part);
	apply(buffer, &change);
	*old = change.old;
	return 0;
}

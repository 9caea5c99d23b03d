// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/page_table.h"

#include "lib/order.h"
#include "mem/cache_take.h"

enum { IN_PAGE = XRDMA_PAGE - 1 };

/* Returns the entry of the page at PAGE in TABLE. */
static __u64 *word_of(const struct xrdma_page_table *table, const struct xrdma_heap *heap,
		      __u64 page)
{
	__u64 *words = (__u64 *)(heap->bytes + table->at);

	return words + ((page - table->start) >> XRDMA_PAGE_SHIFT);
}

void xrdma_page_table_fill(const struct xrdma_page_table *table, const struct xrdma_heap *heap,
			   const struct xrdma_range_list *list)
{
	const struct xrdma_range *range = list->ranges, *last = range + list->count;
	const __u64 end = list->end < table->end ? list->end : table->end;
	__u64 at = list->start > table->start ? list->start : table->start;

	for (; at < end; at += XRDMA_PAGE) {
		__u64 *word = word_of(table, heap, at);

		while (range < last && range->end <= at)
			range++;
		if (range < last && range->start <= at)
			XRDMA_PUBLISH(*word, xrdma_range_heap_at(range) + (at - range->start));
		else
			XRDMA_WRITE(*word, table->missing);
	}
}

bool xrdma_page_table_find(const struct xrdma_page_table *table, __u64 missed, __u64 *page)
{
	const __u64 at = (missed & ~XRDMA_PAGED) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT;

	*page = table->start + ((at - table->at) >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT);
	return table->offset & XRDMA_PAGED && at >= table->at && *page < table->end;
}

bool xrdma_page_table_has(const struct xrdma_page_table *table, const struct xrdma_heap *heap,
			  __u64 page)
{
	return XRDMA_READ(*word_of(table, heap, page)) != table->missing;
}

int xrdma_page_table_create(struct xrdma_page_table *table, struct xrdma_heap *heap, __u64 addr,
			    __u64 len, const struct xrdma_range_list *list)
{
	const struct xrdma_range *range = list->ranges, *last = range + list->count;
	__u64 count;
	int err;

	while (range < last && range->end <= addr)
		range++;
	if (range < last && range->start <= addr && range->end - addr >= len) {
		table->offset = xrdma_range_heap_at(range) + (addr - range->start);
		return 0;
	}
	table->start = addr & ~(__u64)IN_PAGE;
	table->end = (addr + len + IN_PAGE) & ~(__u64)IN_PAGE;
	count = (table->end - table->start) >> XRDMA_PAGE_SHIFT;
	err = xrdma_cache_heap_take(heap, count << XRDMA_PAGE_WORD_SHIFT, XRDMA_EXTENT_ALIGN,
				    &table->at);
	if (err)
		return err;
	xrdma_page_table_fill(table, heap, list);
	table->offset = XRDMA_PAGED | table->at >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT |
			(addr & IN_PAGE);
	return 0;
}

void xrdma_page_table_destroy(const struct xrdma_page_table *table, struct xrdma_heap *heap)
{
	if (table->offset & XRDMA_PAGED)
		xrdma_heap_give(heap, table->at);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/pages.h"

#include "lib/order.h"
#include "mem/cache.h"

enum { IN_PAGE = XRDMA_PAGE - 1 };

/* Of the page at PAGE. */
static __u64 *word_of(const struct xrdma_pages *pages, const struct xrdma_heap *heap, __u64 page)
{
	__u64 *words = (__u64 *)(heap->bytes + pages->table);

	return words + ((page - pages->start) >> XRDMA_PAGE_SHIFT);
}

void xrdma_pages_fill(const struct xrdma_pages *pages, const struct xrdma_heap *heap,
		      const struct xrdma_adopted *adopted)
{
	const struct xrdma_span *span = adopted->spans, *last = span + adopted->count;
	const __u64 end = adopted->end < pages->end ? adopted->end : pages->end;
	__u64 at = adopted->start > pages->start ? adopted->start : pages->start;

	for (; at < end; at += XRDMA_PAGE) {
		__u64 *word = word_of(pages, heap, at);

		while (span < last && span->end <= at)
			span++;
		if (span < last && span->start <= at)
			XRDMA_PUBLISH(*word, xrdma_span_at(span) + (at - span->start));
		else
			XRDMA_WRITE(*word, pages->missing);
	}
}

bool xrdma_pages_have(const struct xrdma_pages *pages, __u64 missed, __u64 *page)
{
	const __u64 at = (missed & ~XRDMA_PAGED) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT;

	*page = pages->start + ((at - pages->table) >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT);
	return pages->offset & XRDMA_PAGED && at >= pages->table && *page < pages->end;
}

bool xrdma_page_is_there(const struct xrdma_pages *pages, const struct xrdma_heap *heap, __u64 page)
{
	return XRDMA_READ(*word_of(pages, heap, page)) != pages->missing;
}

int xrdma_pages_create(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 addr, __u64 len,
		       const struct xrdma_adopted *adopted)
{
	const struct xrdma_span *span = adopted->spans, *last = span + adopted->count;
	__u64 count;
	int err;

	while (span < last && span->end <= addr)
		span++;
	if (span < last && span->start <= addr && span->end - addr >= len) {
		pages->offset = xrdma_span_at(span) + (addr - span->start);
		return 0;
	}
	pages->start = addr & ~(__u64)IN_PAGE;
	pages->end = (addr + len + IN_PAGE) & ~(__u64)IN_PAGE;
	count = (pages->end - pages->start) >> XRDMA_PAGE_SHIFT;
	err = xrdma_cache_heap_take(heap, count << XRDMA_PAGE_WORD_SHIFT, XRDMA_EXTENT_ALIGN,
				    &pages->table);
	if (err)
		return err;
	xrdma_pages_fill(pages, heap, adopted);
	pages->offset = XRDMA_PAGED | pages->table >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT |
			(addr & IN_PAGE);
	return 0;
}

void xrdma_pages_destroy(const struct xrdma_pages *pages, struct xrdma_heap *heap)
{
	if (pages->offset & XRDMA_PAGED)
		xrdma_heap_give(heap, pages->table);
}

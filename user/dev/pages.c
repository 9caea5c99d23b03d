// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/pages.h"

#include <string.h>

#include "lib/order.h"

enum { IN_PAGE = XRDMA_PAGE - 1 };

/* WORDS, of the pages from START on, say where each of SPAN's is in the heap. */
static void fill(__u64 *words, __u64 start, const struct xrdma_span *span)
{
	const __u64 heap_at = xrdma_span_at(span) - span->start;

	for (__u64 at = span->start; at < span->end; at += XRDMA_PAGE)
		XRDMA_WRITE(words[(at - start) >> XRDMA_PAGE_SHIFT], heap_at + at);
}

/* What is not there is ~0. */
static int create_table(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 start, __u64 end,
			const struct xrdma_adopted *adopted)
{
	const __u64 size = (end - start + IN_PAGE) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT;
	__u64 *words;
	int err = xrdma_heap_take(heap, size, XRDMA_EXTENT_ALIGN, &pages->table);

	if (err)
		return err;
	words = (__u64 *)(heap->bytes + pages->table);
	memset(words, 0xff, size);
	for (size_t i = 0; i < adopted->count; i++)
		fill(words, start, &adopted->spans[i]);
	return 0;
}

int xrdma_pages_create(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 addr, __u64 len,
		       const struct xrdma_adopted *adopted)
{
	const struct xrdma_span *first = adopted->spans;
	int err;

	if (adopted->count && first->start <= addr && first->end - addr >= len) {
		pages->offset = xrdma_span_at(first) + (addr - first->start);
		return 0;
	}
	err = create_table(pages, heap, addr & ~(__u64)IN_PAGE, addr + len, adopted);
	if (err)
		return err;
	pages->offset = XRDMA_PAGED | pages->table >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT |
			(addr & IN_PAGE);
	return 0;
}

void xrdma_pages_destroy(const struct xrdma_pages *pages, struct xrdma_heap *heap)
{
	if (pages->offset & XRDMA_PAGED)
		xrdma_heap_give(heap, pages->table);
}

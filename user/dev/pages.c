// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/pages.h"

#include "dev/adopt.h"
#include "lib/order.h"

enum { IN_PAGE = XRDMA_PAGE - 1 };

/* The words of those of the pages from AT up to END that follow each other in the heap. */
static __u64 fill(__u64 *words, __u64 at, __u64 end)
{
	__u64 heap_at, piece = xrdma_adopted_piece(at, &heap_at), count = 0;

	for (; count < piece && at + count < end; count += XRDMA_PAGE)
		XRDMA_WRITE(*words++, heap_at + count);
	return at + count;
}

int xrdma_pages_create(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 addr, __u64 len)
{
	const __u64 start = addr & ~(__u64)IN_PAGE, end = addr + len;
	__u64 *words;
	int err;

	if (xrdma_adopted_piece(addr, &pages->offset) >= len)
		return 0;
	err = xrdma_heap_take(heap,
			      (end - start + IN_PAGE) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT,
			      XRDMA_EXTENT_ALIGN, &pages->table);
	if (err)
		return err;
	words = (__u64 *)(heap->bytes + pages->table);
	for (__u64 at = start; at < end;)
		at = fill(words + ((at - start) >> XRDMA_PAGE_SHIFT), at, end);
	pages->offset = XRDMA_PAGED | pages->table >> XRDMA_PAGE_WORD_SHIFT << XRDMA_PAGE_SHIFT |
			(addr & IN_PAGE);
	return 0;
}

void xrdma_pages_destroy(const struct xrdma_pages *pages, struct xrdma_heap *heap)
{
	if (pages->offset & XRDMA_PAGED)
		xrdma_heap_give(heap, pages->table);
}

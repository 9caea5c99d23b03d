/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where adopted memory is in the heap. Its pages may be scattered there, as those that
 * registrations share, or not all be there; then a table of them, which is memory of the heap too,
 * says where each is.
 */
#ifndef XRDMA_USER_MEM_PAGES_H
#define XRDMA_USER_MEM_PAGES_H

#include "mem/adopt.h"

struct xrdma_pages {
	__u64 offset; /* of the first byte, as a key's row has it */
	__u64 table;  /* address in the heap, if OFFSET is XRDMA_PAGED; then of so many pages: */
	__u64 start, end; /* addresses */
	__u64 missing;	  /* the word of a page that is not there: XRDMA_PAGE_* */
};

/*
 * Of the LEN bytes at ADDR, of which HEAP has ADOPTED. PAGES has MISSING. Returns 0 or, with
 * xrdma_error() set, -ENOMEM.
 */
int xrdma_pages_create(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 addr, __u64 len,
		       const struct xrdma_adopted *adopted);

/* Write into the table of PAGES, which have one, what ADOPTED has, and lacks, at its addresses. */
void xrdma_pages_fill(const struct xrdma_pages *pages, const struct xrdma_heap *heap,
		      const struct xrdma_adopted *adopted);

/*
 * Whether MISSED is an XRDMA_PAGED address of these pages: then *PAGE is where that page is to be
 * mapped.
 */
bool xrdma_pages_have(const struct xrdma_pages *pages, __u64 missed, __u64 *page);

/* Whether the page at PAGE is there. */
bool xrdma_page_is_there(const struct xrdma_pages *pages, const struct xrdma_heap *heap,
			 __u64 page);
void xrdma_pages_destroy(const struct xrdma_pages *pages, struct xrdma_heap *heap);

#endif

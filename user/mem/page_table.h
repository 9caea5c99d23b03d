/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A page table says where the pages of a buffer are in the heap. It is needed if they are
 * scattered there, for instance because registrations share some of them, or if some are missing.
 * The table itself is memory of the heap.
 */
#ifndef XRDMA_USER_MEM_PAGE_TABLE_H
#define XRDMA_USER_MEM_PAGE_TABLE_H

#include "mem/adopt.h"

struct xrdma_page_table {
	__u64 offset; /* of the first byte, for the row of a key; XRDMA_PAGED: look in the table */
	__u64 at;     /* offset of the table in the heap, if there is one */
	__u64 start, end; /* addresses of the pages, if there is a table */
	__u64 missing;	  /* entry of missing pages: XRDMA_PAGE_* */
};

/*
 * Set up TABLE for the LEN bytes at ADDR, whose pages are in LIST. The caller has set
 * TABLE->missing. Contiguous pages need no table. Returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_page_table_create(struct xrdma_page_table *table, struct xrdma_heap *heap, __u64 addr,
			    __u64 len, const struct xrdma_range_list *list);

/*
 * Write the entries of all pages between LIST->start and LIST->end: the place of a page in LIST,
 * and TABLE->missing for the others.
 */
void xrdma_page_table_fill(const struct xrdma_page_table *table, const struct xrdma_heap *heap,
			   const struct xrdma_range_list *list);

/*
 * Returns whether MISSED, an XRDMA_PAGED address, is in TABLE. If it is, *PAGE becomes its address
 * in the process.
 */
bool xrdma_page_table_find(const struct xrdma_page_table *table, __u64 missed, __u64 *page);

/* Returns whether the page at address PAGE is in the heap. */
bool xrdma_page_table_has(const struct xrdma_page_table *table, const struct xrdma_heap *heap,
			  __u64 page);

void xrdma_page_table_destroy(const struct xrdma_page_table *table, struct xrdma_heap *heap);

#endif

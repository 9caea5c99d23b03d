/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where adopted memory is in the heap. Its pages may be scattered there, as those that
 * registrations share, or not all be there; then a table of them, which is memory of the heap too,
 * says where each is.
 */
#ifndef XRDMA_USER_DEV_PAGES_H
#define XRDMA_USER_DEV_PAGES_H

#include "dev/adopt.h"

struct xrdma_pages {
	__u64 offset; /* of the first byte, as a key's row has it */
	__u64 table;  /* address in the heap, if OFFSET is XRDMA_PAGED */
};

/*
 * Of the LEN bytes at ADDR, of which HEAP has ADOPTED. Returns 0 or, with xrdma_error() set,
 * -ENOMEM.
 */
int xrdma_pages_create(struct xrdma_pages *pages, struct xrdma_heap *heap, __u64 addr, __u64 len,
		       const struct xrdma_adopted *adopted);
void xrdma_pages_destroy(const struct xrdma_pages *pages, struct xrdma_heap *heap);

#endif

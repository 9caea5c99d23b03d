/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the process that is, or becomes, memory of the heap: a part of what xrdma_alloc() gave,
 * or anything else, which is adopted. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_DEV_BUFFER_H
#define XRDMA_USER_DEV_BUFFER_H

#include "dev/pages.h"

struct xrdma_buffer {
	__u64 addr;
	__u64 len;
	struct xrdma_pages pages;
	struct xrdma_adopted adopted;
	bool is_adopted;
	bool sparse; /* some of it need not be there */
};

/*
 * Take the LEN bytes at ADDR. Returns 0, -EINVAL (there are none, or they are not one piece of the
 * heap), or what xrdma_adopt() does.
 */
int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, bool sparse,
		      struct xrdma_buffer *buffer);
void xrdma_buffer_give(struct xrdma_heap *heap, struct xrdma_buffer *buffer);

/*
 * What is mapped from START up to END now takes the place of what BUFFER has there. Nothing reaches
 * it meanwhile. Returns 0 or, with nothing changed, what xrdma_adopt() does.
 */
int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end);

#endif

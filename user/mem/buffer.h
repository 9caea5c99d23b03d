/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the process that is, or becomes, memory of the heap: a part of what xrdma_alloc() gave,
 * or anything else, which is adopted. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_MEM_BUFFER_H
#define XRDMA_USER_MEM_BUFFER_H

#include "mem/cache.h"
#include "mem/pages.h"

/* When there is to be memory at all addresses of a buffer. */
enum xrdma_backing {
	XRDMA_BACKED,	 /* when it is taken */
	XRDMA_REFRESHED, /* what is missing then comes by xrdma_buffer_refresh() */
	XRDMA_ON_DEMAND, /* or by xrdma_buffer_fill() */
};

struct xrdma_buffer {
	__u64 addr;
	__u64 len;
	struct xrdma_pages pages;
	struct xrdma_adopted adopted;
	struct xrdma_cached *cached; /* whose ADOPTED is; or NULL: its own */
	bool is_adopted;
	enum xrdma_backing backing;
	LIST_ENTRY(xrdma_buffer) next; /* for whoever has it */
};

/*
 * Take the LEN bytes at ADDR. Returns 0, -EINVAL (there are none, no addresses go that far, or they
 * are not one piece of the heap), or what xrdma_adopt() does.
 */
int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_backing backing,
		      struct xrdma_buffer *buffer);
void xrdma_buffer_give(struct xrdma_heap *heap, struct xrdma_buffer *buffer);

/*
 * What is mapped from START up to END now takes the place of what BUFFER has there. Nothing reaches
 * it meanwhile. Returns 0 or, with nothing changed, what xrdma_adopt() does.
 */
int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end);

/*
 * What is mapped at PAGE, which is of BUFFER's table of pages, and around it now is BUFFER's. It
 * may be in use meanwhile: *OLD is to be disowned when nothing uses what its table said before.
 * Returns 0 or, with nothing changed, what xrdma_adopt() does.
 */
int xrdma_buffer_fill(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 page,
		      struct xrdma_adopted *old);

#endif

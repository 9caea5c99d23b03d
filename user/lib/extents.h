/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which bytes of a context's heap are in use. Only offsets are known here: the records are in
 * private memory, where no peer writes. First fit; neighbouring free extents are joined. Not thread
 * safe: the context's lock is held.
 */
#ifndef XRDMA_USER_LIB_EXTENTS_H
#define XRDMA_USER_LIB_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { XRDMA_EXTENT_ALIGN = 64 }; /* a cache line: buffers do not share one */

struct xrdma_extents {
	struct xrdma_extent *extents; /* in the order of their offsets, all of the heap */
};

/* An empty heap of SIZE bytes, a multiple of XRDMA_EXTENT_ALIGN. Returns 0 or -ENOMEM. */
int xrdma_extents_init(struct xrdma_extents *heap, size_t size);

void xrdma_extents_exit(struct xrdma_extents *heap);

/*
 * Take SIZE bytes, at least 1, at a multiple of ALIGN (a power of two). Sets *AT; returns 0 or
 * -ENOMEM.
 */
int xrdma_extents_take(struct xrdma_extents *heap, size_t size, size_t align, size_t *at);

/* Give back what was taken at AT. Returns 0 or -EINVAL: nothing that is in use begins there. */
int xrdma_extents_give(struct xrdma_extents *heap, size_t at);

/* Whether the SIZE bytes at AT were taken, in one call. */
bool xrdma_extents_hold(const struct xrdma_extents *heap, size_t at, size_t size);

#endif

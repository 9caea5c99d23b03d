/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Allocator of bytes in a context's heap, or of runs of rows in a table. It knows only offsets: its
 * records are in private memory, where no peer writes. Units have XRDMA_EXTENT_ALIGN bytes.
 * Neighbouring free extents are joined.
 *
 * The time of a call does not depend on the number of extents (TLSF: Masmano, Ripoll, Crespo and
 * Real, 2004): free extents are listed by classes of size, and one is taken from a class in which
 * all are long enough. Only if there is none, the extents of the next lower class are searched.
 * Thread safe.
 */
#ifndef XRDMA_USER_LIB_EXTENTS_H
#define XRDMA_USER_LIB_EXTENTS_H

#include <stddef.h>

#include "lib/mutex.h"
#include "lib/set.h"

enum {
	XRDMA_EXTENT_ALIGN = 64, /* a cache line: buffers do not share one */
	XRDMA_EXTENT_CLASSES = 464,
};

/* Limit in bytes, so that the number of units has 32 bits. */
#define XRDMA_EXTENTS_MAX (1ULL << 37)

struct xrdma_extents {
	struct xrdma_mutex lock;
	__u32 units;			   /* in all extents, which leave no gap */
	struct xrdma_set starts;	   /* first units of extents */
	struct xrdma_extent_links *links;  /* of extents, by their first unit */
	struct xrdma_set classes;	   /* classes with free extents */
	__u32 lists[XRDMA_EXTENT_CLASSES]; /* first unit of the first extent in each class */
};

/*
 * Manage SIZE bytes, a multiple of XRDMA_EXTENT_ALIGN up to XRDMA_EXTENTS_MAX, all free. Returns 0
 * or -ENOMEM.
 */
int xrdma_extents_init(struct xrdma_extents *extents, size_t size);

/* Free the records. Zeroed extents are accepted. */
void xrdma_extents_exit(struct xrdma_extents *extents);

/*
 * Take SIZE bytes, at least 1, at a multiple of ALIGN (a power of two). Returns 0 and their offset
 * in *AT, or -ENOMEM.
 */
int xrdma_extents_take(struct xrdma_extents *extents, size_t size, size_t align, size_t *at);

/*
 * Give back the bytes that were taken at AT. Returns 0, or -EINVAL if no extent in use begins
 * there.
 */
int xrdma_extents_give(struct xrdma_extents *extents, size_t at);

/* Returns whether the SIZE bytes at AT were taken by one call. */
bool xrdma_extents_hold(struct xrdma_extents *extents, size_t at, size_t size);

#endif

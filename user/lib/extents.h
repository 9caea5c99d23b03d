/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which bytes of a context's heap, or of a table that is given out by runs of rows, are in use.
 * Only offsets are known here: the records are in private memory, where no peer writes. They are
 * counted in units of XRDMA_EXTENT_ALIGN. Neighbouring free extents are joined.
 *
 * No call takes longer when there are more extents (TLSF: Masmano, Ripoll, Crespo and Real, 2004):
 * free extents are listed by classes of their size, and one of a class in which all are long enough
 * is taken. Only where no such is left are those looked through which may be. Thread safe.
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

/* Bytes, so that units are counted with 32 bits. */
#define XRDMA_EXTENTS_MAX (1ULL << 37)

struct xrdma_extents {
	struct xrdma_mutex lock;
	__u32 units;			   /* of all extents, which leave no gap */
	struct xrdma_set starts;	   /* units that extents begin with */
	struct xrdma_extent_links *links;  /* by unit, of those that extents begin with */
	struct xrdma_set classes;	   /* that have free extents */
	__u32 lists[XRDMA_EXTENT_CLASSES]; /* the first of each: a unit */
};

/*
 * SIZE bytes, a multiple of XRDMA_EXTENT_ALIGN up to XRDMA_EXTENTS_MAX, all free. Returns 0 or
 * -ENOMEM.
 */
int xrdma_extents_init(struct xrdma_extents *extents, size_t size);

/* Also of one that is zeroed. */
void xrdma_extents_exit(struct xrdma_extents *extents);

/*
 * Take SIZE bytes, at least 1, at a multiple of ALIGN (a power of two). Sets *AT; returns 0 or
 * -ENOMEM.
 */
int xrdma_extents_take(struct xrdma_extents *extents, size_t size, size_t align, size_t *at);

/* Give back what was taken at AT. Returns 0 or -EINVAL: nothing that is in use begins there. */
int xrdma_extents_give(struct xrdma_extents *extents, size_t at);

/* Whether the SIZE bytes at AT were taken, in one call. */
bool xrdma_extents_hold(struct xrdma_extents *extents, size_t at, size_t size);

#endif

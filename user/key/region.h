/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory of a region, and the rows that name it. Of one buffer, a row says where that is. Of
 * several, it is a list as that of an mkey, of rows that have one each. By these the process names
 * its memory, by addresses, also where peers do not name the one buffer by its address. Where peers
 * add something to addresses there are two lists, of which one is the process's.
 */
#ifndef XRDMA_USER_KEY_REGION_H
#define XRDMA_USER_KEY_REGION_H

#include <sys/uio.h>

#include "mem/buffer.h"
#include "obj/context.h"

struct xrdma_region_buffer {
	struct xrdma_buffer buffer;
	struct xrdma_mkey_row *row; /* the process's, or NULL: that of the region */
};

struct xrdma_region {
	struct xrdma_context *context;
	struct xrdma_mkey_row *row; /* by which peers name it */
	struct xrdma_mkey_row *own; /* of several buffers: the process's, or NULL: ROW too */
	__u32 layout_first;	    /* of several buffers */
	__u32 count;		    /* of buffers */
	struct xrdma_region_buffer only, *buffers;
};

/* Configuration of a region. */
struct xrdma_region_conf {
	const struct iovec *iov;
	size_t count; /* from 1 to XRDMA_LAYOUT_ENTRIES_MAX */
	__u32 pd;
	__u32 rights; /* as its row has them */
	__u64 base;   /* of the first byte, without SECRET */
	__u64 secret; /* what peers add to addresses */
	enum xrdma_backing backing;
	bool by_addr;  /* the process names the memory by addresses, whatever BASE is */
	bool disabled; /* its rows are INVALID until xrdma_region_enable() */
};

/*
 * Take the memory that CONF says, and publish it. REGION has its context, and is zeroed otherwise.
 * Returns 0 or, with xrdma_error() set, -EINVAL (a buffer of no bytes, or of 4 GiB or more of
 * several), -ENOMEM, or what xrdma_buffer_take() does.
 */
int xrdma_region_start(struct xrdma_region *region, const struct xrdma_region_conf *conf);

/* When it returns, no access under its keys can touch its memory, which is given back. */
void xrdma_region_end(struct xrdma_region *region);

/* For what follows, up to xrdma_region_disable(), one thread at a time is to be at it. */

/* Its keys are valid from now on. */
void xrdma_region_enable(struct xrdma_region *region);

/*
 * Disable the keys of REGION and wait until no access under them can touch its memory. The caller
 * holds the lock of the context's keys.
 */
void xrdma_region_disable(struct xrdma_region *region);

/* Only queue pair QPN may use its keys. They are not valid. */
void xrdma_region_bind(struct xrdma_region *region, __u32 qpn);

/*
 * Refresh REGION: use the memory that is now mapped in the part of PORTION that belongs to it. Its
 * keys are not valid. Returns 0 or, with xrdma_error() set, the error of xrdma_adopt(); then
 * nothing has changed, except in other buffers.
 */
int xrdma_region_refresh(struct xrdma_region *region, const struct iovec *portion);

/* The row whose key the process uses. */
static inline struct xrdma_mkey_row *xrdma_region_own(const struct xrdma_region *region)
{
	struct xrdma_mkey_row *own = region->count == 1 ? region->buffers->row : region->own;

	return own ?: region->row;
}

#endif

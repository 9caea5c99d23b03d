/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of a region, and the rows that name it. A region of one buffer has one row. A region of
 * several buffers has a row for each, and a row for the list of all, like that of an mkey. The
 * process has rows of its own in two cases: if peers do not name the memory by virtual addresses,
 * and if peers add a secret to addresses.
 */
#ifndef XRDMA_USER_KEY_REGION_H
#define XRDMA_USER_KEY_REGION_H

#include <sys/uio.h>

#include "mem/buffer.h"
#include "obj/context.h"

struct xrdma_region_buffer {
	struct xrdma_buffer buffer;
	struct xrdma_mkey_row *row; /* for the process; NULL: the region's row is used */
};

struct xrdma_region {
	struct xrdma_context *context;
	struct xrdma_mkey_row *row; /* for peers */
	struct xrdma_mkey_row *own; /* for the process; NULL: ROW is used */
	__u32 layout_first;	    /* used if there are several buffers */
	__u32 count;		    /* number of buffers */
	struct xrdma_region_buffer only, *buffers;
};

/* Configuration of a region. */
struct xrdma_region_conf {
	const struct iovec *iov;
	size_t count; /* from 1 to XRDMA_LAYOUT_ENTRIES_MAX */
	__u32 pd;
	__u32 rights; /* rights for its row */
	__u64 base;   /* address of the first byte, without SECRET */
	__u64 secret; /* peers add it to addresses */
	enum xrdma_backing backing;
	bool by_addr;  /* the process names the memory by virtual addresses, whatever BASE is */
	bool disabled; /* its rows are INVALID until xrdma_region_enable() */
};

/*
 * Take the memory of CONF, and publish its rows. The caller has set the context of REGION and
 * zeroed the rest. Returns 0 or, with xrdma_error() set, -EINVAL (a buffer has no bytes, or one of
 * several has 4 GiB or more), -ENOMEM, or an error of xrdma_buffer_take().
 */
int xrdma_region_start(struct xrdma_region *region, const struct xrdma_region_conf *conf);

/*
 * End REGION, and give back its memory. When this function returns, no access under its keys can
 * touch the memory.
 */
void xrdma_region_end(struct xrdma_region *region);

/* The functions from here to xrdma_region_disable() must not run in several threads at once. */

/* Make the keys of REGION valid. */
void xrdma_region_enable(struct xrdma_region *region);

/*
 * Disable the keys of REGION and wait until no access under them can touch its memory. The caller
 * holds the lock of the context's keys.
 */
void xrdma_region_disable(struct xrdma_region *region);

/* Allow only queue pair QPN to use the keys of REGION, which are not valid now. */
void xrdma_region_bind(struct xrdma_region *region, __u32 qpn);

/*
 * Refresh REGION: use the memory that is now mapped at the addresses of PORTION. The keys of REGION
 * are not valid now. Returns 0 or, with xrdma_error() set, an error of xrdma_adopt(). After an
 * error, other buffers may have been refreshed.
 */
int xrdma_region_refresh(struct xrdma_region *region, const struct iovec *portion);

/* Returns the row whose key the process uses. */
static inline struct xrdma_mkey_row *xrdma_region_own(const struct xrdma_region *region)
{
	struct xrdma_mkey_row *own = region->count == 1 ? region->buffers->row : region->own;

	return own ?: region->row;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What stands behind the handle of a memory region. Of one buffer, its row says where that is. Of
 * several, it is a list as that of an mkey, of rows that have one each. By these the process names
 * its memory, by addresses, also where peers do not name the one buffer by its address. Under a raw
 * key there are two lists: the process has no need of a secret.
 */
#ifndef XRDMA_USER_OBJ_MR_H
#define XRDMA_USER_OBJ_MR_H

#include <sys/uio.h>

#include "dev/buffer.h"
#include "obj/context.h"

struct xrdma_mr {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	__u64 key;		    /* by which peers name it */
	bool is_requested;	    /* by the program */
	bool is_raw;		    /* peers need the secret too */
	struct xrdma_mkey_row *own; /* of several buffers: the process's, or NULL: that too */
	__u32 layout_first;	    /* likewise */
	__u32 count;
	struct xrdma_mr_part {
		struct xrdma_buffer buffer;
		struct xrdma_mkey_row *row; /* the process's, or NULL: that of the region */
	} parts[];
};

/* What a region is to be. */
struct xrdma_mr_conf {
	const struct iovec *iov;
	size_t count;	   /* from 1 to XRDMA_LAYOUT_ENTRIES_MAX */
	__u32 rights;	   /* as its row has them */
	__u64 base;	   /* likewise */
	bool by_addr;	   /* the process names the memory by addresses, whatever BASE is */
	bool is_requested; /* KEY is by which peers are to name it */
	__u64 key;
	bool is_raw; /* peers need a secret too */
};

/*
 * Register what CONF says, for PD. Returns 0 or, with xrdma_error() set, -EINVAL (a buffer of no
 * bytes, or of 4 GiB or more of several), -ENOMEM, or what xrdma_buffer_take() and
 * xrdma_key_request() do.
 */
int xrdma_mr_create(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, struct xrdma_mr **mr);

#endif

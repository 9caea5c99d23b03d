/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Memory regions (IBA 10.6.3, ibv_reg_mr(3)). All calls are thread safe. */
#ifndef XRDMA_MR_H
#define XRDMA_MR_H

#include "pd.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mr;

/*
 * Register LEN bytes at ADDR for peers of PD's queue pairs: memory of xrdma_alloc(), in one piece,
 * or any private memory of the process that it may read and write and that is not of a file, such
 * as malloc() gives, or as variables have. This is moved in place, which takes far longer than to
 * register memory of xrdma_alloc(), and moved back at the end; threads that use it, or what shares
 * its pages, wait for that (docs/memory.md).
 *
 * ACCESS is any of XRDMA_ACCESS_*; REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too
 * (ibv_reg_mr(3)). With ZERO_BASED peers name the first byte 0, without it ADDR. With
 * REMOTE_INVALIDATE a peer may end the key by a SEND with invalidate, as it may the key of an mkey
 * with MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE; the region is still to be ended. Once the
 * call returns, XDP carries out what the key allows. *MR is to be ended by xrdma_mr_close().
 *
 * Returns 0 or -EINVAL (LEN is 0, or more than there is, ACCESS is unknown or lacks LOCAL_WRITE),
 * -EFAULT (there is no such memory, or it is not to be read and written), -EOPNOTSUPP (it is
 * shared, of a file or of a device, or executable), -EBUSY (it is registered with another
 * context), -ENOMEM (the context has no more keys, or the heap may not
 * grow), or what the kernel gives where it has no userfaultfd(2) for the caller.
 */
XRDMA_API int xrdma_reg_mr(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
			   struct xrdma_mr **mr);

/* The key of a region, for local (L_Key) and remote (R_Key) use. */
XRDMA_API __u32 xrdma_mr_key(const struct xrdma_mr *mr);

/*
 * End the region. When the call returns, no access under its key can touch memory any more, and
 * memory that was moved is back where it is still mapped as it was. Returns 0 or -EBUSY (memory
 * windows are bound to it: mw.h).
 */
XRDMA_API int xrdma_mr_close(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif

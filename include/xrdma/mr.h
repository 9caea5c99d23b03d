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
 * Register LEN bytes at ADDR, memory of xrdma_alloc(), for peers of PD's queue pairs. ACCESS is any
 * of XRDMA_ACCESS_*; REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too (ibv_reg_mr(3)). With
 * ZERO_BASED peers name the first byte 0, without it ADDR. With REMOTE_INVALIDATE a peer may end
 * the key by a SEND with invalidate, as it may the key of an mkey with
 * MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE; the region is still to be ended. Once the call
 * returns, XDP carries out what the key allows. *MR is to be ended by xrdma_mr_dereg().
 *
 * Returns 0 or -EINVAL (LEN is 0, the memory is not xrdma_alloc()'s, ACCESS is unknown or lacks
 * LOCAL_WRITE), -ENOMEM (the context has no more keys).
 */
XRDMA_API int xrdma_mr_reg(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
			   struct xrdma_mr **mr);

/* The key of a region, for local (L_Key) and remote (R_Key) use. */
XRDMA_API __u32 xrdma_mr_key(const struct xrdma_mr *mr);

/*
 * End the region. When the call returns, no access under its key can touch memory any more. Returns
 * 0 or -EBUSY (memory windows are bound to it: mw.h).
 */
XRDMA_API int xrdma_mr_dereg(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif

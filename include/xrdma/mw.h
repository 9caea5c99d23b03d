/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory windows (IBA 10.6.7, ibv_alloc_mw(3), ibv_bind_mw(3)): keys for parts of regions, given to
 * peers and taken back without a system call. All calls are thread safe.
 *
 * A window is bound by a work request: one of type 1 by xrdma_mw_bind(), which gives it another key
 * each time; one of type 2 by xrdma_qp_post_send() with XRDMA_WR_BIND_MW, under a key whose low
 * byte is the caller's choice, and only after XRDMA_WR_LOCAL_INV, or a peer's SEND with invalidate,
 * has ended the key before. Both are carried out in order with the other requests of the send
 * queue, when those before them were sent; none is sent itself. A window is for the protection
 * domain of its allocation, one of type 2 for the queue pair that bound it too.
 */
#ifndef XRDMA_MW_H
#define XRDMA_MW_H

#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mw;

enum xrdma_mw_type {
	XRDMA_MW_TYPE_1 = 1,
	XRDMA_MW_TYPE_2A, /* keeps the queue pair that bound it from being reset or destroyed */
	XRDMA_MW_TYPE_2B, /* does not: its key ends with the queue pair */
};

/*
 * Allocate a window of PD. Until it is bound its key allows nothing. *MW is to be ended by
 * xrdma_mw_dealloc().
 *
 * Returns 0 or -EINVAL (there is no such TYPE), -ENOMEM (the context has no more keys, or no
 * memory).
 */
XRDMA_API int xrdma_mw_alloc(struct xrdma_pd *pd, enum xrdma_mw_type type, struct xrdma_mw **mw);

/*
 * The key (R_Key) of a window. Type 1: the one of the last xrdma_mw_bind(), valid once that is
 * carried out. Type 2: the one that it was allocated with, whose upper 24 bits all its keys have.
 */
XRDMA_API __u32 xrdma_mw_key(const struct xrdma_mw *mw);

/* KEY with the next low byte, to bind a window of type 2 under anew (ibv_inc_rkey(3)). */
static inline __u32 xrdma_inc_rkey(__u32 key)
{
	return (key & 0xffffff00) | ((key + 1) & 0xff);
}

struct xrdma_mw_bind {
	__u64 wr_id;	    /* the caller's, handed back with the completion */
	unsigned int flags; /* XRDMA_SEND_SIGNALED, XRDMA_SEND_FENCE */
	__u32 reserved32;   /* for fields to come, as RESERVED: 0 */
	struct xrdma_mw_bind_info info;
	__u64 reserved[2];
};

/*
 * Post to QP a request that binds MW, of type 1, to a part of a region; with a length of 0 to none,
 * and the region may be NULL. The key before ends, be it bound or not. It completes as
 * XRDMA_WC_BIND_MW.
 *
 * Returns 0 or -EINVAL (MW is of type 2, the access is unknown or ZERO_BASED, the region is
 * ZERO_BASED; or as xrdma_qp_post_send() does), -ENOMEM (the send queue is full).
 */
XRDMA_API int xrdma_mw_bind(struct xrdma_qp *qp, struct xrdma_mw *mw,
			    const struct xrdma_mw_bind *bind);

/*
 * End the window, be it bound or not. When the call returns, no access under its key can touch
 * memory any more. Requests that bind it and are not carried out fail. Returns 0.
 */
XRDMA_API int xrdma_mw_dealloc(struct xrdma_mw *mw);

#ifdef __cplusplus
}
#endif
#endif

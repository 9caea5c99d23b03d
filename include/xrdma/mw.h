/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory windows (IBA 10.6.7, ibv_alloc_mw(3), ibv_bind_mw(3)): keys for parts of regions, given to
 * peers and taken back without a system call. All calls are thread safe.
 *
 * A work request binds a window. xrdma_mw_bind() binds one of type 1 and gives it a new key each
 * time. xrdma_qp_post_send() with XRDMA_WR_BIND_MW binds one of type 2, under a key whose low byte
 * the caller chooses. Its former key must have been ended before, by XRDMA_WR_LOCAL_INV or by a
 * peer's SEND with invalidate. Both requests are executed in order with the other requests of the
 * send queue, after the requests before them were sent. Neither is sent. A window belongs to the
 * protection domain of its allocation, and one of type 2 also to the queue pair that bound it.
 */
#ifndef XRDMA_MW_H
#define XRDMA_MW_H

#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mw;

/* Types of windows. */
enum xrdma_mw_type {
	XRDMA_MW_TYPE_1 = 1,
	XRDMA_MW_TYPE_2A, /* its queue pair cannot be reset or destroyed */
	XRDMA_MW_TYPE_2B, /* its key ends with its queue pair */
};

/*
 * Allocate a window of PD. Its key allows no access until it is bound. Free *MW with
 * xrdma_mw_dealloc().
 *
 * Returns 0 or -EINVAL (TYPE is unknown), -ENOMEM (the context has no more keys, or no memory).
 */
XRDMA_API int xrdma_mw_alloc(struct xrdma_pd *pd, enum xrdma_mw_type type, struct xrdma_mw **mw);

/*
 * Return the key of MW (R_Key). For type 1 it is the key of the last xrdma_mw_bind(), valid once
 * that request is executed. For type 2 it is the key of the allocation; all keys of the window have
 * its upper 24 bits.
 */
XRDMA_API __u32 xrdma_mw_key(const struct xrdma_mw *mw);

/* Return KEY with the next low byte, to bind a window of type 2 again (ibv_inc_rkey(3)). */
static inline __u32 xrdma_inc_rkey(__u32 key)
{
	return (key & 0xffffff00) | ((key + 1) & 0xff);
}

/* Request to bind a window of type 1. */
struct xrdma_mw_bind {
	__u64 wr_id;	    /* the caller's value for the completion */
	unsigned int flags; /* XRDMA_SEND_SIGNALED, XRDMA_SEND_FENCE */
	__u32 reserved32;   /* reserved for later fields, like RESERVED: 0 */
	struct xrdma_mw_bind_info info;
	__u64 reserved[2];
};

/*
 * Bind MW, a window of type 1, by a request of QP. A length of 0 binds it to nothing; then the
 * region may be NULL. The former key ends. The request completes as XRDMA_WC_BIND_MW.
 *
 * Returns 0 or -EINVAL (MW is of type 2, the access is unknown or ZERO_BASED, the region is
 * ZERO_BASED, or as in xrdma_qp_post_send()), -ENOMEM (the send queue is full).
 */
XRDMA_API int xrdma_mw_bind(struct xrdma_qp *qp, struct xrdma_mw *mw,
			    const struct xrdma_mw_bind *bind);

/*
 * Free MW, bound or not. When the call returns, no access under its key can touch memory any more.
 * Posted requests to bind MW fail if they were not executed yet. Returns 0.
 */
XRDMA_API int xrdma_mw_dealloc(struct xrdma_mw *mw);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Short forms of xrdma_mr_regattr(). */
#ifndef XRDMA_TESTS_BUFFERS_H
#define XRDMA_TESTS_BUFFERS_H

#include <xrdma/mr.h>

/*
 * Register the COUNT buffers of IOV, with user key KEY. Returns the result of xrdma_mr_regattr().
 */
int register_buffers(struct xrdma_pd *pd, const struct iovec *iov, size_t count, __u64 access,
		     __u64 key, __u64 flags, struct xrdma_mr **mr);

/* Register one buffer, LEN bytes at AT. */
int register_buffer(struct xrdma_pd *pd, void *at, size_t len, __u64 access, __u64 key, __u64 flags,
		    struct xrdma_mr **mr);

#endif

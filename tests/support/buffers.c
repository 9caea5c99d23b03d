// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "buffers.h"

int register_buffers(struct xrdma_pd *pd, const struct iovec *iov, size_t count, __u64 access,
		     __u64 key, __u64 flags, struct xrdma_mr **mr)
{
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = iov,
		.iov_count = count,
		.access = access,
		.requested_key = key,
	};

	return xrdma_mr_regattr(pd, &attr, flags, mr);
}

int register_buffer(struct xrdma_pd *pd, void *at, size_t len, __u64 access, __u64 key, __u64 flags,
		    struct xrdma_mr **mr)
{
	const struct iovec all = { at, len };

	return register_buffers(pd, &all, 1, access, key, flags, mr);
}

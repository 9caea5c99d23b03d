// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/bounce_register.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "key/region.h"

/* Bytes up to which copying takes less time than registering their memory. */
enum { COPY_MAX = 16 << 10 };

struct registering {
	struct xrdma_bounce bounce;
	struct xrdma_region region;
};

static void release(struct xrdma_bounce *bounce)
{
	struct registering *registering = (void *)bounce;

	xrdma_region_end(&registering->region);
}

static const struct xrdma_bounce_ops register_ops = { .release = release };

static int start(struct registering *registering, __u64 size)
{
	struct xrdma_bounce *bounce = &registering->bounce;
	struct iovec buffers[XRDMA_RECV_SGE_MAX];
	struct xrdma_region_conf conf = { .iov = buffers, .pd = bounce->pd };
	int err;

	for (__u32 i = 0; i < bounce->num_sge; i++) {
		const struct xrdma_sge *sge = &bounce->sges[i];

		if (sge->length)
			buffers[conf.count++] =
				(struct iovec){ (void *)(uintptr_t)sge->addr, sge->length };
	}
	conf.rights = XRDMA_ACCESS_LOCAL;
	conf.base = (uintptr_t)buffers->iov_base;
	registering->region.context = bounce->context;
	err = xrdma_region_start(&registering->region, &conf);
	if (!err)
		bounce->sge = (struct xrdma_sge){ conf.base, size, registering->region.row->key };
	return err;
}

int xrdma_bounce_register_prepare(const struct xrdma_pd *pd, __u32 qpn,
				  const struct xrdma_sge *sges, __u32 num_sge, __u64 size,
				  struct xrdma_bounce **bounce)
{
	struct registering *registering;
	int err;

	if (size <= COPY_MAX || !xrdma_cache_may_keep(size))
		return -EOPNOTSUPP;
	registering = xrdma_bounce_new(sizeof(*registering), pd, qpn, sges, num_sge);
	if (!registering)
		return -ENOMEM;
	registering->bounce.ops = &register_ops;
	err = start(registering, size);
	if (err)
		free(registering);
	else
		*bounce = &registering->bounce;
	return err;
}

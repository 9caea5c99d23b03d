// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/bounce_copy.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/scatter.h"

struct copying {
	struct xrdma_bounce bounce;
	struct xrdma_bounce_buffer buffer;
};

static enum xrdma_verdict copy_out(struct xrdma_bounce *bounce, __u32 len)
{
	const struct copying *copying = (void *)bounce;

	xrdma_sges_scatter(bounce->sges, len, copying->buffer.bytes);
	return XRDMA_V_OK;
}

static void release(struct xrdma_bounce *bounce)
{
	const struct copying *copying = (void *)bounce;

	xrdma_bounce_buffer_give(bounce, &copying->buffer);
}

static const struct xrdma_bounce_ops copy_ops = { .copy_out = copy_out, .release = release };

int xrdma_bounce_copy_prepare(const struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
			      __u32 num_sge, __u64 size, struct xrdma_bounce **bounce)
{
	struct copying *copying = xrdma_bounce_new(sizeof(*copying), pd, qpn, sges, num_sge);
	int err;

	if (!copying)
		return -ENOMEM;
	copying->bounce.ops = &copy_ops;
	err = xrdma_bounce_buffer_take(&copying->bounce, size, &copying->buffer);
	if (err)
		free(copying);
	else
		*bounce = &copying->bounce;
	return err;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/bounce_base.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "lib/error.h"
#include "obj/context.h"

void *xrdma_bounce_new(size_t size, const struct xrdma_pd *pd, __u32 qpn,
		       const struct xrdma_sge *sges, __u32 num_sge)
{
	struct xrdma_bounce *bounce = calloc(1, size + num_sge * sizeof(*sges));

	if (!bounce) {
		xrdma_fail(ENOMEM, "no memory for a request");
		return NULL;
	}
	bounce->context = pd->context;
	bounce->pd = pd->number;
	bounce->qpn = qpn;
	bounce->num_sge = num_sge;
	bounce->sges = (void *)((char *)bounce + size);
	memcpy(bounce->sges, sges, num_sge * sizeof(*sges));
	return bounce;
}

int xrdma_bounce_buffer_take(struct xrdma_bounce *bounce, __u64 size,
			     struct xrdma_bounce_buffer *buffer)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_LOCAL,
		.pd = bounce->pd,
		.qpn = bounce->qpn,
		.len = size,
	};
	void *bytes;
	int err = xrdma_alloc(bounce->context, size, 64, &bytes);

	if (err)
		return err;
	buffer->bytes = bytes;
	row.base = (uintptr_t)bytes;
	row.offset = (char *)bytes - bounce->context->heap.bytes;
	err = xrdma_key_publish(bounce->context->keys, &row, &buffer->row);
	if (err)
		xrdma_free(bounce->context, bytes);
	else
		bounce->sge = (struct xrdma_sge){ row.base, size, row.key };
	return err;
}

void xrdma_bounce_buffer_give(struct xrdma_bounce *bounce, const struct xrdma_bounce_buffer *buffer)
{
	xrdma_key_revoke(bounce->context->keys, buffer->row);
	xrdma_free(bounce->context, buffer->bytes);
}

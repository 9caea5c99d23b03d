// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/rd_atomic.h"

#include <string.h>

#include "obj/segments.h"

int xrdma_rd_atomics_init(struct xrdma_rd_atomics *rd_atomics, struct xrdma_context *context,
			  __u32 row, const struct xrdma_qp_init_attr *init)
{
	__u32 count = XRDMA_RD_ATOMIC_MAX * init->max_send_sge;

	*rd_atomics = (struct xrdma_rd_atomics){
		.rows = (struct xrdma_rd_atomic_row *)context->tables.rd_atomics.rows +
			(size_t)row * XRDMA_RD_ATOMIC_MAX,
		.max_sge = init->max_send_sge,
	};
	return xrdma_segments_take(context, count, &rd_atomics->first, &rd_atomics->sges);
}

void xrdma_rd_atomics_exit(struct xrdma_rd_atomics *rd_atomics, struct xrdma_context *context)
{
	memset(rd_atomics->rows, 0, XRDMA_RD_ATOMIC_MAX * sizeof(*rd_atomics->rows));
	xrdma_segments_give(context, rd_atomics->sges);
}

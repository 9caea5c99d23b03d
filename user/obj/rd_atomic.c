// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/rd_atomic.h"

#include <string.h>

#include "obj/segments.h"

int xrdma_fetches_init(struct xrdma_fetches *fetches, struct xrdma_context *context, __u32 row,
		       const struct xrdma_qp_init_attr *init)
{
	__u32 count = XRDMA_RD_ATOMIC_MAX * init->max_send_sge;

	*fetches = (struct xrdma_fetches){
		.rows = (struct xrdma_fetch_row *)context->tables.fetches.rows +
			(size_t)row * XRDMA_RD_ATOMIC_MAX,
		.max_sge = init->max_send_sge,
	};
	return xrdma_sges_take(context, count, &fetches->first, &fetches->sges);
}

void xrdma_fetches_exit(struct xrdma_fetches *fetches, struct xrdma_context *context)
{
	memset(fetches->rows, 0, XRDMA_RD_ATOMIC_MAX * sizeof(*fetches->rows));
	xrdma_sges_give(context, fetches->sges);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/rd_atomic.h"

#include "queue/segments.h"

int xrdma_rd_atomics_init(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues,
			  const struct xrdma_qp_init_attr *init)
{
	__u32 count = XRDMA_RD_ATOMIC_MAX * init->max_send_sge;

	*rd_atomics = (struct xrdma_rd_atomics){ .max_sge = init->max_send_sge };
	return xrdma_segments_take(queues, count, &rd_atomics->first, &rd_atomics->sges);
}

void xrdma_rd_atomics_exit(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues)
{
	xrdma_segments_give(queues, rd_atomics->sges);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/queues.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/error.h"

int xrdma_queues_init(struct xrdma_queues *queues, const struct xrdma_context_tables *tables,
		      const struct xrdma_context_attr *attr)
{
	const __u32 qps = attr->qps + XRDMA_QP_ROWS_RESERVED;

	xrdma_mutex_init(&queues->lock, XRDMA_RANK_QUEUES);
	LIST_INIT(&queues->cqs);
	queues->rows = tables->queues.rows;
	queues->cqes = tables->cqes.rows;
	queues->segments = tables->segments.rows;
	queues->qps = tables->qps.rows;
	queues->entries = calloc(qps, sizeof(*queues->entries));
	if (queues->entries && !xrdma_rows_init(&queues->free_cqs, 0, attr->cqs) &&
	    !xrdma_rows_init(&queues->free_qps, XRDMA_QP_ROWS_RESERVED, qps) &&
	    !xrdma_rows_init(&queues->free_srqs, attr->cqs + qps, attr->cqs + qps + attr->srqs) &&
	    !xrdma_extents_init(&queues->cqe_space, tables->cqes.size) &&
	    !xrdma_extents_init(&queues->segment_space, tables->segments.size))
		return 0;
	return xrdma_fail(ENOMEM, "no memory for the records of queues");
}

void xrdma_queues_exit(struct xrdma_queues *queues)
{
	xrdma_extents_exit(&queues->segment_space);
	xrdma_extents_exit(&queues->cqe_space);
	xrdma_rows_exit(&queues->free_srqs);
	xrdma_rows_exit(&queues->free_qps);
	xrdma_rows_exit(&queues->free_cqs);
	free(queues->entries);
	xrdma_mutex_destroy(&queues->lock);
}

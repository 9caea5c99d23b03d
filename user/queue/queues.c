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
	xrdma_mutex_init(&queues->srq_lock, XRDMA_RANK_SRQS);
	LIST_INIT(&queues->cqs);
	queues->rows = tables->queues.rows;
	queues->cqes = tables->cqes.rows;
	queues->segments = tables->segments.rows;
	queues->qps = tables->qps.rows;
	queues->entries = calloc(qps, sizeof(*queues->entries));
	queues->first_srq = attr->cqs + qps;
	queues->srqs = calloc(attr->srqs, sizeof(*queues->srqs));
	if (queues->entries && queues->srqs && !xrdma_rows_init(&queues->free_cqs, 0, attr->cqs) &&
	    !xrdma_rows_init(&queues->free_qps, XRDMA_QP_ROWS_RESERVED, qps) &&
	    !xrdma_rows_init(&queues->free_srqs, queues->first_srq,
			     queues->first_srq + attr->srqs) &&
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
	free(queues->srqs);
	free(queues->entries);
	xrdma_mutex_destroy(&queues->srq_lock);
	xrdma_mutex_destroy(&queues->lock);
}

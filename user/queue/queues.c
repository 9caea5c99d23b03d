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
	xrdma_mutex_init(&queues->source_lock, XRDMA_RANK_SOURCES);
	LIST_INIT(&queues->cqs);
	queues->rows = tables->queues.rows;
	queues->cqes = tables->cqes.rows;
	queues->segments = tables->segments.rows;
	queues->qps = tables->qps.rows;
	queues->entries = calloc(qps, sizeof(*queues->entries));
	queues->source_count = attr->cqs + qps + attr->srqs;
	queues->sources = calloc(queues->source_count, sizeof(*queues->sources));
	if (queues->entries && queues->sources &&
	    !xrdma_rows_init(&queues->free_cqs, 0, attr->cqs) &&
	    !xrdma_rows_init(&queues->free_qps, XRDMA_QP_ROWS_RESERVED, qps) &&
	    !xrdma_rows_init(&queues->free_srqs, attr->cqs + qps, queues->source_count) &&
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
	free(queues->sources);
	free(queues->entries);
	xrdma_mutex_destroy(&queues->source_lock);
	xrdma_mutex_destroy(&queues->lock);
}

void xrdma_queues_set_source(struct xrdma_queues *queues, __u32 row, void *source)
{
	xrdma_mutex_lock(&queues->source_lock);
	queues->sources[row] = source;
	xrdma_mutex_unlock(&queues->source_lock);
}

void *xrdma_queues_source(const struct xrdma_queues *queues, __u64 row, enum xrdma_queue_kind kind)
{
	const bool is_cq = row < queues->free_cqs.count;

	if (is_cq != (kind == XRDMA_QUEUE_CQ) || row >= queues->source_count)
		return NULL;
	return queues->sources[row];
}

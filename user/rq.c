// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "rq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* The rows of the ring's memory, of which a queue without receives has none. */
static int take_rqes(struct xrdma_rq *rq, struct xrdma_context *context)
{
	struct xrdma_rqe_row *rows = context->tables.rqes.rows;
	size_t size = ((size_t)rq->mask + 1) * rq->max_sge * sizeof(*rows), at;

	rq->rqes = NULL;
	if (!rq->size || !rq->max_sge)
		return 0;
	if (xrdma_heap_take(&context->rqes, size, sizeof(*rows), &at))
		return xrdma_fail(ENOMEM,
				  "no %zu rows for the memory of receives: destroy some queues, or "
				  "open the context with more recv_sges",
				  size / sizeof(*rows));
	rq->first = at / sizeof(*rows);
	rq->rqes = rows + rq->first;
	return 0;
}

int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_context *context, __u32 row,
		  const struct xrdma_qp_init_attr *init)
{
	int err;

	*rq = (struct xrdma_rq){
		.row = (struct xrdma_rq_row *)context->tables.rqs.rows + row,
		.size = init->max_recv_wr,
		.max_sge = init->max_recv_sge,
		.mask = xrdma_power_of_two(init->max_recv_wr) - 1,
	};
	rq->wr_ids = calloc(rq->mask + 1, sizeof(*rq->wr_ids));
	if (!rq->wr_ids)
		return xrdma_fail(ENOMEM, "no memory for a receive queue");
	err = take_rqes(rq, context);
	if (err)
		free(rq->wr_ids);
	return err;
}

void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_context *context)
{
	if (rq->rqes)
		xrdma_heap_give(&context->rqes, rq->first * sizeof(*rq->rqes));
	free(rq->wr_ids);
}

void xrdma_rq_start(struct xrdma_rq *rq)
{
	rq->head = rq->tail = 0;
	*rq->row = (struct xrdma_rq_row){
		.first = rq->first,
		.mask = rq->mask,
		.max_sge = rq->max_sge,
	};
}

void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr)
{
	__u32 at = rq->tail++ & rq->mask;
	struct xrdma_rqe_row *rqe = rq->rqes + (size_t)at * rq->max_sge;

	rq->wr_ids[at] = wr->wr_id;
	for (__u32 i = 0; i < rq->max_sge; i++)
		rqe[i] = i < wr->num_sge ? (struct xrdma_rqe_row){ wr->sg_list[i].addr,
								   wr->sg_list[i].length,
								   wr->sg_list[i].lkey }
					 : (struct xrdma_rqe_row){ 0 };
}

void xrdma_rq_publish(struct xrdma_rq *rq)
{
	__atomic_store_n(&rq->row->posted, rq->tail, __ATOMIC_RELEASE);
}

__u64 xrdma_rq_complete(struct xrdma_rq *rq)
{
	return rq->wr_ids[rq->head++ & rq->mask];
}

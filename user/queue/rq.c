// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/rq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/order.h"
#include "queue/segments.h"

int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number,
		  const struct xrdma_qp_init_attr *init)
{
	int err;

	*rq = (struct xrdma_rq){
		.number = number,
		.row = queues->rows + number,
		.ring = xrdma_ring(init->max_recv_wr),
		.max_sge = init->max_recv_sge,
	};
	rq->receives = calloc(rq->ring.mask + 1, sizeof(*rq->receives));
	if (!rq->receives)
		return xrdma_fail(ENOMEM, "no memory for a receive queue");
	err = xrdma_segments_take(queues, init->max_recv_wr ? (rq->ring.mask + 1) * rq->max_sge : 0,
				  &rq->first, &rq->sges);
	if (err)
		free(rq->receives);
	return err;
}

void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_queues *queues)
{
	memset(rq->row, 0,
	       sizeof(*rq->row)); /* so that nothing takes memory which is another's by then */
	xrdma_segments_give(queues, rq->sges);
	free(rq->receives);
}

void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_stages *stages)
{
	struct xrdma_stage *stage;

	for (__u64 number = rq->ring.head; number < rq->ring.tail; number++) {
		stage = rq->receives[xrdma_ring_place(&rq->ring, number)].stage;
		if (stage)
			STAILQ_INSERT_TAIL(stages, stage, next);
	}
	xrdma_ring_clear(&rq->ring);
	*rq->row = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = rq->first,
		.mask = rq->ring.mask,
		.stride = rq->max_sge,
	};
}

void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_stage *stage)
{
	const struct xrdma_sge *sges = stage ? &stage->sge : wr->sg_list;
	__u32 count = stage ? 1 : wr->num_sge;
	__u32 at = xrdma_ring_place(&rq->ring, rq->ring.tail);
	struct xrdma_sge *rqe = rq->sges + (size_t)at * rq->max_sge;

	rq->receives[at] = (struct xrdma_receive){ wr->wr_id, stage };
	for (__u32 i = 0; i < rq->max_sge; i++)
		rqe[i] = i < count ? sges[i] : (struct xrdma_sge){ 0 };
	xrdma_ring_add(&rq->ring);
}

void xrdma_rq_publish(struct xrdma_rq *rq)
{
	XRDMA_PUBLISH(rq->row->user_index, rq->ring.tail);
}

struct xrdma_receive xrdma_rq_complete(struct xrdma_rq *rq)
{
	struct xrdma_receive receive = rq->receives[xrdma_ring_place(&rq->ring, rq->ring.head)];

	xrdma_ring_take(&rq->ring);
	return receive;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/rq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/order.h"
#include "queue/segments.h"

_Static_assert(sizeof(struct xrdma_sge) == XRDMA_NUMBERS_IN_ROW * sizeof(__u32),
	       "a row of segments holds so many numbers");

/*
 * Take rows for the segments of each receive. If the queue is shared, the rows in front of them are
 * for the ring.
 */
static int take_rows(struct xrdma_rq *rq, struct xrdma_queues *queues, bool is_shared)
{
	__u32 count = rq->ring.size ? rq->ring.mask + 1 : 0;
	__u32 ring = is_shared ? (count + XRDMA_NUMBERS_IN_ROW - 1) / XRDMA_NUMBERS_IN_ROW : 0;
	int err;

	err = xrdma_segments_take(queues, ring + count * rq->max_sge, &rq->first, &rq->sges);
	if (err || !ring)
		return err;
	rq->numbers = (__u32 *)rq->sges;
	rq->sges += ring;
	rq->first += ring;
	return 0;
}

int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number,
		  const struct xrdma_qp_init_attr *init, bool is_shared)
{
	int err;

	*rq = (struct xrdma_rq){
		.number = number,
		.row = queues->rows + number,
		.ring = xrdma_ring(init->max_recv_wr),
		.max_sge = init->max_recv_sge,
		.posted = TAILQ_HEAD_INITIALIZER(rq->posted),
	};
	rq->receives = calloc(rq->ring.mask + 1, sizeof(*rq->receives));
	if (!rq->receives)
		return xrdma_fail(ENOMEM, "no memory for a receive queue");
	err = take_rows(rq, queues, is_shared);
	if (err)
		free(rq->receives);
	else
		xrdma_spin_init(&rq->lock, XRDMA_RANK_RQ);
	return err;
}

void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_queues *queues)
{
	/* Clear the row, so that XDP finds no memory by it. Another queue will use it soon. */
	memset(rq->row, 0, sizeof(*rq->row));
	xrdma_segments_give(queues, rq->numbers ? (struct xrdma_sge *)rq->numbers : rq->sges);
	free(rq->receives);
}

static __u32 first_of_ring(const struct xrdma_rq *rq)
{
	return rq->first - (rq->sges - (struct xrdma_sge *)rq->numbers);
}

void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_bounces *bounces)
{
	struct xrdma_receive *receive;

	xrdma_spin_lock(&rq->lock);
	for (receive = TAILQ_FIRST(&rq->posted); receive; receive = TAILQ_NEXT(receive, next))
		if (receive->bounce)
			STAILQ_INSERT_TAIL(bounces, receive->bounce, next);
	TAILQ_INIT(&rq->posted);
	TAILQ_INIT(&rq->free);
	for (__u32 number = 0; number <= rq->ring.mask; number++) {
		rq->receives[number].is_posted = false;
		TAILQ_INSERT_TAIL(&rq->free, &rq->receives[number], next);
	}
	xrdma_ring_clear(&rq->ring);
	*rq->row = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.ring = rq->numbers ? first_of_ring(rq) + 1 : 0,
		.first = rq->first,
		.mask = rq->ring.mask,
		.stride = rq->max_sge,
	};
	xrdma_spin_unlock(&rq->lock);
}

/* Write the rows of receive NUMBER, which XDP will claim next. */
static void write_rows(struct xrdma_rq *rq, __u32 number, const struct xrdma_sge *sges, __u32 count)
{
	struct xrdma_sge *row = rq->sges + (size_t)number * rq->max_sge;

	for (__u32 i = 0; i < rq->max_sge; i++)
		row[i] = i < count ? sges[i] : (struct xrdma_sge){ 0 };
	if (rq->numbers)
		XRDMA_WRITE(rq->numbers[xrdma_ring_place(&rq->ring, rq->ring.tail)], number);
}

void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_bounce *bounce)
{
	struct xrdma_receive *receive;

	xrdma_spin_lock(&rq->lock);
	receive = TAILQ_FIRST(&rq->free);
	TAILQ_REMOVE(&rq->free, receive, next);
	receive->wr_id = wr->wr_id;
	receive->bounce = bounce;
	receive->is_posted = true;
	TAILQ_INSERT_TAIL(&rq->posted, receive, next);
	write_rows(rq, receive - rq->receives, bounce ? &bounce->sge : wr->sg_list,
		   bounce ? 1 : wr->num_sge);
	xrdma_ring_add(&rq->ring);
	xrdma_spin_unlock(&rq->lock);
}

void xrdma_rq_publish(struct xrdma_rq *rq)
{
	XRDMA_PUBLISH(rq->row->user_index, rq->ring.tail);
}

/* Remove RECEIVE. The caller holds the lock. */
static void take_back(struct xrdma_rq *rq, struct xrdma_receive *receive)
{
	receive->is_posted = false;
	TAILQ_REMOVE(&rq->posted, receive, next);
	TAILQ_INSERT_TAIL(&rq->free, receive, next);
	xrdma_ring_take(&rq->ring);
}

bool xrdma_rq_complete(struct xrdma_rq *rq, __u32 number, struct xrdma_receive *receive)
{
	struct xrdma_receive *found = &rq->receives[number & rq->ring.mask];
	bool is_complete;

	xrdma_spin_lock(&rq->lock);
	is_complete = number <= rq->ring.mask && found->is_posted &&
		      (rq->numbers || found == TAILQ_FIRST(&rq->posted));
	if (is_complete) {
		*receive = *found;
		take_back(rq, found);
	}
	xrdma_spin_unlock(&rq->lock);
	return is_complete;
}

bool xrdma_rq_flush(struct xrdma_rq *rq, struct xrdma_receive *receive)
{
	struct xrdma_receive *oldest;

	xrdma_spin_lock(&rq->lock);
	oldest = TAILQ_FIRST(&rq->posted);
	if (oldest) {
		*receive = *oldest;
		take_back(rq, oldest);
	}
	xrdma_spin_unlock(&rq->lock);
	return oldest;
}

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

int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number, __u32 max_wr,
		  __u32 max_sge, bool is_shared)
{
	int err;

	*rq = (struct xrdma_rq){
		.number = number,
		.row = queues->rows + number,
		.ring = xrdma_ring(max_wr),
		.max_sge = max_sge,
		.free = TAILQ_HEAD_INITIALIZER(rq->free),
		.posted = TAILQ_HEAD_INITIALIZER(rq->posted),
	};
	rq->receives = calloc(rq->ring.mask + 1, sizeof(*rq->receives));
	if (!rq->receives)
		return xrdma_fail(ENOMEM, "no memory for a receive queue");
	for (__u32 number = 0; number <= rq->ring.mask; number++)
		TAILQ_INSERT_TAIL(&rq->free, &rq->receives[number], next);
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

static bool is_shared(const struct xrdma_rq *rq)
{
	return rq->numbers;
}

static void lock(struct xrdma_rq *rq)
{
	if (is_shared(rq))
		xrdma_spin_lock(&rq->lock);
}

static void unlock(struct xrdma_rq *rq)
{
	if (is_shared(rq))
		xrdma_spin_unlock(&rq->lock);
}

/* Returns the oldest receive that is not complete; NULL if there is none. */
static struct xrdma_receive *oldest(struct xrdma_rq *rq)
{
	if (is_shared(rq))
		return TAILQ_FIRST(&rq->posted);
	if (xrdma_ring_is_empty(&rq->ring))
		return NULL;
	return rq->receives + xrdma_ring_place(&rq->ring, rq->ring.head);
}

/* Returns a receive that is free, and removes it from the free ones. The queue is not full. */
static struct xrdma_receive *take_free(struct xrdma_rq *rq)
{
	struct xrdma_receive *receive;

	if (!is_shared(rq))
		return rq->receives + xrdma_ring_place(&rq->ring, rq->ring.tail);
	receive = TAILQ_FIRST(&rq->free);
	TAILQ_REMOVE(&rq->free, receive, next);
	TAILQ_INSERT_TAIL(&rq->posted, receive, next);
	receive->is_posted = true;
	return receive;
}

/* Free RECEIVE, which was posted. */
static void give_back(struct xrdma_rq *rq, struct xrdma_receive *receive)
{
	if (is_shared(rq)) {
		receive->is_posted = false;
		TAILQ_REMOVE(&rq->posted, receive, next);
		TAILQ_INSERT_TAIL(&rq->free, receive, next);
	}
	xrdma_ring_take(&rq->ring);
}

void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_bounces *bounces)
{
	struct xrdma_receive *receive;

	lock(rq);
	for (receive = oldest(rq); receive; receive = oldest(rq)) {
		if (receive->bounce)
			STAILQ_INSERT_TAIL(bounces, receive->bounce, next);
		give_back(rq, receive);
	}
	xrdma_ring_clear(&rq->ring);
	*rq->row = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.ring = is_shared(rq) ? first_of_ring(rq) + 1 : 0,
		.first = rq->first,
		.mask = rq->ring.mask,
		.stride = rq->max_sge,
	};
	unlock(rq);
}

/* Write the rows of receive NUMBER, which XDP will claim next. */
static void write_rows(struct xrdma_rq *rq, __u32 number, const struct xrdma_sge *sges, __u32 count)
{
	struct xrdma_sge *row = rq->sges + (size_t)number * rq->max_sge;

	for (__u32 i = 0; i < rq->max_sge; i++)
		row[i] = i < count ? sges[i] : (struct xrdma_sge){ 0 };
	if (is_shared(rq))
		XRDMA_WRITE(rq->numbers[xrdma_ring_place(&rq->ring, rq->ring.tail)], number);
}

void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_bounce *bounce)
{
	struct xrdma_receive *receive;

	lock(rq);
	receive = take_free(rq);
	receive->wr_id = wr->wr_id;
	receive->bounce = bounce;
	write_rows(rq, receive - rq->receives, bounce ? &bounce->sge : wr->sg_list,
		   bounce ? 1 : wr->num_sge);
	xrdma_ring_add(&rq->ring);
	unlock(rq);
}

void xrdma_rq_repost(struct xrdma_rq *rq, __u32 number)
{
	struct xrdma_receive *receive = &rq->receives[number & rq->ring.mask];

	lock(rq);
	if (receive->is_posted) {
		TAILQ_REMOVE(&rq->posted, receive, next);
		TAILQ_INSERT_TAIL(&rq->posted, receive, next);
		xrdma_ring_take(&rq->ring);
		XRDMA_WRITE(rq->numbers[xrdma_ring_place(&rq->ring, rq->ring.tail)],
			    receive - rq->receives);
		xrdma_ring_add(&rq->ring);
	}
	unlock(rq);
}

void xrdma_rq_publish(struct xrdma_rq *rq)
{
	XRDMA_PUBLISH(rq->row->user_index, rq->ring.tail);
}

bool xrdma_rq_complete(struct xrdma_rq *rq, __u32 number, struct xrdma_receive *receive)
{
	struct xrdma_receive *found = &rq->receives[number & rq->ring.mask];
	bool is_complete;

	lock(rq);
	is_complete =
		number <= rq->ring.mask && (is_shared(rq) ? found->is_posted : found == oldest(rq));
	if (is_complete) {
		*receive = *found;
		give_back(rq, found);
	}
	unlock(rq);
	return is_complete;
}

bool xrdma_rq_flush(struct xrdma_rq *rq, struct xrdma_receive *receive)
{
	struct xrdma_receive *flushed;

	lock(rq);
	flushed = oldest(rq);
	if (flushed) {
		*receive = *flushed;
		give_back(rq, flushed);
	}
	unlock(rq);
	return flushed;
}

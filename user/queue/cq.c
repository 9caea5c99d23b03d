// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/cq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/attr.h"
#include "lib/error.h"
#include "lib/order.h"
#include "queue/comp_channel.h"
#include "queue/queues.h"

static int enter(struct xrdma_cq *cq, __u32 entries)
{
	struct xrdma_context *context = cq->context;
	struct xrdma_queues *queues = context->queues;
	const size_t row_size = sizeof(struct xrdma_cqe_row);
	__u32 size = xrdma_power_of_two(entries);
	size_t at;

	cq->number = xrdma_rows_take(&queues->free_cqs);
	if (cq->number == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u completion queues of the context are in use: destroy "
				  "some, or open it with more cqs",
				  context->limits.max_cq);
	if (xrdma_extents_take(&queues->cqe_space, size * row_size, row_size, &at)) {
		xrdma_rows_give(&queues->free_cqs, cq->number);
		return xrdma_fail(
			ENOMEM,
			"no room for %u entries of a completion queue: destroy some completion "
			"queues, or open the context with more cqes",
			size);
	}
	cq->row = queues->rows + cq->number;
	cq->cqes = queues->cqes + at / row_size;
	cq->ring = xrdma_ring(size);
	memset(cq->cqes, 0, size * row_size);
	*cq->row = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_CQ,
		.first = at / row_size,
		.mask = cq->ring.mask,
		.stride = 1,
		.unattended = cq->is_automatic,
	};
	xrdma_count_in(&context->cqs);
	if (cq->channel) {
		xrdma_count_in(&cq->channel->users);
		xrdma_queues_set_source(queues, cq->number, cq);
	}
	xrdma_mutex_lock(&queues->lock);
	LIST_INSERT_HEAD(&queues->cqs, cq, next);
	xrdma_mutex_unlock(&queues->lock);
	return 0;
}

static int check_attr(const struct xrdma_context *context, const struct xrdma_cq_init_attr *attr)
{
	if (!attr->entries || attr->entries > XRDMA_CQ_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "a completion queue of %u entries: 1 to %d",
				  attr->entries, XRDMA_CQ_ENTRIES_MAX);
	if (attr->channel && attr->channel->context != context)
		return xrdma_fail(EINVAL, "the completion channel is of another context");
	return 0;
}

int xrdma_cq_create_ex(struct xrdma_context *context, const struct xrdma_cq_init_attr *from,
		       struct xrdma_cq **cq)
{
	struct xrdma_cq_init_attr attr;
	int err = xrdma_attr_read(from, &attr, sizeof(attr), "xrdma_cq_init_attr")
			  ?: check_attr(context, &attr);

	if (err)
		return err;
	*cq = malloc(sizeof(**cq));
	if (!*cq)
		return xrdma_fail(ENOMEM, "no memory for a completion queue");
	**cq = (struct xrdma_cq){
		.context = context,
		.channel = attr.channel,
		.events = { .object = *cq },
		.alarm = XRDMA_NEVER,
		.is_automatic = attr.channel || context->progress == XRDMA_PROGRESS_AUTO,
	};
	(*cq)->unattended = (*cq)->is_automatic;
	xrdma_spin_init(&(*cq)->lock, XRDMA_RANK_CQ);
	TAILQ_INIT(&(*cq)->soon.qps);
	TAILQ_INIT(&(*cq)->timed.qps);
	TAILQ_INIT(&(*cq)->receivers);
	TAILQ_INIT(&(*cq)->finished);
	STAILQ_INIT(&(*cq)->bounces);
	err = xrdma_context_enter(context);
	if (!err)
		err = enter(*cq, attr.entries);
	if (err)
		free(*cq);
	return err;
}

int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq)
{
	const struct xrdma_cq_init_attr attr = { .sz = sizeof(attr), .entries = entries };

	return xrdma_cq_create_ex(context, &attr, cq);
}

static void leave(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	struct xrdma_queues *queues = context->queues;

	xrdma_mutex_lock(&queues->lock);
	LIST_REMOVE(cq, next);
	xrdma_mutex_unlock(&queues->lock);
	if (cq->channel) {
		xrdma_queues_set_source(queues, cq->number, NULL);
		xrdma_channel_leave(&cq->channel->events, &cq->events);
		xrdma_count_out(&cq->channel->users);
	}
	xrdma_extents_give(&queues->cqe_space, (cq->cqes - queues->cqes) * sizeof(*cq->cqes));
	memset(cq->row, 0, sizeof(*cq->row));
	xrdma_rows_give(&queues->free_cqs, cq->number);
	xrdma_count_out(&context->cqs);
}

int xrdma_cq_destroy(struct xrdma_cq *cq)
{
	int err = xrdma_context_own(cq->context);
	__u32 users = xrdma_count(&cq->users);

	if (err)
		return err;
	if (users)
		return xrdma_fail(EBUSY, "%u queues still use the completion queue", users);
	leave(cq);
	free(cq);
	return 0;
}

int xrdma_cq_ack_events(struct xrdma_cq *cq, unsigned int count)
{
	int err = xrdma_context_own(cq->context);

	if (err)
		return err;
	if (!cq->channel)
		return xrdma_fail(EINVAL, "the completion queue has no channel");
	err = xrdma_channel_acknowledge(&cq->channel->events, &cq->events, count);
	return err ? xrdma_fail(-err,
				"the completion queue has fewer than %u events to acknowledge",
				count)
		   : 0;
}

static void add_event(struct xrdma_cq *cq)
{
	xrdma_channel_add(&cq->channel->events, &cq->events, 0);
}

/* Returns whether the program waits for a completion in this way. It does not any more. */
static bool take_wake(struct xrdma_cq *cq, __u32 wake)
{
	return __atomic_compare_exchange_n(&cq->row->wake, &wake, XRDMA_WAKE_NONE, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void xrdma_cq_wake(struct xrdma_cq *cq, bool solicited)
{
	if (cq->channel &&
	    (take_wake(cq, XRDMA_WAKE_ANY) || (solicited && take_wake(cq, XRDMA_WAKE_SOLICITED))))
		add_event(cq);
}

void xrdma_cq_completed(void *of, const struct xrdma_notice *notice)
{
	struct xrdma_queues *queues = of;
	struct xrdma_cq *cq;

	xrdma_mutex_lock(&queues->source_lock);
	cq = xrdma_queues_source(queues, notice->data, XRDMA_QUEUE_CQ);
	if (cq)
		add_event(cq);
	xrdma_mutex_unlock(&queues->source_lock);
}

void xrdma_cq_find_lost(struct xrdma_cq *cq)
{
	if (cq->channel && XRDMA_READ(cq->row->lost) &&
	    __atomic_exchange_n(&cq->row->lost, 0, __ATOMIC_RELAXED))
		add_event(cq);
}

struct xrdma_cqe_row *xrdma_cq_entry(const struct xrdma_cq *cq, __u32 number)
{
	struct xrdma_cqe_row *cqe = &cq->cqes[xrdma_ring_place(&cq->ring, number)];

	return XRDMA_OBSERVE(cqe->sequence) == number + 1 ? cqe : NULL;
}

/* Add FINISHED to the list of CQ. The caller holds the lock. */
static void list(struct xrdma_cq *cq, struct xrdma_finished *finished)
{
	finished->listed = true;
	finished->end = finished->later;
	finished->after = XRDMA_OBSERVE(cq->row->xdp_index);
	TAILQ_INSERT_TAIL(&cq->finished, finished, next);
}

void xrdma_cq_add(struct xrdma_cq *cq, struct xrdma_finished *finished, __u64 end)
{
	xrdma_spin_lock(&cq->lock);
	finished->later = end;
	if (!finished->listed)
		list(cq, finished);
	xrdma_spin_unlock(&cq->lock);
}

/* Remove FINISHED from the list of CQ. The caller holds the lock. */
static void unlist(struct xrdma_cq *cq, struct xrdma_finished *finished)
{
	if (finished->listed)
		TAILQ_REMOVE(&cq->finished, finished, next);
	finished->listed = false;
}

void xrdma_cq_next(struct xrdma_cq *cq, struct xrdma_finished *finished)
{
	unlist(cq, finished);
	if (finished->later > finished->end)
		list(cq, finished);
}

void xrdma_cq_remove(struct xrdma_cq *cq, struct xrdma_finished *finished)
{
	xrdma_spin_lock(&cq->lock);
	unlist(cq, finished);
	finished->later = 0;
	xrdma_spin_unlock(&cq->lock);
}

/*
 * Forget the entries of queue pair QPN. XDP hands out entries in one order and writes them in
 * another, so wait until all that were handed out are written.
 */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn, struct xrdma_rq *shared)
{
	struct xrdma_bounces bounces = STAILQ_HEAD_INITIALIZER(bounces);
	__u32 end = XRDMA_OBSERVE(cq->row->xdp_index), count;
	struct xrdma_receive receive;
	struct xrdma_cqe_row *cqe;

	xrdma_epochs_wait(&cq->context->slots.epochs);
	xrdma_spin_lock(&cq->lock);
	count = end - (__u32)cq->ring.head;
	for (__u32 i = 0; i < count && i <= cq->ring.mask; i++) {
		cqe = xrdma_cq_entry(cq, cq->ring.head + i);
		if (!cqe || cqe->qpn != qpn || cqe->verdict != XRDMA_V_OK)
			continue;
		cqe->verdict = XRDMA_V_QP_STATE;
		if (shared && xrdma_rq_complete(shared, cqe->rqe, &receive) && receive.bounce)
			STAILQ_INSERT_TAIL(&bounces, receive.bounce, next);
	}
	xrdma_spin_unlock(&cq->lock);
	xrdma_bounces_release(&bounces);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/srq.h"

#include <errno.h>
#include <stdlib.h>
#include <xrdma/async.h>
#include <xrdma/qp.h>

#include "key/pd.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "lib/order.h"

static int read_attr(const struct xrdma_pd *pd, const struct xrdma_srq_attr *from,
		     struct xrdma_srq_attr *attr)
{
	const struct xrdma_device_attr *limits = &pd->context->limits;
	int err = xrdma_attr_read(from, attr, sizeof(*attr), "xrdma_srq_attr");

	if (err)
		return err;
	if (!attr->max_wr || attr->max_wr > limits->max_srq_wr)
		return xrdma_fail(EINVAL, "max_wr %u: 1 to %u", attr->max_wr, limits->max_srq_wr);
	if (attr->max_sge > limits->max_srq_sge)
		return xrdma_fail(EINVAL, "max_sge %u: at most %u", attr->max_sge,
				  limits->max_srq_sge);
	return 0;
}

/* Take a row for SRQ, and set up its queue. */
static int enter(struct xrdma_srq *srq, const struct xrdma_srq_attr *attr)
{
	struct xrdma_bounces none = STAILQ_HEAD_INITIALIZER(none);
	struct xrdma_context *context = srq->pd->context;
	struct xrdma_queues *queues = context->queues;
	__u32 row = xrdma_rows_take(&queues->free_srqs);
	int err;

	if (row == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u shared receive queues of the context are in use: destroy "
				  "some, or open it with more srqs",
				  context->limits.max_srq);
	err = xrdma_rq_init(&srq->rq, queues, row, attr->max_wr, attr->max_sge, true);
	if (err)
		xrdma_rows_give(&queues->free_srqs, row);
	if (err)
		return err;
	xrdma_rq_start(&srq->rq, &none);
	xrdma_queues_set_source(queues, row, srq);
	return 0;
}

int xrdma_srq_create(struct xrdma_pd *pd, const struct xrdma_srq_attr *attr, struct xrdma_srq **srq)
{
	struct xrdma_srq_attr all;
	int err = xrdma_context_enter(pd->context) ?: read_attr(pd, attr, &all);

	if (err)
		return err;
	*srq = calloc(1, sizeof(**srq));
	if (!*srq)
		return xrdma_fail(ENOMEM, "no memory for a shared receive queue");
	(*srq)->pd = pd;
	(*srq)->async.object = *srq;
	err = enter(*srq, &all);
	if (err) {
		free(*srq);
		return err;
	}
	xrdma_mutex_init(&(*srq)->lock, XRDMA_RANK_SRQ);
	xrdma_count_in(&pd->users);
	return 0;
}

int xrdma_srq_destroy(struct xrdma_srq *srq)
{
	struct xrdma_bounces bounces = STAILQ_HEAD_INITIALIZER(bounces);
	struct xrdma_queues *queues = srq->pd->context->queues;
	__u32 users = xrdma_count(&srq->users);
	int err = xrdma_context_own(srq->pd->context);

	if (err)
		return err;
	if (users)
		return xrdma_fail(EBUSY, "%u queue pairs still use the shared receive queue",
				  users);
	xrdma_queues_set_source(queues, srq->rq.number, NULL);
	xrdma_channel_leave(&srq->pd->context->async, &srq->async);
	xrdma_rq_start(&srq->rq, &bounces);
	xrdma_bounces_release(&bounces);
	xrdma_rq_exit(&srq->rq, queues);
	xrdma_rows_give(&queues->free_srqs, srq->rq.number);
	xrdma_count_out(&srq->pd->users);
	xrdma_mutex_destroy(&srq->lock);
	free(srq);
	return 0;
}

int xrdma_srq_query(struct xrdma_srq *srq, struct xrdma_srq_attr *attr)
{
	const struct xrdma_srq_attr now = {
		.max_wr = srq->rq.ring.size,
		.max_sge = srq->rq.max_sge,
		.limit = XRDMA_READ(srq->rq.row->limit),
	};
	int err = xrdma_context_own(srq->pd->context) ?: xrdma_attr_check(attr, "xrdma_srq_attr");

	if (!err)
		xrdma_attr_write(attr, &now, sizeof(now));
	return err;
}

static void report_limit(struct xrdma_srq *srq)
{
	xrdma_channel_add(&srq->pd->context->async, &srq->async, XRDMA_ASYNC_SRQ_LIMIT_REACHED);
}

void xrdma_srq_limit_reached(void *of, const struct xrdma_notice *notice)
{
	struct xrdma_queues *queues = of;
	struct xrdma_srq *srq;

	xrdma_mutex_lock(&queues->source_lock);
	srq = xrdma_queues_source(queues, notice->data, XRDMA_QUEUE_RQ);
	if (srq)
		report_limit(srq);
	xrdma_mutex_unlock(&queues->source_lock);
}

/* Set the limit. If fewer receives are left already, the event comes at once, from here or XDP. */
static void set_limit(struct xrdma_srq *srq, __u32 limit)
{
	struct xrdma_queue_row *row = srq->rq.row;

	__atomic_store_n(&row->limit, limit, __ATOMIC_SEQ_CST);
	if (XRDMA_READ(row->user_index) - XRDMA_READ(row->xdp_index) < limit &&
	    __atomic_compare_exchange_n(&row->limit, &limit, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		report_limit(srq);
}

int xrdma_srq_modify(struct xrdma_srq *srq, const struct xrdma_srq_attr *from, unsigned int mask)
{
	struct xrdma_srq_attr attr;
	int err = xrdma_context_enter(srq->pd->context)
			  ?: xrdma_attr_read(from, &attr, sizeof(attr), "xrdma_srq_attr");

	if (err)
		return err;
	if (mask & ~XRDMA_SRQ_LIMIT)
		return xrdma_fail(EOPNOTSUPP, "mask 0x%x: only XRDMA_SRQ_LIMIT can be set", mask);
	if (!mask)
		return 0;
	if (attr.limit > srq->rq.ring.size)
		return xrdma_fail(EINVAL, "limit %u: at most %u", attr.limit, srq->rq.ring.size);
	xrdma_mutex_lock(&srq->lock);
	set_limit(srq, attr.limit);
	xrdma_mutex_unlock(&srq->lock);
	return 0;
}

void xrdma_srq_return(struct xrdma_srq *srq, __u32 claim)
{
	if (!claim)
		return;
	xrdma_mutex_lock(&srq->lock);
	xrdma_rq_repost(&srq->rq, claim - 1);
	xrdma_rq_publish(&srq->rq);
	xrdma_mutex_unlock(&srq->lock);
}

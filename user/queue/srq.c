// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/srq.h"

#include <errno.h>
#include <stdlib.h>
#include <xrdma/qp.h>

#include "key/pd.h"
#include "lib/attr.h"
#include "lib/error.h"

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
	else
		xrdma_rq_start(&srq->rq, &none);
	return err;
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
	};
	int err = xrdma_context_own(srq->pd->context) ?: xrdma_attr_check(attr, "xrdma_srq_attr");

	if (!err)
		xrdma_attr_write(attr, &now, sizeof(now));
	return err;
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

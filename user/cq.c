// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cq.h"

#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "error.h"
#include "qp.h"
#include "requester.h"

int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq)
{
	if (!entries || entries > XRDMA_CQ_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "a completion queue of %u entries: 1 to %d", entries,
				  XRDMA_CQ_ENTRIES_MAX);
	*cq = malloc(sizeof(**cq));
	if (!*cq)
		return xrdma_fail(ENOMEM, "no memory for a completion queue");
	**cq = (struct xrdma_cq){ .context = context, .entries = entries };
	TAILQ_INIT(&(*cq)->senders);
	pthread_mutex_lock(&context->lock);
	context->cqs++;
	pthread_mutex_unlock(&context->lock);
	return 0;
}

int xrdma_cq_destroy(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	__u32 users;

	pthread_mutex_lock(&context->lock);
	users = cq->users;
	if (!users)
		context->cqs--;
	pthread_mutex_unlock(&context->lock);
	if (users)
		return xrdma_fail(EBUSY, "%u queues still complete into it", users);
	free(cq);
	return 0;
}

/* Completions of the queue pair whose turn it is, which then waits for the others. */
static int poll_next(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *qp = TAILQ_FIRST(&cq->senders);
	int count;

	xrdma_requester_progress(qp);
	count = xrdma_sq_complete(&qp->sq, qp->qpn, qp->attr.state == XRDMA_QP_ERR, max, wc);
	TAILQ_REMOVE(&cq->senders, qp, sender);
	if (!xrdma_sq_is_empty(&qp->sq))
		TAILQ_INSERT_TAIL(&cq->senders, qp, sender);
	return count;
}

int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *last;
	int count = 0;
	bool more;

	if (max < 0)
		return xrdma_fail(EINVAL, "%d completions: at least 0", max);
	pthread_mutex_lock(&cq->context->lock);
	last = TAILQ_LAST(&cq->senders, xrdma_senders);
	for (more = last; more;) {
		more = TAILQ_FIRST(&cq->senders) != last;
		count += poll_next(cq, max - count, wc + count);
	}
	pthread_mutex_unlock(&cq->context->lock);
	return count;
}

const char *xrdma_wc_status_str(enum xrdma_wc_status status)
{
	switch (status) {
#define X(symbol, number, text) \
	case XRDMA_WC_##symbol: \
		return text;
		XRDMA_WC_STATUSES(X)
#undef X
	}
	return "unknown status";
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/alarms.h"

#include "queue/queues.h"
#include "run/notified.h"
#include "run/requester.h"

/* Wake the first COUNT queue pairs of ALARMS, a list of CQ. */
static void wake(struct xrdma_cq *cq, struct xrdma_qp_list *alarms, __u32 count)
{
	struct xrdma_qp *qp;

	while (count && (qp = xrdma_alarm_next(cq, alarms, &count))) {
		xrdma_requester_wake(qp);
		xrdma_mutex_unlock(&qp->lock);
	}
}

void xrdma_alarms_wake(struct xrdma_cq *cq, struct xrdma_alarms_due due)
{
	wake(cq, &cq->timed, due.timed);
	wake(cq, &cq->soon, due.soon);
}

/* Returns when the dispatcher has to look at CQ again. */
static __u64 look_at(struct xrdma_cq *cq)
{
	struct xrdma_alarms_due due = { 0 };
	bool unattended;
	__u64 next;

	xrdma_spin_lock(&cq->lock);
	if (!cq->polled)
		due = xrdma_alarms_take(cq);
	xrdma_spin_unlock(&cq->lock);
	xrdma_alarms_wake(cq, due);
	next = xrdma_alarm_next_look(cq, &unattended);
	if (unattended)
		xrdma_notified_look(cq);
	return next;
}

bool xrdma_alarms_look(void *of)
{
	struct xrdma_context *context = of;
	struct xrdma_queues *queues = context->queues;
	struct xrdma_cq *cq;
	bool all = true;

	if (xrdma_context_enter(context))
		return true;
	xrdma_mutex_lock(&queues->lock);
	for (cq = LIST_FIRST(&queues->cqs); cq; cq = LIST_NEXT(cq, next)) {
		xrdma_cq_find_lost(cq);
		all &= xrdma_notified_serve(cq);
	}
	xrdma_mutex_unlock(&queues->lock);
	xrdma_transmit_flush(&context->transmit);
	return all;
}

__u64 xrdma_alarms_run(void *of)
{
	struct xrdma_context *context = of;
	struct xrdma_queues *queues = context->queues;
	__u64 next = XRDMA_NEVER, at;
	struct xrdma_cq *cq;

	if (xrdma_context_enter(context))
		return XRDMA_NEVER;
	xrdma_mutex_lock(&queues->lock);
	for (cq = LIST_FIRST(&queues->cqs); cq; cq = LIST_NEXT(cq, next)) {
		at = look_at(cq);
		next = at < next ? at : next;
	}
	xrdma_mutex_unlock(&queues->lock);
	xrdma_transmit_flush(&context->transmit);
	return next;
}

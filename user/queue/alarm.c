// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/alarm.h"

#include "lib/order.h"

/*
 * Move QP to the end of ALARMS, or to no list if ALARMS is NULL. The caller holds the lock of the
 * completion queue.
 */
static void move(struct xrdma_qp *qp, struct xrdma_qp_list *alarms)
{
	if (qp->alarms) {
		TAILQ_REMOVE(&qp->alarms->qps, qp, next_alarm);
		qp->alarms->count--;
	}
	XRDMA_WRITE(qp->alarms, alarms);
	if (alarms) {
		TAILQ_INSERT_TAIL(&alarms->qps, qp, next_alarm);
		alarms->count++;
	}
}

/*
 * Returns when the dispatcher must look at an alarm of CQ for WHEN, if CQ is polled. With automatic
 * progress, the look also finds out whether it still is.
 */
static __u64 left_until(const struct xrdma_cq *cq, __u64 when)
{
	const int ms = cq->is_automatic ? XRDMA_ALARM_AUTOMATIC_MS : XRDMA_ALARM_POLLED_MS;
	const __u64 end = xrdma_now() + ms * XRDMA_NS_PER_MS;

	return when > end && !cq->is_automatic ? when : end;
}

/* Returns whether the dispatcher leaves CQ to a thread that polls. The caller holds the lock. */
static bool is_left(const struct xrdma_cq *cq)
{
	return cq->is_automatic ? !cq->unattended : cq->polled;
}

void xrdma_alarm_set(struct xrdma_qp *qp, __u64 when)
{
	struct xrdma_cq *cq = qp->init.send_cq;
	const struct xrdma_qp_list *alarms = XRDMA_READ(qp->alarms);
	bool left;

	if (alarms == &cq->soon)
		return;
	if (alarms && when != XRDMA_SOON && when >= XRDMA_READ(cq->alarm))
		return;
	xrdma_spin_lock(&cq->lock);
	move(qp, when == XRDMA_SOON ? &cq->soon : &cq->timed);
	if (when != XRDMA_SOON && when < cq->alarm)
		XRDMA_WRITE(cq->alarm, when);
	left = is_left(cq);
	xrdma_spin_unlock(&cq->lock);
	xrdma_dispatcher_wake_by(&cq->context->dispatcher, left ? left_until(cq, when) : when);
}

/* Take the alarms that are due. The clock is read only if there is a timed alarm. */
struct xrdma_alarms_due xrdma_alarms_take(struct xrdma_cq *cq)
{
	struct xrdma_alarms_due due = { .soon = cq->soon.count };

	if (cq->alarm != XRDMA_NEVER && xrdma_now() >= cq->alarm) {
		due.timed = cq->timed.count;
		XRDMA_WRITE(cq->alarm, XRDMA_NEVER);
	}
	return due;
}

__u64 xrdma_alarm_next_look(struct xrdma_cq *cq, bool *unattended)
{
	__u64 next;
	bool polled;

	xrdma_spin_lock(&cq->lock);
	next = cq->soon.count ? XRDMA_SOON : cq->alarm;
	polled = cq->polled;
	cq->polled = false;
	*unattended = !polled && cq->is_automatic && !cq->unattended;
	if (*unattended) {
		cq->unattended = true;
		__atomic_store_n(&cq->row->unattended, 1, __ATOMIC_SEQ_CST);
	}
	xrdma_spin_unlock(&cq->lock);
	return polled && next != XRDMA_NEVER ? left_until(cq, next) : next;
}

void xrdma_alarm_clear(struct xrdma_qp *qp)
{
	struct xrdma_cq *cq = qp->init.send_cq;

	if (!XRDMA_READ(qp->alarms))
		return;
	xrdma_spin_lock(&cq->lock);
	move(qp, NULL);
	xrdma_spin_unlock(&cq->lock);
}

struct xrdma_qp *xrdma_alarm_next(struct xrdma_cq *cq, struct xrdma_qp_list *alarms, __u32 *count)
{
	struct xrdma_qp *first, *next = NULL;

	xrdma_spin_lock(&cq->lock);
	while (!next && *count && (first = TAILQ_FIRST(&alarms->qps))) {
		next = xrdma_qp_try(first) ? first : NULL;
		move(first, next ? &cq->timed : &cq->soon);
		--*count;
	}
	xrdma_spin_unlock(&cq->lock);
	return next;
}

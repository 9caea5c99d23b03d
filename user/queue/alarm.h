/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Alarms of queue pairs that may have to go on without news of their peers: to send again what was
 * lost, or what there was no room for. Queue pairs with alarms are listed by their send completion
 * queue. Whoever polls it wakes them or, if nobody does, the context's dispatcher. Each function
 * takes the lock of the completion queue.
 */
#ifndef XRDMA_USER_QUEUE_ALARM_H
#define XRDMA_USER_QUEUE_ALARM_H

#include "lib/clock.h"
#include "queue/qp.h"

/* A completion queue that was polled is left to whoever polls for this time, in ms. */
enum { XRDMA_ALARM_POLLED_MS = 20 };

/*
 * QP may have to go on at time WHEN, in ns or SOON. It may be woken before. Its lock is held.
 */
void xrdma_alarm_set(struct xrdma_qp *qp, __u64 when);

/* Clear QP's alarm. The caller holds the lock of QP. */
void xrdma_alarm_clear(struct xrdma_qp *qp);

/* How many queue pairs of a completion queue are to be woken. */
struct xrdma_alarms_due {
	__u32 soon, timed;
};

/*
 * Take the alarms of CQ that are due: their queue pairs are to be woken, and may set alarms anew.
 * The caller holds the lock of CQ.
 */
struct xrdma_alarms_due xrdma_alarms_take(struct xrdma_cq *cq);

/*
 * Returns when the dispatcher has to look at CQ again, in ns, XRDMA_SOON or XRDMA_NEVER. From now
 * on CQ counts as not polled.
 */
__u64 xrdma_alarm_next_look(struct xrdma_cq *cq);

/*
 * The next of the first *COUNT queue pairs of ALARMS, a list of CQ's; as many are left then. It is
 * locked; those that other threads have come again soon. Or NULL.
 */
struct xrdma_qp *xrdma_alarm_next(struct xrdma_cq *cq, struct xrdma_qp_list *alarms, __u32 *count);

#endif

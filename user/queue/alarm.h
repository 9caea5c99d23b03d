/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Queue pairs that may have to go on without news of their peers: to send again what was lost, or
 * what there was no room for. They are listed by their send completion queue, whose polling wakes
 * them. All here takes that one's lock.
 */
#ifndef XRDMA_USER_QUEUE_ALARM_H
#define XRDMA_USER_QUEUE_ALARM_H

#include "lib/clock.h"
#include "queue/qp.h"

/*
 * QP may have to go on at time WHEN, in ns or SOON. It may be woken before. Its lock is held.
 */
void xrdma_alarm_set(struct xrdma_qp *qp, __u64 when);

/* It has not to. The same. */
void xrdma_alarm_clear(struct xrdma_qp *qp);

/*
 * The next of the first *COUNT queue pairs of ALARMS, a list of CQ's; as many are left then. It is
 * locked; those that other threads have come again soon. Or NULL.
 */
struct xrdma_qp *xrdma_alarm_next(struct xrdma_cq *cq, struct xrdma_qp_list *alarms, __u32 *count);

#endif

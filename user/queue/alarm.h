/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Alarms make queue pairs continue without a packet from the peer: to retransmit, or to send
 * packets for which there was no room. Each completion queue lists the alarms of the queue pairs
 * that use it for sending. A thread that polls the completion queue wakes them. If no thread polls,
 * the context's dispatcher wakes them. Each function takes the lock of the completion queue.
 */
#ifndef XRDMA_USER_QUEUE_ALARM_H
#define XRDMA_USER_QUEUE_ALARM_H

#include "lib/clock.h"
#include "queue/qp.h"

/*
 * If a completion queue was polled within this time, in ms, the dispatcher leaves its alarms to the
 * polling thread; the second time is that of a completion queue with automatic progress.
 */
enum { XRDMA_ALARM_POLLED_MS = 20, XRDMA_ALARM_AUTOMATIC_MS = 1 };

/*
 * Set QP's alarm for the time WHEN, in ns, or XRDMA_SOON. QP may be woken earlier. The caller holds
 * the lock of QP.
 */
void xrdma_alarm_set(struct xrdma_qp *qp, __u64 when);

/* Clear QP's alarm. The caller holds the lock of QP. */
void xrdma_alarm_clear(struct xrdma_qp *qp);

/* Numbers of queue pairs of a completion queue whose alarms are due. */
struct xrdma_alarms_due {
	__u32 soon, timed;
};

/*
 * Take the alarms of CQ that are due. Wake their queue pairs afterwards; they may set new alarms.
 * The caller holds the lock of CQ.
 */
struct xrdma_alarms_due xrdma_alarms_take(struct xrdma_cq *cq);

/*
 * Returns when the dispatcher must look at CQ again, in ns, XRDMA_SOON or XRDMA_NEVER. CQ counts as
 * not polled until the next poll. *UNATTENDED: it has automatic progress, and counts as unattended
 * from now on. Serve its notify bits, because some came without a notice.
 */
__u64 xrdma_alarm_next_look(struct xrdma_cq *cq, bool *unattended);

/*
 * Returns the next of the first *COUNT queue pairs in ALARMS, a list of CQ, and decrements *COUNT.
 * The queue pair is locked. If another thread has locked one, its alarm is set to XRDMA_SOON.
 * Returns NULL at the end.
 */
struct xrdma_qp *xrdma_alarm_next(struct xrdma_cq *cq, struct xrdma_qp_list *alarms, __u32 *count);

#endif

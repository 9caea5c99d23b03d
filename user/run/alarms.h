/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Wake queue pairs whose alarms are due (queue/alarm.h). Thread safe. */
#ifndef XRDMA_USER_RUN_ALARMS_H
#define XRDMA_USER_RUN_ALARMS_H

#include "queue/alarm.h"

/* Wake the queue pairs of CQ that are counted in DUE, which xrdma_alarms_take() returned. */
void xrdma_alarms_wake(struct xrdma_cq *cq, struct xrdma_alarms_due due);

/*
 * Wake the queue pairs of CONTEXT, a struct xrdma_context, whose completion queues are not polled.
 * The dispatcher calls this function. Returns when to call it again, in ns, or XRDMA_NEVER.
 */
__u64 xrdma_alarms_run(void *context);

/*
 * Serve the notify bits of all completion queues of CONTEXT, a struct xrdma_context. The dispatcher
 * calls this function after a notice of XDP. Returns false if another thread has locked a queue
 * pair that has to be served.
 */
bool xrdma_alarms_look(void *context);

#endif

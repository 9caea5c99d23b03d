/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs whose alarms are due go on (queue/alarm.h). Thread safe. */
#ifndef XRDMA_USER_RUN_ALARMS_H
#define XRDMA_USER_RUN_ALARMS_H

#include "queue/alarm.h"

/* Wake the queue pairs of CQ that DUE says, which was taken from CQ. */
void xrdma_alarms_wake(struct xrdma_cq *cq, struct xrdma_alarms_due due);

/*
 * Wake the queue pairs of CONTEXT, a struct xrdma_context, whose completion queues nobody polls.
 * The dispatcher calls this function. Returns when to call it again, in ns, or XRDMA_NEVER.
 */
__u64 xrdma_alarms_run(void *context);

#endif

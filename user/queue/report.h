/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Asynchronous events of queue pairs (IBA 11.6.3; ibv_get_async_event(3)). The caller of each
 * function holds the lock of the queue pair.
 */
#ifndef XRDMA_USER_QUEUE_REPORT_H
#define XRDMA_USER_QUEUE_REPORT_H

#include "queue/qp.h"

/*
 * Report that QP is in ERR: why, if XDP has stopped it and no completion tells it; and, if it has a
 * shared receive queue, that it takes no more receives.
 */
void xrdma_report_stopped(struct xrdma_qp *qp);

/* Report once that QP has received its first packet in RTR, if it has. */
void xrdma_report_established(struct xrdma_qp *qp);

/* Report that the send queue of QP is drained, if it is, and if the program asked for it. */
void xrdma_report_drained(struct xrdma_qp *qp);

#endif

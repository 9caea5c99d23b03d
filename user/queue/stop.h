/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Put a queue pair into RESET or ERR. The caller of each function holds the queue pair's lock. */
#ifndef XRDMA_USER_QUEUE_STOP_H
#define XRDMA_USER_QUEUE_STOP_H

#include "queue/qp.h"

/* Initialize QP and its rows as RESET, without receives and requests. XDP must not use the rows. */
void xrdma_qp_start(struct xrdma_qp *qp);

/* Move QP to RESET, and wait until XDP does not use its row. */
void xrdma_qp_reset(struct xrdma_qp *qp);

/*
 * Move QP to ERR, and wait until XDP handles no packet for it. Flush all requests and receives that
 * are not complete.
 */
void xrdma_qp_stop(struct xrdma_qp *qp);

/*
 * Move QP, whose service is not reliable, to SQE, and flush all requests that are not complete. QP
 * still receives (IBA 10.3.1).
 */
void xrdma_qp_stop_sends(struct xrdma_qp *qp);

/*
 * Queue completions that need no XDP program, after those that are queued. These are acknowledged
 * requests and, in ERR, all other requests and all receives.
 */
void xrdma_qp_finish(struct xrdma_qp *qp);

#endif

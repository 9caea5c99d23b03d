/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How a queue pair leaves its work: RESET, ERR. The caller holds the queue pair's lock. */
#ifndef XRDMA_USER_QUEUE_STOP_H
#define XRDMA_USER_QUEUE_STOP_H

#include "queue/qp.h"

/*
 * Put QP into RESET, without receives and requests, when it is created and later. XDP does not use
 * its rows.
 */
void xrdma_qp_start(struct xrdma_qp *qp);

/* Back to RESET: when it returns, XDP uses the row no more. */
void xrdma_qp_reset(struct xrdma_qp *qp);

/*
 * Into ERR: when it returns, no packet to it is handled and none is sent. What is not done is
 * flushed.
 */
void xrdma_qp_stop(struct xrdma_qp *qp);

/*
 * What has become complete without XDP, if anything has, is polled after all that was before:
 * requests that are acknowledged, and in ERR all that are left, and all receives.
 */
void xrdma_qp_finish(struct xrdma_qp *qp);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Requester of a queue pair (IBA 9.7.2 to 9.7.6). It sends requests, handles acknowledgements and
 * responses, and retransmits.
 */
#ifndef XRDMA_USER_RUN_REQUESTER_H
#define XRDMA_USER_RUN_REQUESTER_H

#include "queue/qp.h"

/* All functions below need the lock of the queue pair. */

/* Move QP to ERR. Requests that the peer has acknowledged are not flushed. */
void xrdma_requester_stop(struct xrdma_qp *qp);

/*
 * Stop QP because its responder has refused a request (9.9.3). Requests that the peer has
 * acknowledged are not flushed.
 */
void xrdma_requester_notice(struct xrdma_qp *qp);

/* Make all progress that is possible now. */
void xrdma_requester_progress(struct xrdma_qp *qp);

/* Make progress after an alarm, and set the alarm again if necessary. */
void xrdma_requester_wake(struct xrdma_qp *qp);

#endif

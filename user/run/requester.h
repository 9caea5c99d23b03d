/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The requester of a queue pair (IBA 9.7.2 to 9.7.6): sends what is posted, takes in
 * acknowledgements and responses, retransmits.
 */
#ifndef XRDMA_USER_RUN_REQUESTER_H
#define XRDMA_USER_RUN_REQUESTER_H

#include "queue/qp.h"

/* For what follows the queue pair's lock is held. */

/* Into ERR. What the peer has acknowledged by now is not flushed. */
void xrdma_requester_stop(struct xrdma_qp *qp);

/*
 * Stop QP because its responder has refused a request (9.9.3). Requests that the peer has
 * acknowledged are not flushed.
 */
void xrdma_requester_notice(struct xrdma_qp *qp);

/* Do what can be done now. */
void xrdma_requester_progress(struct xrdma_qp *qp);

/* Make progress after an alarm, and set the alarm again if necessary. */
void xrdma_requester_wake(struct xrdma_qp *qp);

#endif

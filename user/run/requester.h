/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The requester of a queue pair (IBA 9.7.2 to 9.7.6): sends what is posted, takes in
 * acknowledgements and responses, retransmits.
 */
#ifndef XRDMA_USER_RUN_REQUESTER_H
#define XRDMA_USER_RUN_REQUESTER_H

#include "obj/qp.h"

/* Do what can be done now. The queue pair's lock is held. */
void xrdma_requester_progress(struct xrdma_qp *qp);

/* The same when the alarm came: it is set again if there is need. */
void xrdma_requester_wake(struct xrdma_qp *qp);

#endif

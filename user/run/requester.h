/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The requester of a queue pair (IBA 9.7.2 to 9.7.6): sends what is posted, takes in
 * acknowledgements and responses, retransmits.
 */
#ifndef XRDMA_USER_RUN_REQUESTER_H
#define XRDMA_USER_RUN_REQUESTER_H

#include "obj/qp.h"

/* Do what can be done now. The context's lock is held. */
void xrdma_requester_progress(struct xrdma_qp *qp);

#endif

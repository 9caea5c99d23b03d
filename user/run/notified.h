/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs that have moved on or stopped, as the notify bits of a completion queue say. */
#ifndef XRDMA_USER_RUN_NOTIFIED_H
#define XRDMA_USER_RUN_NOTIFIED_H

#include "queue/cq.h"

/*
 * Serve the queue pairs with notify bits, and no others. Returns false if another thread has locked
 * one of them; its bit is set again.
 */
bool xrdma_notified_serve(struct xrdma_cq *cq);

/*
 * Do the same. The dispatcher serves what is left over, if CQ has automatic progress: the program
 * may not poll it again for a long time.
 */
void xrdma_notified_look(struct xrdma_cq *cq);

#endif

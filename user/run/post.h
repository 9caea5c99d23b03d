/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Requests go into a send queue. The queue pair's lock is held. */
#ifndef XRDMA_USER_RUN_POST_H
#define XRDMA_USER_RUN_POST_H

#include "queue/qp.h"

/*
 * Check WR, and add it to the send queue, BY_CALL of its own (xrdma_mw_bind(),
 * xrdma_wr_mkey_configure()) or as it is. Returns 0 or what xrdma_qp_post_send() does.
 */
int xrdma_post_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Add requests to a send queue. The caller holds the lock of the queue pair. */
#ifndef XRDMA_USER_RUN_POST_H
#define XRDMA_USER_RUN_POST_H

#include "queue/qp.h"

/*
 * Check WR, and add it to the send queue. BY_CALL says that WR comes from a call of its own
 * (xrdma_mw_bind(), xrdma_wr_mkey_configure()). Returns 0 or an error of xrdma_qp_post_send().
 */
int xrdma_post_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call);

#endif

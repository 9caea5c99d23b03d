/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Add requests to a send queue, and prepare the memory of requests and receives. */
#ifndef XRDMA_USER_RUN_POST_H
#define XRDMA_USER_RUN_POST_H

#include "queue/qp.h"

/*
 * Prepare the bounce that replaces SGES, if a request or a receive of queue pair QPN of PD needs
 * one. Their keys must allow RIGHT (XRDMA_ACCESS_*). If none is needed, *BOUNCE becomes NULL. QPN
 * is 0 if queue pairs share the receive. Returns 0 or -ENOMEM.
 */
int xrdma_post_prepare(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
		       __u32 num_sge, struct xrdma_bounce **bounce);

/*
 * Check WR, and add it to the send queue. The caller holds the lock of QP. BY_CALL says that WR
 * comes from a call of its own (xrdma_mw_bind(), xrdma_wr_mkey_configure()). Returns 0 or an error
 * of xrdma_qp_post_send().
 */
int xrdma_post_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call);

#endif

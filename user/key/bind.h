/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Bind regions to a queue pair, the only one that may use them then, and to a counter. Each of
 * these has a list of its regions, and removes itself from them when it is destroyed. Thread safe.
 * Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_BIND_H
#define XRDMA_USER_KEY_BIND_H

#include "key/mr.h"

/*
 * Bind MR to queue pair QPN of PD, which has the list REGIONS. Returns 0 or an error of
 * xrdma_mr_bind_qp().
 */
int xrdma_mr_join_qp(struct xrdma_mr *mr, const struct xrdma_pd *pd, __u32 qpn,
		     struct xrdma_mr_list *regions);

/*
 * Unbind all regions in REGIONS, the list of a queue pair that is being destroyed. Nothing uses the
 * queue pair any more, so the regions become unusable.
 */
void xrdma_mrs_leave_qp(struct xrdma_keys *keys, struct xrdma_mr_list *regions);

/* Bind MR to CNTR of PD, which has row NUMBER. Returns 0 or an error of xrdma_mr_bind_cntr(). */
int xrdma_mr_join_cntr(struct xrdma_mr *mr, const struct xrdma_pd *pd,
		       const struct xrdma_cntr *cntr, __u32 number, struct xrdma_mr_list *regions);

/*
 * Unbind all regions in REGIONS, the list of a counter. When this function returns, their events
 * are not counted any more.
 */
void xrdma_mrs_leave_cntr(struct xrdma_keys *keys, struct xrdma_mr_list *regions);

#endif

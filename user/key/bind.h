/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Regions and what they are bound to: a queue pair, which alone may use them then, and a counter.
 * These know their regions, so that they can leave them. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_BIND_H
#define XRDMA_USER_KEY_BIND_H

#include "key/mr.h"

/*
 * Bind MR to queue pair QPN of PD, whose regions are REGIONS. Returns what xrdma_mr_bind_qp() does.
 */
int xrdma_mr_join_qp(struct xrdma_mr *mr, const struct xrdma_pd *pd, __u32 qpn,
		     struct xrdma_mr_list *regions);

/* The queue pair, which nothing uses any more, is destroyed. Nothing uses its regions either. */
void xrdma_mrs_leave_qp(struct xrdma_keys *keys, struct xrdma_mr_list *regions);

/* Bind MR to CNTR of PD, whose row is NUMBER. Returns like xrdma_mr_bind_cntr(). */
int xrdma_mr_join_cntr(struct xrdma_mr *mr, const struct xrdma_pd *pd,
		       const struct xrdma_cntr *cntr, __u32 number, struct xrdma_mr_list *regions);

/* When it returns, nothing of the regions is counted any more. */
void xrdma_mrs_leave_cntr(struct xrdma_keys *keys, struct xrdma_mr_list *regions);

#endif

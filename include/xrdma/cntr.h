/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Completion counters (fi_cntr(3), fi_mr_bind(3)). All calls are thread safe. */
#ifndef XRDMA_CNTR_H
#define XRDMA_CNTR_H

#include "mr.h"
#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_cntr;

/*
 * Open a counter of PD, with value 0, for requests of peers (xrdma_mr_bind_cntr()). The XDP
 * programs count, so the counter works while the process is stopped. Close *CNTR with
 * xrdma_cntr_close(). Returns 0 or -ENOMEM (the context has no more cntrs, or no memory).
 */
XRDMA_API int xrdma_cntr_open(struct xrdma_pd *pd, struct xrdma_cntr **cntr);

/*
 * Return the value of CNTR. If it includes a request, the bytes of that request are in memory. To
 * wait for a value, call this in a loop.
 */
XRDMA_API __u64 xrdma_cntr_read(const struct xrdma_cntr *cntr);

/*
 * Add VALUE to CNTR, or set CNTR to VALUE. If the XDP programs count at the same time,
 * xrdma_cntr_add() keeps their counts, and xrdma_cntr_set() may lose them.
 */
XRDMA_API void xrdma_cntr_add(struct xrdma_cntr *cntr, __u64 value);
XRDMA_API void xrdma_cntr_set(struct xrdma_cntr *cntr, __u64 value);

/*
 * Close CNTR. The regions that are bound to it are no longer counted, and can be closed. Returns 0
 * or -EPERM (the caller is a forked child).
 */
XRDMA_API int xrdma_cntr_close(struct xrdma_cntr *cntr);

/* A flag of xrdma_mr_bind_cntr(), with the bit of FI_*: count each WRITE and atomic of peers. */
#define XRDMA_REMOTE_WRITE (1ULL << 13)

/*
 * Count in CNTR the requests of peers to MR, as fi_mr_bind(): each WRITE and each atomic that is
 * complete and had at least one byte. FLAGS is XRDMA_REMOTE_WRITE. A region has at most one
 * counter. In a domain of XRDMA_MR_MODE_RMA_EVENT, register the region with XRDMA_RMA_EVENT. Bind a
 * region with XRDMA_RMA_EVENT before it is enabled.
 *
 * Returns 0 or -EINVAL (the region was registered without XRDMA_RMA_EVENT, or is enabled, or CNTR
 * is of another domain), -EBUSY (it has a counter), -XRDMA_EBADFLAGS (FLAGS is not
 * XRDMA_REMOTE_WRITE).
 */
XRDMA_API int xrdma_mr_bind_cntr(struct xrdma_mr *mr, struct xrdma_cntr *cntr, __u64 flags);

/*
 * Bind MR to QP, as fi_mr_bind() binds a region to an endpoint: from now on only QP uses the
 * region, for its peer and for its own requests and receives. MR is disabled: it was registered in
 * a domain of XRDMA_MR_MODE_ENDPOINT, or with XRDMA_RMA_EVENT. Destroy QP before MR is closed; then
 * MR cannot be used any more.
 *
 * Returns 0 or -EINVAL (the region is not disabled, or QP is of another domain), -EBUSY (it is
 * bound to a queue pair), -XRDMA_EBADFLAGS (FLAGS is not 0).
 */
XRDMA_API int xrdma_mr_bind_qp(struct xrdma_mr *mr, struct xrdma_qp *qp, __u64 flags);

/*
 * Enable a region that was registered disabled: in a domain of XRDMA_MR_MODE_ENDPOINT, or with
 * XRDMA_RMA_EVENT. Until then its keys are refused, and afterwards it cannot be bound. For another
 * region the call does nothing. Returns 0 or -EINVAL (in a domain of XRDMA_MR_MODE_ENDPOINT, the
 * region is not bound to a queue pair, or its queue pair was destroyed).
 */
XRDMA_API int xrdma_mr_enable(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif

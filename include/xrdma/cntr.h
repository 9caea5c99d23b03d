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
 * Open a counter of PD, which is 0. What it counts are requests of peers (xrdma_mr_bind_cntr()),
 * and XDP does it, whatever the process does meanwhile. *CNTR is to be closed by
 * xrdma_cntr_close(). Returns 0 or -ENOMEM (the context has no more cntrs, or no memory).
 */
XRDMA_API int xrdma_cntr_open(struct xrdma_pd *pd, struct xrdma_cntr **cntr);

/*
 * What it has counted. Who sees a request counted sees all that it has written. To wait for a
 * value, read it again and again.
 */
XRDMA_API __u64 xrdma_cntr_read(const struct xrdma_cntr *cntr);

/* Add VALUE to it, or set it to VALUE. What XDP counts meanwhile is added too, or may be lost. */
XRDMA_API void xrdma_cntr_add(struct xrdma_cntr *cntr, __u64 value);
XRDMA_API void xrdma_cntr_set(struct xrdma_cntr *cntr, __u64 value);

/*
 * Close it. Regions that it was bound to are no longer counted, and may be closed. Returns 0 or
 * -EPERM (a child that was forked).
 */
XRDMA_API int xrdma_cntr_close(struct xrdma_cntr *cntr);

/* Of xrdma_mr_bind_cntr(), by the bit of FI_*: each WRITE and each atomic of peers counts. */
#define XRDMA_REMOTE_WRITE XRDMA_MR_ACCESS_REMOTE_WRITE

/*
 * Count in CNTR what peers do to the memory of MR under its key, by FLAGS, as fi_mr_bind():
 * requests that are complete and had at least one byte. A region has one counter at most. Where its
 * domain is XRDMA_MR_RMA_EVENT it was registered with XRDMA_RMA_EVENT; so registered, it is bound
 * before it is enabled.
 *
 * Returns 0 or -EINVAL (the region was not registered for that, is enabled, or CNTR is of another
 * domain), -EBUSY (it has a counter), -XRDMA_EBADFLAGS (FLAGS is not XRDMA_REMOTE_WRITE).
 */
XRDMA_API int xrdma_mr_bind_cntr(struct xrdma_mr *mr, struct xrdma_cntr *cntr, __u64 flags);

/*
 * Only QP uses the region from now on, be it for its peer or for requests and receives of its own,
 * as fi_mr_bind() with an endpoint. Only of a region that is disabled: registered in a domain of
 * XRDMA_MR_ENDPOINT, or with XRDMA_RMA_EVENT. Before the region is closed, QP is to be destroyed;
 * then nothing uses it any more.
 *
 * Returns 0 or -EINVAL (the region is not disabled, or QP is of another domain), -EBUSY (it is
 * bound to a queue pair), -XRDMA_EBADFLAGS (FLAGS is not 0).
 */
XRDMA_API int xrdma_mr_bind_qp(struct xrdma_mr *mr, struct xrdma_qp *qp, __u64 flags);

/*
 * Enable a region that was registered disabled: in a domain of XRDMA_MR_ENDPOINT, or with
 * XRDMA_RMA_EVENT. Until then its keys are refused; from then on it is bound to nothing more. Of
 * others nothing is to be done. Returns 0 or -EINVAL (its domain is XRDMA_MR_ENDPOINT and it is
 * bound to no queue pair, or its queue pair was destroyed).
 */
XRDMA_API int xrdma_mr_enable(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif

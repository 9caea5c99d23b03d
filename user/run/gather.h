/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Walk through the memory of a request, as XDP does for a receive. The caller holds the lock of the
 * queue pair.
 */
#ifndef XRDMA_USER_RUN_GATHER_H
#define XRDMA_USER_RUN_GATHER_H

#include "memory/walk.h"
#include "queue/qp.h"

/* Begin a walk through PART of WQE's message. Its keys must allow what the request does. */
void xrdma_gather(struct xrdma_walk *walk, const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
		  const struct xrdma_wqe_packet *part);

/*
 * Take a step. CHUNK becomes the next part of this process's memory. Returns XRDMA_V_OK or the
 * verdict on the key.
 */
enum xrdma_verdict xrdma_gather_next(const struct xrdma_qp *qp, struct xrdma_walk *walk,
				     struct xrdma_chunk *chunk);

/*
 * Enter a segment like xrdma_walk_enter(), but map missing pages first, if there is memory for
 * them.
 */
enum xrdma_verdict xrdma_gather_enter(const struct xrdma_qp *qp, struct xrdma_walk *walk);

/* Walk through PART of WQE's message to its end. Returns XRDMA_V_OK or the verdict on a key. */
enum xrdma_verdict xrdma_gather_check(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				      const struct xrdma_wqe_packet *part);

#endif

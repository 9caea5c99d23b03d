/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory that a request names, walked as XDP walks that of a receive. The queue pair's lock is
 * held.
 */
#ifndef XRDMA_USER_RUN_GATHER_H
#define XRDMA_USER_RUN_GATHER_H

#include "memory/walk.h"
#include "queue/qp.h"

/* Begin a walk over PART of WQE's message, whose keys must allow what it does. */
void xrdma_gather(struct xrdma_walk *walk, const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
		  const struct xrdma_wqe_packet *part);

/*
 * Take a step: CHUNK is its part of this process's memory. Returns XRDMA_V_OK, or what is wrong
 * with the key.
 */
enum xrdma_verdict xrdma_gather_next(const struct xrdma_qp *qp, struct xrdma_walk *walk,
				     struct xrdma_chunk *chunk);

/* Enter like xrdma_walk_enter(), but bring missing pages first, if there is memory for them. */
enum xrdma_verdict xrdma_gather_enter(const struct xrdma_qp *qp, struct xrdma_walk *walk);

/* Such a walk, to the end. Returns XRDMA_V_OK, or what is wrong with a key. */
enum xrdma_verdict xrdma_gather_check(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				      const struct xrdma_wqe_packet *part);

#endif

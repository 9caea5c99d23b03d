/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory that a request names, walked as XDP walks that of a receive. The queue pair's lock is
 * held.
 */
#ifndef XRDMA_USER_RUN_GATHER_H
#define XRDMA_USER_RUN_GATHER_H

#include "memory/walk.h"
#include "obj/qp.h"

/* A walk over the LENGTH bytes of WQE's message from OFFSET on, whose keys must allow RIGHTS. */
struct xrdma_walk xrdma_gather(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe, __u32 offset,
			       __u32 length, __u32 rights);

/*
 * Take a step: CHUNK is its part of this process's memory. Returns XRDMA_V_OK, or what is wrong
 * with the key.
 */
enum xrdma_verdict xrdma_gather_next(struct xrdma_walk *walk, struct xrdma_chunk *chunk);

/* Walk to the end. Returns XRDMA_V_OK, or what is wrong with a key. */
enum xrdma_verdict xrdma_gather_check(struct xrdma_walk walk);

#endif

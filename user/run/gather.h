/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory that a request names: its segments, and where they are in the heap. The context's lock
 * is held.
 */
#ifndef XRDMA_USER_RUN_GATHER_H
#define XRDMA_USER_RUN_GATHER_H

#include "obj/qp.h"

/* LEFT bytes from OFFSET on of what SGE and those behind it name. */
struct xrdma_gather {
	const struct xrdma_sge *sge;
	__u32 offset;
	__u32 left;
};

/*
 * Take the first segment away, of which *SEGMENT is the address, length and key; it lies in one
 * SGE, which must allow RIGHTS as a whole. *AT is where it is in this process. Returns XRDMA_V_OK,
 * or what is wrong with the key.
 */
enum xrdma_verdict xrdma_gather_next(const struct xrdma_qp *qp, struct xrdma_gather *gather,
				     __u32 rights, struct xrdma_sge *segment, __u8 **at);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory for the responses of a queue pair's READs and atomics. The caller holds the lock of the
 * queue pair.
 */
#ifndef XRDMA_USER_QUEUE_RD_ATOMIC_H
#define XRDMA_USER_QUEUE_RD_ATOMIC_H

#include <xrdma/qp.h>

#include "queue/queues.h"

struct xrdma_rd_atomics {
	struct xrdma_sge *sges; /* MAX_SGE segments for each READ or atomic; NULL: none */
	__u32 first;		/* first row in the table of segments */
	__u32 max_sge;
};

/* Allocate the segments. Returns 0 or -ENOMEM. */
int xrdma_rd_atomics_init(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues,
			  const struct xrdma_qp_init_attr *init);
void xrdma_rd_atomics_exit(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where the data of a queue pair's READs and atomics go. The queue pair's lock is held. */
#ifndef XRDMA_USER_QUEUE_RD_ATOMIC_H
#define XRDMA_USER_QUEUE_RD_ATOMIC_H

#include <xrdma/qp.h>

#include "queue/queues.h"

struct xrdma_rd_atomics {
	struct xrdma_sge *sges; /* MAX_SGE for each; NULL: none */
	__u32 first;		/* row of sges */
	__u32 max_sge;
};

/* Returns 0 or -ENOMEM. */
int xrdma_rd_atomics_init(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues,
			  const struct xrdma_qp_init_attr *init);
void xrdma_rd_atomics_exit(struct xrdma_rd_atomics *rd_atomics, struct xrdma_queues *queues);

#endif

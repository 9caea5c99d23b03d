/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Shared receive queues. <xrdma/srq.h> declares their handle. */
#ifndef XRDMA_USER_QUEUE_SRQ_H
#define XRDMA_USER_QUEUE_SRQ_H

#include <xrdma/srq.h>

#include "queue/rq.h"

struct xrdma_srq {
	struct xrdma_pd *pd;
	struct xrdma_rq rq;
	struct xrdma_mutex lock; /* held by threads that add receives */
	__u32 users;		 /* number of queue pairs */
	struct xrdma_channel_source async;
};

/*
 * Handle a notice of XDP: the shared receive queue in row DATA has fewer receives than its limit.
 */
void xrdma_srq_limit_reached(void *queues, const struct xrdma_notice *notice);

/* Post the receive of CLAIM again, the claim of a queue pair that will not use it; 0: none. */
void xrdma_srq_return(struct xrdma_srq *srq, __u32 claim);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of cq.h. */
#ifndef XRDMA_USER_CQ_H
#define XRDMA_USER_CQ_H

#include <sys/queue.h>
#include <xrdma/cq.h>

struct xrdma_cq {
	struct xrdma_context *context; /* whose lock is over all that follows */
	__u32 entries;
	__u32 users; /* send and receive queues */
	TAILQ_HEAD(xrdma_senders, xrdma_qp)
	senders; /* queue pairs with requests in their send queues */
};

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of cq.h. */
#ifndef XRDMA_USER_CQ_H
#define XRDMA_USER_CQ_H

#include <sys/queue.h>
#include <xrdma/cq.h>

struct xrdma_cq {
	struct xrdma_context *context; /* whose lock is over all that follows */
	__u32 number;		       /* of its row */
	struct xrdma_cq_row *row;
	struct xrdma_cqe_row *cqes; /* of the ring's first entry */
	__u32 mask;
	__u32 head;  /* the next entry to be taken */
	__u32 stops; /* of the row that were looked at */
	__u32 users; /* send and receive queues */
	TAILQ_HEAD(xrdma_senders, xrdma_qp)
	senders; /* queue pairs with requests in their send queues */
	TAILQ_HEAD(xrdma_flushing, xrdma_qp)
	flushing; /* queue pairs in ERR with receives in their receive queues */
};

/* Nothing of queue pair QPN, which XDP serves no more, completes any more. The context's lock is held. */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of cq.h. */
#ifndef XRDMA_USER_OBJ_CQ_H
#define XRDMA_USER_OBJ_CQ_H

#include <sys/queue.h>
#include <xrdma/cq.h>

#include "lib/ring.h"

/* The oldest requests or receives of a queue pair, which are complete: those before number END. */
struct xrdma_finished {
	struct xrdma_qp *qp;
	bool are_sends;
	TAILQ_ENTRY(xrdma_finished) next;
	bool listed;
	__u64 end;
	__u32 after; /* entries of the completion queue that were given out before */
};

#define XRDMA_NEVER (~0ULL)

struct xrdma_cq {
	struct xrdma_context *context; /* whose lock is over all that follows */
	__u32 number;		       /* row of the context's queues */
	struct xrdma_queue_row *row;
	struct xrdma_cqe_row *cqes; /* of the ring's first entry */
	struct xrdma_ring
		ring; /* whose tail is XDP's: an entry says by its turn that it is there */
	__u32 users;  /* send and receive queues */
	TAILQ_HEAD(xrdma_senders, xrdma_qp)
	senders;     /* queue pairs with requests in their send queues */
	__u64 alarm; /* ns: when one of them may have to go on without news; XRDMA_NEVER */
	__u32 polls; /* that found something */
	TAILQ_HEAD(xrdma_finisheds, xrdma_finished)
	finished; /* what XDP makes no entries for, oldest first */
};

/*
 * FINISHED is polled once all is that was complete before. It goes up to END from now on, unless it
 * was listed. The context's lock is held.
 */
void xrdma_cq_add(struct xrdma_cq *cq, struct xrdma_finished *finished, __u64 end);
void xrdma_cq_remove(struct xrdma_cq *cq, struct xrdma_finished *finished);

/* Entry NUMBER, or NULL: it is not there yet. */
struct xrdma_cqe_row *xrdma_cq_entry(const struct xrdma_cq *cq, __u32 number);

/*
 * Nothing of queue pair QPN, whose packets XDP no longer handles, completes any more. The context's
 * lock is held.
 */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn);

#endif

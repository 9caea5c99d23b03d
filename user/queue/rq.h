/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A receive queue: the rows that XDP claims receives from, and what only this process knows of the
 * receives. A receive has a number, by which XDP names it when it is complete. The number is free
 * after that.
 *
 * The receives of a queue that belongs to one queue pair are complete in the order in which they
 * were posted. If several queue pairs share the queue, they are complete in any order.
 *
 * The thread that adds has the lock of the queue pair. Each thread that completes receives has the
 * lock of a completion queue. The queue's own lock is for what both change.
 */
#ifndef XRDMA_USER_QUEUE_RQ_H
#define XRDMA_USER_QUEUE_RQ_H

#include <sys/queue.h>
#include <xrdma/qp.h>

#include "lib/mutex.h"
#include "lib/ring.h"
#include "queue/queues.h"
#include "queue/bounce.h"

struct xrdma_receive {
	TAILQ_ENTRY(xrdma_receive) next;
	__u64 wr_id;
	struct xrdma_bounce *bounce; /* used instead of its segments, or NULL */
	bool is_posted;
};

TAILQ_HEAD(xrdma_receives, xrdma_receive);

/* XDP counts receives modulo 2^32. */
struct xrdma_rq {
	struct xrdma_spin lock;
	struct xrdma_ring ring; /* counts the receives that were posted, and those complete */
	struct xrdma_receive *receives; /* by number */
	struct xrdma_receives free;
	struct xrdma_receives posted; /* in this order */
	__u32 number;		      /* row of the context's queues */
	__u32 max_sge;
	struct xrdma_queue_row *row;
	__u32 first;		/* row of segments */
	__u32 *numbers;		/* the ring that XDP reads; NULL: the queue is not shared */
	struct xrdma_sge *sges; /* of receive 0 */
};

/* RQ becomes queue NUMBER of the context. Returns 0 or -ENOMEM. */
int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number,
		  const struct xrdma_qp_init_attr *init, bool is_shared);
void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_queues *queues);

/* Forget all receives, and add their bounces to BOUNCES. XDP does not use the row. */
void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_bounces *bounces);

/* Add a checked WR, which uses BOUNCE, or NULL, to a queue that is not full. */
void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_bounce *bounce);

/* XDP may claim what was added. */
void xrdma_rq_publish(struct xrdma_rq *rq);

/*
 * Remove receive NUMBER, which is complete, and copy it to *RECEIVE. The caller has
 * to release its bounce.
 * Returns false if no such receive is posted, or if it is not the oldest of a queue that is not
 * shared.
 */
bool xrdma_rq_complete(struct xrdma_rq *rq, __u32 number, struct xrdma_receive *receive);

/* The oldest receive that is not complete is taken back, as by xrdma_rq_complete(). */
bool xrdma_rq_flush(struct xrdma_rq *rq, struct xrdma_receive *receive);

#endif

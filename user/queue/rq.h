/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A receive queue consists of rows, from which XDP claims receives, and of the process's own
 * records of the receives. A receive has a number. XDP uses this number to report that the receive
 * is complete. Afterwards the number is free.
 *
 * If the queue belongs to one queue pair, its receives complete in the order in which they were
 * posted. If several queue pairs share the queue, they complete in any order.
 *
 * A thread that adds receives holds the lock of the queue pair, or of the shared receive queue. A
 * thread that completes receives holds the lock of a completion queue. The ring separates the two
 * in a queue that is not shared. In a shared queue, the queue's own lock protects what both change.
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
	struct xrdma_bounce *bounce; /* replaces its segments; NULL: none */
	bool is_posted;		     /* only in a shared queue */
};

TAILQ_HEAD(xrdma_receives, xrdma_receive);

/* Receive queue. XDP counts receives modulo 2^32. */
struct xrdma_rq {
	struct xrdma_ring ring; /* counts receives that were posted, and those that are complete */
	struct xrdma_receive *receives; /* indexed by number */
	struct xrdma_spin lock;		/* protects the two lists, which only a shared queue has */
	struct xrdma_receives free;
	struct xrdma_receives posted; /* in the order of posting */
	__u32 number;		      /* row in the table of queues */
	__u32 max_sge;
	struct xrdma_queue_row *row;
	__u32 first;		/* first row in the table of segments */
	__u32 *numbers;		/* ring that XDP reads; NULL: the queue is not shared */
	struct xrdma_sge *sges; /* segments of receive 0 */
};

/*
 * Set up RQ as queue NUMBER of the context, for up to MAX_WR receives of up to MAX_SGE segments.
 * Returns 0 or -ENOMEM.
 */
int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number, __u32 max_wr,
		  __u32 max_sge, bool is_shared);
void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_queues *queues);

/* Forget all receives, and add their bounces to BOUNCES. XDP must not use the row. */
void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_bounces *bounces);

/* Add WR, which was checked. The queue is not full. BOUNCE replaces its segments, or is NULL. */
void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_bounce *bounce);

/* Let XDP claim the receives that were added. */
void xrdma_rq_publish(struct xrdma_rq *rq);

/*
 * Remove receive NUMBER, which is complete, and copy it to *RECEIVE. The caller has
 * to release its bounce.
 * Returns false if no such receive is posted, or if it is not the oldest of a queue that is not
 * shared.
 */
bool xrdma_rq_complete(struct xrdma_rq *rq, __u32 number, struct xrdma_receive *receive);

/*
 * Post receive NUMBER of a shared queue again: a queue pair has claimed it, but will not use it.
 * Call xrdma_rq_publish() afterwards.
 */
void xrdma_rq_repost(struct xrdma_rq *rq, __u32 number);

/*
 * Remove the oldest receive that is not complete, and copy it to *RECEIVE, like
 * xrdma_rq_complete().
 */
bool xrdma_rq_flush(struct xrdma_rq *rq, struct xrdma_receive *receive);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of cq.h. */
#ifndef XRDMA_USER_QUEUE_CQ_H
#define XRDMA_USER_QUEUE_CQ_H

#include <sys/queue.h>
#include <xrdma/cq.h>

#include "lib/clock.h"
#include "lib/mutex.h"
#include "lib/ring.h"
#include "queue/bounce.h"

/* The oldest requests or receives of a queue pair, which are complete: those before number END. */
struct xrdma_finished {
	struct xrdma_qp *qp;
	bool are_sends;
	TAILQ_ENTRY(xrdma_finished) next;
	bool listed;
	__u64 end;
	__u64 later; /* where it ends by now: changes with the queue pair's lock too */
	__u32 after; /* entries of the completion queue that were given out before */
};

struct xrdma_qp_list {
	TAILQ_HEAD(, xrdma_qp) qps;
	__u32 count;
};

struct xrdma_cq {
	struct xrdma_context *context;
	LIST_ENTRY(xrdma_cq) next; /* with the lock of the context's queues */
	__u32 number;		   /* row of the context's queues */
	struct xrdma_queue_row *row;
	struct xrdma_cqe_row *cqes; /* of the ring's first entry */
	__u32 users;		    /* send and receive queues */
	/* Held for some steps, never over a system call; over all that follows. */
	struct xrdma_spin lock;
	struct xrdma_ring ring;		  /* XDP adds: an entry says by its turn that it is there */
	struct xrdma_qp_list soon, timed; /* queue pairs that have set an alarm (alarm.h) */
	__u64 alarm;			  /* ns: not after the first of TIMED; XRDMA_NEVER */
	__u32 polls;			  /* that found something */
	bool polled;			  /* since the dispatcher looked at the alarms */
	/* Queue pairs that receive into it, and whose requests complete into another one. */
	TAILQ_HEAD(, xrdma_qp) receivers;
	__u32 looks; /* polls that had time to look at one of these */
	__u64 tick;  /* of the last look (xrdma_tick()) */
	TAILQ_HEAD(xrdma_finisheds, xrdma_finished)
	finished;		      /* what XDP makes no entries for, oldest first */
	struct xrdma_bounces bounces; /* of receives that are complete, or flushed */
};

/*
 * FINISHED, which is complete up to END, is polled once all is that was complete before. Takes the
 * lock.
 */
void xrdma_cq_add(struct xrdma_cq *cq, struct xrdma_finished *finished, __u64 end);

/* All of it was polled up to its end: what has come since is polled later. The lock is held. */
void xrdma_cq_next(struct xrdma_cq *cq, struct xrdma_finished *finished);

/* None of it is polled. Takes the lock. */
void xrdma_cq_remove(struct xrdma_cq *cq, struct xrdma_finished *finished);

/* Entry NUMBER, or NULL: it is not there yet. */
struct xrdma_cqe_row *xrdma_cq_entry(const struct xrdma_cq *cq, __u32 number);

/*
 * Nothing of queue pair QPN, whose packets XDP no longer handles, completes any more. Takes the
 * lock.
 */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Completion queues. <xrdma/cq.h> declares their handle. */
#ifndef XRDMA_USER_QUEUE_CQ_H
#define XRDMA_USER_QUEUE_CQ_H

#include <sys/queue.h>
#include <xrdma/cq.h>

#include "lib/clock.h"
#include "lib/mutex.h"
#include "lib/ring.h"
#include "queue/bounce.h"
#include "queue/rq.h"

/*
 * Completions of a queue pair without entries in the ring: its oldest requests or receives, up to
 * number END.
 */
struct xrdma_finished {
	struct xrdma_qp *qp;
	bool are_sends;
	TAILQ_ENTRY(xrdma_finished) next;
	bool listed;
	__u64 end;
	__u64 later; /* END for the next time: changes with the queue pair's lock, too */
	__u32 after; /* entries of the completion queue that were handed out before */
};

struct xrdma_qp_list {
	TAILQ_HEAD(, xrdma_qp) qps;
	__u32 count;
};

struct xrdma_cq {
	struct xrdma_context *context;
	LIST_ENTRY(xrdma_cq) next; /* protected by the lock of the context's queues */
	__u32 number;		   /* row in the table of queues */
	struct xrdma_queue_row *row;
	struct xrdma_cqe_row *cqes;	    /* first entry of the ring */
	__u32 users;			    /* number of send and receive queues */
	struct xrdma_comp_channel *channel; /* or NULL */
	struct xrdma_channel_source events; /* of CHANNEL */
	/*
	 * Protects all members below. It is held for few instructions, and never during a system
	 * call.
	 */
	struct xrdma_spin lock;
	/* XDP adds entries. The sequence number of an entry shows that it is written. */
	struct xrdma_ring ring;
	struct xrdma_qp_list soon, timed; /* queue pairs with an alarm (alarm.h) */
	__u64 alarm;	   /* ns: no later than the first alarm of TIMED; XRDMA_NEVER */
	__u32 polls;	   /* number of polls that found a completion */
	bool polled;	   /* polled since the dispatcher last looked at the alarms */
	bool is_automatic; /* the dispatcher makes progress while nobody polls; does not change */
	bool unattended;   /* nobody polls; as in the row */
	/*
	 * Queue pairs that receive into it, but whose requests complete into another completion
	 * queue.
	 */
	TAILQ_HEAD(, xrdma_qp) receivers;
	__u32 looks; /* number of polls that could have looked at one of RECEIVERS */
	TAILQ_HEAD(xrdma_finisheds, xrdma_finished)
	finished;		      /* completions without entries, oldest first */
	struct xrdma_bounces bounces; /* of receives that are complete or flushed */
};

/*
 * A completion was added to CQ: make an event of its channel if a program waits for this one.
 * SOLICITED: the peer solicited it, or it has an error.
 */
void xrdma_cq_wake(struct xrdma_cq *cq, bool solicited);

/* Handle a notice of XDP: the completion queue in row DATA has a completion that is waited for. */
void xrdma_cq_completed(void *queues, const struct xrdma_notice *notice);

/* Make the event of CQ for which XDP had no room in the ring of notices, if there is one. */
void xrdma_cq_find_lost(struct xrdma_cq *cq);

/* Let FINISHED be polled up to number END, after all earlier completions. Takes the lock. */
void xrdma_cq_add(struct xrdma_cq *cq, struct xrdma_finished *finished, __u64 end);

/*
 * Continue with FINISHED after it was polled up to its end. What has completed since is polled
 * later. The caller holds the lock.
 */
void xrdma_cq_next(struct xrdma_cq *cq, struct xrdma_finished *finished);

/* Remove FINISHED without polling it. Takes the lock. */
void xrdma_cq_remove(struct xrdma_cq *cq, struct xrdma_finished *finished);

/* Returns entry NUMBER, or NULL if it is not written yet. */
struct xrdma_cqe_row *xrdma_cq_entry(const struct xrdma_cq *cq, __u32 number);

/*
 * Forget all completions of queue pair QPN, whose packets XDP no longer handles. If SHARED is not
 * NULL, it is the queue of their receives, which become free. Takes the lock.
 */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn, struct xrdma_rq *shared);

#endif

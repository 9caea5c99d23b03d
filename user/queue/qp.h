/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of qp.h. */
#ifndef XRDMA_USER_QUEUE_QP_H
#define XRDMA_USER_QUEUE_QP_H

#include <xrdma/qp.h>

#include "key/key.h"
#include "net/udp.h"
#include "queue/cq.h"
#include "queue/flow.h"
#include "queue/rd_atomic.h"
#include "queue/rq.h"
#include "queue/sq.h"

enum { XRDMA_PKEY_DEFAULT = 0xffff }; /* of index 0 (10.9.1.2) */

/*
 * Record of how messages are cut. If their datagrams have other IPv4 identifications than the ICRCs
 * assume, the peer discards all but the first as damaged.
 */
struct xrdma_cut {
	__u64 packet; /* one that was cut off, and may still arrive; 0: none */
	__u8 lost;    /* how many of them in a row have not arrived when they were sent first */
};

/* A chain of requests that is being made: what the first error in it was, and what is to come. */
struct xrdma_builder {
	struct xrdma_sq_mark mark; /* where it began */
	bool entered;		   /* else nothing of the context is touched */
	int err;
	struct xrdma_mkey *mkey;      /* that the last request configures */
	struct xrdma_mkey_conf *conf; /* and what it makes of it */
	__u32 setters;		      /* which are to come */
};

struct xrdma_qp {
	struct xrdma_pd *pd;
	struct xrdma_qp_row *row; /* what XDP knows of it */
	__u32 qpn;
	struct xrdma_mutex lock; /* over all that follows, but for what completion queues have */
	/* From RTR on: */
	struct xrdma_path path;
	struct xrdma_udp udp; /* sends on PATH */
	bool by_udp;	      /* the last packet was sent by it */
	struct xrdma_cut cut;
	struct xrdma_qp_init_attr init;
	struct xrdma_qp_attr attr; /* what was set, and the state */
	struct xrdma_sq sq;
	struct xrdma_flow flow; /* of SQ */
	struct xrdma_builder builder;
	struct xrdma_rq rq;
	struct xrdma_rd_atomics rd_atomics;
	struct xrdma_mw_list windows; /* of type 2, that it bound; with their lock */
	struct xrdma_mr_list regions; /* that are bound to it; likewise */
	__u64 auth;		      /* of its authorization key (lib/auth.h) */
	/* One of the send completion queue's, whose lock is over it too; NULL: no alarm is set. */
	struct xrdma_qp_list *alarms;
	TAILQ_ENTRY(xrdma_qp) next_alarm;
	TAILQ_ENTRY(xrdma_qp) next_receiver; /* with the lock of the receive completion queue */
	struct xrdma_finished sends;	     /* that are acknowledged, or flushed in ERR */
	struct xrdma_finished receives;	     /* that are flushed in ERR */
	enum xrdma_wc_status flush_status;   /* of the next receive that is flushed */
};

/*
 * Name SEND_CQ and RECV_CQ as the completion queues of QP, in the table where they look up queue
 * pairs. With NULL for both, they do not find QP any more.
 */
void xrdma_qp_set_entry(struct xrdma_qp *qp, const struct xrdma_cq *send_cq,
			const struct xrdma_cq *recv_cq);

/*
 * Accept packets of the peer only if they have the source port SPORT or, if SPORT is 0, the source
 * port of the first valid packet. If the user allows any port, accept any. The caller holds the
 * lock of QP.
 */
void xrdma_qp_set_peer_sport(struct xrdma_qp *qp, __u16 sport);

/* The queue pair in ROW, if CQ is one of its completion queues. CQ's lock is held. Or NULL. */
struct xrdma_qp *xrdma_qp_find(const struct xrdma_cq *cq, __u32 row);

/* The next of CQ's receivers in turn, which is locked; NULL: none, or another thread has it. */
struct xrdma_qp *xrdma_qp_next_receiver(struct xrdma_cq *cq);

/* Whether it is a requester: in SQD of what it has begun only (10.3.1). */
static inline bool xrdma_qp_requests(const struct xrdma_qp *qp)
{
	return qp->attr.state == XRDMA_QPS_RTS || qp->attr.state == XRDMA_QPS_SQD;
}

/* Whether some of that is not complete. */
static inline bool xrdma_qp_is_draining(const struct xrdma_qp *qp)
{
	return qp->attr.state == XRDMA_QPS_SQD && qp->sq.done < qp->sq.begun;
}

/*
 * Lock QP, against the order of locks: that of a completion queue which has found it is held, so
 * that QP is not destroyed meanwhile. False: another thread has it.
 */
static inline bool xrdma_qp_try(struct xrdma_qp *qp)
{
	return xrdma_mutex_trylock(&qp->lock);
}

#endif

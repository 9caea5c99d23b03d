/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs. <xrdma/qp.h> declares their handle. */
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
#include "queue/srq.h"

enum { XRDMA_PKEY_DEFAULT = 0xffff }; /* the P_Key with index 0 (IBA 10.9.1.2) */

/*
 * Record of whether the kernel segments messages as expected. If the datagrams of a message get
 * other IPv4 identifications than their ICRCs assume, the peer discards all but the first.
 */
struct xrdma_cut {
	__u64 packet; /* a packet in such a message that may still arrive; 0: none */
	__u8 lost;    /* number of such packets in a row that were lost when first sent */
};

/*
 * A chain of requests under construction: its first error, and the setters that are still missing.
 */
struct xrdma_builder {
	struct xrdma_sq_mark mark; /* start of the chain in the send queue */
	bool entered; /* the context was entered; otherwise none of its objects is touched */
	int err;
	struct xrdma_mkey *mkey;      /* the mkey that the last request configures */
	struct xrdma_mkey_conf *conf; /* its new configuration */
	__u32 setters;		      /* setters that are missing */
};

struct xrdma_qp {
	struct xrdma_pd *pd;
	struct xrdma_qp_row *row; /* the part that XDP reads and writes */
	__u32 qpn;
	struct xrdma_mutex lock; /* protects all members below, except those of completion queues */
	/* Valid from RTR on: */
	struct xrdma_path path;
	struct xrdma_udp udp; /* socket that sends on PATH */
	bool by_udp;	      /* the last packet was sent by UDP */
	struct xrdma_cut cut;
	struct xrdma_qp_init_attr init;
	bool is_reliable;	   /* its service has acknowledgements */
	bool is_connected;	   /* it has one peer */
	struct xrdma_qp_attr attr; /* attributes that were set, and the state */
	struct xrdma_sq sq;
	struct xrdma_flow flow; /* acknowledgements of SQ */
	struct xrdma_builder builder;
	struct xrdma_rq *rq;	/* OWN_RQ, or that of SRQ */
	struct xrdma_rq own_rq; /* not set up if SRQ is set */
	struct xrdma_srq *srq;
	struct xrdma_channel_source async;
	bool is_established;  /* the event was added */
	bool reports_drained; /* add an event when the send queue is drained */
	struct xrdma_rd_atomics rd_atomics;
	/* The lock of the keys protects the two lists below. */
	struct xrdma_mw_list windows; /* windows of type 2 that it bound */
	struct xrdma_mr_list regions; /* regions that are bound to it */
	__u64 auth;		      /* secret of its authorization key (lib/auth.h) */
	/*
	 * A list of the send completion queue, whose lock protects it, too. NULL: no alarm is set.
	 */
	struct xrdma_qp_list *alarms;
	TAILQ_ENTRY(xrdma_qp) next_alarm;
	TAILQ_ENTRY(xrdma_qp) next_receiver; /* protected by the lock of RECV_CQ */
	struct xrdma_finished sends;	     /* requests that are acknowledged, or flushed in ERR */
	struct xrdma_finished receives;	     /* receives that are flushed in ERR */
	enum xrdma_wc_status flush_status;   /* status of the next receive that is flushed */
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

/*
 * Returns the queue pair in ROW, or NULL if CQ is not one of its completion queues. The caller
 * holds the lock of CQ.
 */
struct xrdma_qp *xrdma_qp_find(const struct xrdma_cq *cq, __u32 row);

/*
 * Returns the next of CQ's RECEIVERS, locked. Returns NULL if there is none, or if another thread
 * has locked it.
 */
struct xrdma_qp *xrdma_qp_next_receiver(struct xrdma_cq *cq);

/*
 * Returns whether QP may send requests. In SQD only those that it has begun may be continued (IBA
 * 10.3.1).
 */
static inline bool xrdma_qp_requests(const struct xrdma_qp *qp)
{
	return qp->attr.state == XRDMA_QPS_RTS || qp->attr.state == XRDMA_QPS_SQD;
}

/* Returns the path of the packets of WQE, a request of QP. */
static inline const struct xrdma_path *xrdma_qp_path(const struct xrdma_qp *qp,
						     const struct xrdma_wqe *wqe)
{
	return qp->is_connected ? &qp->path : &wqe->to.path;
}

/* Returns whether a request that was begun is not complete. */
static inline bool xrdma_qp_is_draining(const struct xrdma_qp *qp)
{
	return qp->attr.state == XRDMA_QPS_SQD && qp->sq.done < qp->sq.begun;
}

/*
 * Try to lock QP. The caller holds the lock of the completion queue in which it has found QP, so
 * that QP is not destroyed in the meantime. This is against the order of locks, so the function
 * never waits: it returns false if another thread has the lock.
 */
static inline bool xrdma_qp_try(struct xrdma_qp *qp)
{
	return xrdma_mutex_trylock(&qp->lock);
}

#endif

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Post receives to a queue pair, or to a shared receive queue. */
#include <errno.h>

#include "key/pd.h"
#include "lib/error.h"
#include "queue/qp.h"
#include "queue/stop.h"
#include "run/post.h"

static int check(const struct xrdma_rq *rq, const struct xrdma_recv_wr *wr)
{
	if (wr->num_sge > rq->max_sge)
		return xrdma_fail(EINVAL, "num_sge is %u: the queue was created for %u",
				  wr->num_sge, rq->max_sge);
	if (xrdma_ring_is_full(&rq->ring))
		return xrdma_fail(ENOMEM,
				  "the receive queue has no room for more than %u receives: "
				  "poll its completion queue first",
				  rq->ring.size);
	return 0;
}

/* A receive queue of PD. */
struct to {
	struct xrdma_pd *pd;
	__u32 qpn; /* its queue pair; 0: queue pairs share the queue */
	struct xrdma_rq *rq;
	bool flushes; /* its receives will be flushed, and need no bounces */
};

static int add(const struct to *to, const struct xrdma_recv_wr *wr)
{
	struct xrdma_bounce *bounce = NULL;
	int err = check(to->rq, wr);

	if (!err && !to->flushes)
		err = xrdma_post_prepare(to->pd, to->qpn, XRDMA_ACCESS_RECV, wr->sg_list,
					 wr->num_sge, &bounce);
	if (!err)
		xrdma_rq_add(to->rq, wr, bounce);
	return err;
}

/* Post the chain WR. After an error, *BAD is the first receive that was not posted. */
static int post(const struct to *to, const struct xrdma_recv_wr *wr,
		const struct xrdma_recv_wr **bad)
{
	int err = 0;

	for (; wr; wr = wr->next) {
		err = add(to, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	xrdma_rq_publish(to->rq);
	return err;
}

/* Returns 0 if QP has receives of its own, and its state allows to post some. */
static int check_qp(const struct xrdma_qp *qp)
{
	if (qp->srq)
		return xrdma_fail(EINVAL, "the queue pair has a shared receive queue: post to it "
					  "by xrdma_srq_post_recv()");
	if (qp->attr.state == XRDMA_QPS_RESET)
		return xrdma_fail(EINVAL,
				  "the queue pair is in RESET: xrdma_qp_modify() takes it to INIT");
	return 0;
}

int xrdma_qp_post_recv(struct xrdma_qp *qp, const struct xrdma_recv_wr *wr,
		       const struct xrdma_recv_wr **bad)
{
	struct to to = { .pd = qp->pd, .qpn = qp->qpn, .rq = qp->rq };
	int err = xrdma_context_enter(qp->pd->context);

	*bad = wr;
	if (err)
		return err;
	xrdma_mutex_lock(&qp->lock);
	to.flushes = qp->attr.state == XRDMA_QPS_ERR;
	err = check_qp(qp);
	if (!err) {
		err = post(&to, wr, bad);
		xrdma_qp_finish(qp);
	}
	xrdma_mutex_unlock(&qp->lock);
	return err;
}

int xrdma_srq_post_recv(struct xrdma_srq *srq, const struct xrdma_recv_wr *wr,
			const struct xrdma_recv_wr **bad)
{
	const struct to to = { .pd = srq->pd, .rq = &srq->rq };
	int err = xrdma_context_enter(srq->pd->context);

	*bad = wr;
	if (err)
		return err;
	xrdma_mutex_lock(&srq->lock);
	err = post(&to, wr, bad);
	xrdma_mutex_unlock(&srq->lock);
	return err;
}

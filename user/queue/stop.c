// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/stop.h"

#include <string.h>

#include "key/fault.h"
#include "lib/order.h"
#include "queue/alarm.h"
#include "queue/bounce.h"
#include "queue/report.h"

void xrdma_qp_start(struct xrdma_qp *qp)
{
	struct xrdma_bounces bounces = STAILQ_HEAD_INITIALIZER(bounces);

	xrdma_sq_release_bounces(&qp->sq, qp->sq.done, qp->sq.ring.tail);
	if (qp->srq) {
		xrdma_srq_return(qp->srq, XRDMA_READ(qp->row->resp.claim));
	} else {
		xrdma_spin_lock(&qp->init.recv_cq->lock);
		xrdma_rq_start(qp->rq, &bounces);
		xrdma_spin_unlock(&qp->init.recv_cq->lock);
	}
	xrdma_spin_lock(&qp->init.send_cq->lock);
	xrdma_sq_start(&qp->sq, 0);
	xrdma_flow_start(&qp->flow, 0);
	xrdma_spin_unlock(&qp->init.send_cq->lock);
	memset(qp->row, 0, sizeof(*qp->row));
	qp->row->qpn = qp->qpn; /* shows that the row is in use */
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->is_established = qp->reports_drained = false;
	xrdma_bounces_release(&bounces);
}

void xrdma_qp_reset(struct xrdma_qp *qp)
{
	XRDMA_PUBLISH(qp->row->state, XRDMA_QPS_RESET);
	xrdma_epochs_wait(&qp->pd->context->slots.epochs);
	xrdma_faults_quiesce(qp->pd->context->faults);
	xrdma_cq_forget(qp->init.recv_cq, qp->qpn, qp->srq ? qp->rq : NULL);
	xrdma_cq_remove(qp->init.recv_cq, &qp->receives);
	xrdma_cq_remove(qp->init.send_cq, &qp->sends);
	xrdma_alarm_clear(qp);
	xrdma_udp_close(&qp->udp);
	xrdma_qp_start(qp);
}

/* Returns the status of the receive at which XDP stopped the queue pair (IBA 11.6.2). */
static enum xrdma_wc_status receive_status(const struct xrdma_responder *resp)
{
	switch (XRDMA_READ(resp->error)) {
	case XRDMA_V_OK:
		return XRDMA_WC_WR_FLUSH_ERR;
	case XRDMA_V_RECV_LENGTH:
		return XRDMA_WC_LOC_LEN_ERR;
	case XRDMA_V_RECV_KEY:
		return XRDMA_WC_LOC_PROT_ERR;
	case XRDMA_V_INVALIDATE:
		return XRDMA_WC_REM_INV_REQ_ERR;
	}
	return XRDMA_READ(resp->op) == XRDMA_OP_SEND ? XRDMA_WC_REM_INV_REQ_ERR
						     : XRDMA_WC_WR_FLUSH_ERR;
}

/* Flush all requests that are not complete. */
static void flush_sends(struct xrdma_qp *qp)
{
	xrdma_sq_stop(&qp->sq);
	xrdma_sq_release_bounces(&qp->sq, qp->sq.done, qp->sq.ring.tail);
	xrdma_qp_finish(qp);
}

void xrdma_qp_stop(struct xrdma_qp *qp)
{
	if (qp->attr.state == XRDMA_QPS_ERR)
		return;
	qp->attr.state = XRDMA_QPS_ERR;
	XRDMA_WRITE(qp->row->state, XRDMA_QPS_ERR);
	xrdma_epochs_wait(&qp->pd->context->slots.epochs);
	qp->flush_status = receive_status(&qp->row->resp);
	flush_sends(qp);
	xrdma_report_stopped(qp);
}

void xrdma_qp_stop_sends(struct xrdma_qp *qp)
{
	qp->attr.state = XRDMA_QPS_SQE;
	XRDMA_WRITE(qp->row->state, XRDMA_QPS_SQE);
	flush_sends(qp);
}

/*
 * Add the completions of requests before END. Those that succeed without XRDMA_SEND_SIGNALED are
 * none for a program that waits for one.
 */
static void add_sends(struct xrdma_qp *qp, __u64 end)
{
	struct xrdma_cq *cq = qp->init.send_cq;
	bool completed = false, failed = false;

	for (__u64 i = qp->sends.later; cq->channel && i < end; i++) {
		failed |= xrdma_sq_at(&qp->sq, i)->status != XRDMA_WC_SUCCESS;
		completed |= xrdma_sq_at(&qp->sq, i)->flags & XRDMA_SEND_SIGNALED;
	}
	xrdma_cq_add(cq, &qp->sends, end);
	if (completed || failed)
		xrdma_cq_wake(cq, failed);
}

void xrdma_qp_finish(struct xrdma_qp *qp)
{
	__u64 end = xrdma_sq_end(&qp->sq);

	if (end > qp->sends.later)
		add_sends(qp, end);
	if (qp->attr.state != XRDMA_QPS_ERR)
		return;
	end = qp->srq ? !!XRDMA_READ(qp->row->resp.claim) : qp->rq->ring.tail;
	if (end <= qp->receives.later)
		return;
	xrdma_cq_add(qp->init.recv_cq, &qp->receives, end);
	xrdma_cq_wake(qp->init.recv_cq, true);
}

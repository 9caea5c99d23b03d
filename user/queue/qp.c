// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/qp.h"

#include "lib/order.h"

void xrdma_qp_set_entry(struct xrdma_qp *qp, const struct xrdma_cq *send_cq,
			const struct xrdma_cq *recv_cq)
{
	struct xrdma_qp_entry *entry =
		&qp->pd->context->queues->entries[qp->qpn & (XRDMA_QP_ROWS_MAX - 1)];

	xrdma_spin_lock(&qp->init.send_cq->lock);
	XRDMA_WRITE(entry->qp, qp);
	XRDMA_WRITE(entry->send_cq, send_cq);
	xrdma_spin_unlock(&qp->init.send_cq->lock);
	xrdma_spin_lock(&qp->init.recv_cq->lock);
	XRDMA_WRITE(entry->recv_cq, recv_cq);
	if (qp->init.recv_cq != qp->init.send_cq && recv_cq)
		TAILQ_INSERT_TAIL(&qp->init.recv_cq->receivers, qp, next_receiver);
	else if (qp->init.recv_cq != qp->init.send_cq)
		TAILQ_REMOVE(&qp->init.recv_cq->receivers, qp, next_receiver);
	xrdma_spin_unlock(&qp->init.recv_cq->lock);
}

struct xrdma_qp *xrdma_qp_find(const struct xrdma_cq *cq, __u32 row)
{
	const struct xrdma_qp_entry *entry = &cq->context->queues->entries[row];

	if (XRDMA_READ(entry->send_cq) != cq && XRDMA_READ(entry->recv_cq) != cq)
		return NULL;
	return XRDMA_READ(entry->qp);
}

struct xrdma_qp *xrdma_qp_next_receiver(struct xrdma_cq *cq)
{
	struct xrdma_qp *next;

	xrdma_spin_lock(&cq->lock);
	next = TAILQ_FIRST(&cq->receivers);
	if (next) {
		TAILQ_REMOVE(&cq->receivers, next, next_receiver);
		TAILQ_INSERT_TAIL(&cq->receivers, next, next_receiver);
		next = xrdma_qp_try(next) ? next : NULL;
	}
	xrdma_spin_unlock(&cq->lock);
	return next;
}

__u32 xrdma_qp_number(const struct xrdma_qp *qp)
{
	return qp->qpn;
}

void xrdma_qp_set_peer_sport(struct xrdma_qp *qp, __u16 sport)
{
	const __u32 is = qp->attr.ah_attr.any_peer_sport ? XRDMA_SPORT_ANY : sport;

	qp->attr.ah_attr.peer_sport = sport;
	XRDMA_WRITE(qp->row->resp.peer_sport, is);
	XRDMA_WRITE(qp->row->req.peer_sport, is);
}

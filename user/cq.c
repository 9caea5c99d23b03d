// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "lib/order.bpf.h"
#include "qp.h"
#include "requester.h"

static int enter(struct xrdma_cq *cq, __u32 entries)
{
	struct xrdma_context *context = cq->context;
	const size_t row_size = sizeof(struct xrdma_cqe_row);
	__u32 size = xrdma_power_of_two(entries);
	size_t at;

	while (cq->number < context->cq_rows && context->cqs[cq->number])
		cq->number++;
	if (cq->number == context->cq_rows)
		return xrdma_fail(ENOMEM,
				  "all %u completion queues of the context are in use: destroy "
				  "some, or open it with more cqs",
				  context->cq_rows);
	if (xrdma_heap_take(&context->cqes, size * row_size, row_size, &at))
		return xrdma_fail(ENOMEM,
				  "no %u entries for a completion queue: destroy some, or open the "
				  "context with more cqes",
				  size);
	cq->row = (struct xrdma_cq_row *)context->tables.cqs.rows + cq->number;
	cq->cqes = (struct xrdma_cqe_row *)context->tables.cqes.rows + at / row_size;
	cq->mask = size - 1;
	memset(cq->cqes, 0, size * row_size);
	*cq->row = (struct xrdma_cq_row){ .first = at / row_size, .mask = cq->mask };
	context->cqs[cq->number] = cq;
	context->cq_count++;
	return 0;
}

int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq)
{
	int err;

	if (!entries || entries > XRDMA_CQ_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "a completion queue of %u entries: 1 to %d", entries,
				  XRDMA_CQ_ENTRIES_MAX);
	*cq = malloc(sizeof(**cq));
	if (!*cq)
		return xrdma_fail(ENOMEM, "no memory for a completion queue");
	**cq = (struct xrdma_cq){ .context = context };
	TAILQ_INIT(&(*cq)->senders);
	TAILQ_INIT(&(*cq)->flushing);
	pthread_mutex_lock(&context->lock);
	err = enter(*cq, entries);
	pthread_mutex_unlock(&context->lock);
	if (err)
		free(*cq);
	return err;
}

static void leave(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;

	xrdma_heap_give(&context->cqes, cq->row->first * sizeof(*cq->cqes));
	context->cqs[cq->number] = NULL;
	context->cq_count--;
}

int xrdma_cq_destroy(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	__u32 users;

	pthread_mutex_lock(&context->lock);
	users = cq->users;
	if (!users)
		leave(cq);
	pthread_mutex_unlock(&context->lock);
	if (users)
		return xrdma_fail(EBUSY, "%u queues still complete into it", users);
	free(cq);
	return 0;
}

/* The next entry, or NULL. */
static struct xrdma_cqe_row *next_entry(const struct xrdma_cq *cq, __u32 number)
{
	struct xrdma_cqe_row *cqe = &cq->cqes[number & cq->mask];

	return XRDMA_OBSERVE(cqe->turn) == number + 1 ? cqe : NULL;
}

void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn)
{
	struct xrdma_cqe_row *cqe;

	for (__u32 number = cq->head; (cqe = next_entry(cq, number)); number++)
		if (cqe->qpn == qpn)
			cqe->verdict = XRDMA_V_QP_STATE;
}

/* The receive that ENTRY says is complete. False: none, as of an entry that was given out in vain. */
static bool complete(const struct xrdma_cq *cq, const struct xrdma_cqe_row *entry,
		     struct xrdma_wc *wc)
{
	const struct xrdma_context *context = cq->context;
	struct xrdma_cqe_row cqe = *entry;
	__u32 row = cqe.qpn & (XRDMA_QPS_MAX - 1);
	struct xrdma_qp *qp = row < context->qp_rows ? context->qps[row] : NULL;

	if (cqe.verdict != XRDMA_V_OK || !qp || cqe.rqe != qp->rq.head ||
	    xrdma_rq_is_empty(&qp->rq))
		return false;
	*wc = (struct xrdma_wc){
		.wr_id = xrdma_rq_complete(&qp->rq),
		.status = XRDMA_WC_SUCCESS,
		.opcode = cqe.op == XRDMA_OP_SEND ? XRDMA_WC_RECV : XRDMA_WC_RECV_RDMA_WITH_IMM,
		.byte_len = cqe.byte_len,
		.qpn = qp->qpn,
	};
	if (cqe.headers & XRDMA_HDR_IMMDT) {
		wc->flags = XRDMA_WC_WITH_IMM;
		wc->imm = cqe.imm;
	} else if (cqe.headers & XRDMA_HDR_IETH) {
		wc->flags = XRDMA_WC_WITH_INV;
		wc->invalidated_key = cqe.invalidated_key;
		xrdma_epochs_wait(&context->slots.epochs); /* runs that still use the key */
	}
	return true;
}

/* What XDP has completed. */
static int poll_ring(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_cqe_row *cqe;
	__u32 head = cq->head;
	int count = 0;

	while (count < max && (cqe = next_entry(cq, cq->head))) {
		count += complete(cq, cqe, wc + count);
		cq->head++;
	}
	if (cq->head != head)
		XRDMA_PUBLISH(cq->row->head, cq->head);
	return count;
}

/* Queue pairs that XDP stopped, whose receives are flushed from now on. */
static void notice_stops(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	__u32 stops = XRDMA_OBSERVE(cq->row->stops);

	if (stops == cq->stops)
		return;
	cq->stops = stops;
	for (__u32 row = 0; row < context->qp_rows; row++)
		if (context->qps[row] && context->qps[row]->init.recv_cq == cq)
			xrdma_qp_notice(context->qps[row]);
}

static int flush(struct xrdma_cq *cq, struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = 0;

	for (; count < max && !xrdma_rq_is_empty(&qp->rq); count++) {
		wc[count] = (struct xrdma_wc){
			.wr_id = xrdma_rq_complete(&qp->rq),
			.status = qp->flush_status,
			.opcode = XRDMA_WC_RECV,
			.qpn = qp->qpn,
		};
		qp->flush_status = XRDMA_WC_WR_FLUSH_ERR;
	}
	if (xrdma_rq_is_empty(&qp->rq))
		TAILQ_REMOVE(&cq->flushing, qp, flushing);
	return count;
}

/* The next queue pair to be flushed, if all that it completed before was polled. */
static struct xrdma_qp *next_flush(const struct xrdma_cq *cq)
{
	struct xrdma_qp *qp = TAILQ_FIRST(&cq->flushing);

	return qp && (__s32)(cq->head - qp->flush_after) >= 0 ? qp : NULL;
}

/* Completions of receives: those that XDP made come before those that never will be. */
static int poll_receives(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *qp;
	int count;

	notice_stops(cq);
	count = poll_ring(cq, max, wc);
	while (count < max && (qp = next_flush(cq)))
		count += flush(cq, qp, max - count, wc + count);
	return count;
}

/* Completions of the queue pair whose turn it is, which then waits for the others. */
static int poll_next(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *qp = TAILQ_FIRST(&cq->senders);
	int count;

	xrdma_requester_progress(qp);
	count = xrdma_sq_complete(&qp->sq, qp->qpn, qp->attr.state == XRDMA_QP_ERR, max, wc);
	TAILQ_REMOVE(&cq->senders, qp, sender);
	if (!xrdma_sq_is_empty(&qp->sq))
		TAILQ_INSERT_TAIL(&cq->senders, qp, sender);
	return count;
}

int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *last;
	int count;
	bool more;

	if (max < 0)
		return xrdma_fail(EINVAL, "%d completions: at least 0", max);
	pthread_mutex_lock(&cq->context->lock);
	count = poll_receives(cq, max, wc);
	last = TAILQ_LAST(&cq->senders, xrdma_senders);
	for (more = last; more;) {
		more = TAILQ_FIRST(&cq->senders) != last;
		count += poll_next(cq, max - count, wc + count);
	}
	pthread_mutex_unlock(&cq->context->lock);
	return count;
}

const char *xrdma_wc_status_str(enum xrdma_wc_status status)
{
	switch (status) {
#define X(symbol, number, text) \
	case XRDMA_WC_##symbol: \
		return text;
		XRDMA_WC_STATUSES(X)
#undef X
	}
	return "unknown status";
}

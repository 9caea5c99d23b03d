// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/cq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "obj/context.h"
#include "lib/error.h"
#include "lib/order.h"
#include "obj/qp.h"
#include "run/requester.h"

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
	*cq->row = (struct xrdma_cq_row){
		.first = at / row_size,
		.mask = cq->mask,
		.entries = size,
	};
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
	TAILQ_INIT(&(*cq)->finished);
	err = xrdma_context_enter(context);
	if (!err) {
		err = enter(*cq, entries);
		xrdma_context_unlock(context);
	}
	if (err)
		free(*cq);
	return err;
}

static void leave(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;

	xrdma_heap_give(&context->cqes, cq->row->first * sizeof(*cq->cqes));
	memset(cq->row, 0, sizeof(*cq->row));
	context->cqs[cq->number] = NULL;
	context->cq_count--;
}

int xrdma_cq_destroy(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	int err = xrdma_context_lock(context);
	__u32 users;

	if (err)
		return err;
	users = cq->users;
	if (!users)
		leave(cq);
	xrdma_context_unlock(context);
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

void xrdma_cq_add(struct xrdma_cq *cq, struct xrdma_finished *finished, __u64 end)
{
	if (finished->listed)
		return;
	finished->listed = true;
	finished->end = end;
	finished->after = XRDMA_OBSERVE(cq->row->tail);
	TAILQ_INSERT_TAIL(&cq->finished, finished, next);
}

void xrdma_cq_remove(struct xrdma_cq *cq, struct xrdma_finished *finished)
{
	if (finished->listed)
		TAILQ_REMOVE(&cq->finished, finished, next);
	finished->listed = false;
}

/* Entries are given out in one order and written in another: all that were given out are waited for. */
void xrdma_cq_forget(struct xrdma_cq *cq, __u32 qpn)
{
	__u32 count = XRDMA_OBSERVE(cq->row->tail) - cq->head;
	struct xrdma_cqe_row *cqe;

	xrdma_epochs_wait(&cq->context->slots.epochs);
	for (__u32 i = 0; i < count && i <= cq->mask; i++) {
		cqe = next_entry(cq, cq->head + i);
		if (cqe && cqe->qpn == qpn)
			cqe->verdict = XRDMA_V_QP_STATE;
	}
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

static int flush_receives(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = 0;

	for (; count < max && qp->rq.head != (__u32)qp->receives.end; count++) {
		wc[count] = (struct xrdma_wc){
			.wr_id = xrdma_rq_complete(&qp->rq),
			.status = qp->flush_status,
			.opcode = XRDMA_WC_RECV,
			.qpn = qp->qpn,
		};
		qp->flush_status = XRDMA_WC_WR_FLUSH_ERR;
	}
	if (qp->rq.head == (__u32)qp->receives.end)
		xrdma_cq_remove(qp->init.recv_cq, &qp->receives);
	return count;
}

static int complete_sends(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = xrdma_sq_complete(&qp->sq, qp->qpn, qp->sends.end, max, wc);

	if (qp->sq.head == qp->sends.end)
		xrdma_cq_remove(qp->init.send_cq, &qp->sends);
	if (xrdma_sq_is_empty(&qp->sq))
		TAILQ_REMOVE(&qp->init.send_cq->senders, qp, sender);
	return count;
}

/* The oldest of what XDP makes no entries for. What a queue pair has finished since comes later. */
static int poll_finished(struct xrdma_finished *oldest, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *qp = oldest->qp;
	int count = oldest->are_sends ? complete_sends(qp, max, wc) : flush_receives(qp, max, wc);

	xrdma_qp_finish(qp);
	return count;
}

/* All that is complete, the oldest first, so that nothing waits behind what comes later. */
static int poll_all(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_finished *oldest;
	struct xrdma_cqe_row *cqe;
	int count = 0;

	while (count < max) {
		oldest = TAILQ_FIRST(&cq->finished);
		if (oldest && (__s32)(cq->head - oldest->after) >= 0) {
			count += poll_finished(oldest, max - count, wc + count);
			continue;
		}
		cqe = next_entry(cq, cq->head);
		if (!cqe)
			break;
		count += complete(cq, cqe, wc + count);
		cq->head++;
	}
	return count;
}

int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_qp *qp;
	int count;

	if (max < 0)
		return xrdma_fail(EINVAL, "%d completions: at least 0", max);
	count = xrdma_context_enter(cq->context);
	if (count)
		return count;
	notice_stops(cq);
	TAILQ_FOREACH(qp, &cq->senders, sender)
	xrdma_requester_progress(qp);
	count = poll_all(cq, max, wc);
	if (cq->head != cq->row->head)
		XRDMA_PUBLISH(cq->row->head, cq->head);
	xrdma_context_unlock(cq->context);
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

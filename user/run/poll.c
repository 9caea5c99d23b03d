// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Polling a completion queue (IBA 11.4.2.1). */
#include <errno.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "lib/order.h"
#include "obj/qp.h"
#include "run/requester.h"

enum { CLOCK_EVERY = 16 }; /* polls that find something */

/* Programs that are linked to the library rely on it. */
_Static_assert(sizeof(struct xrdma_wc) == 64, "completions have room to grow in");

/*
 * The receive that ENTRY says is complete. False: none, as of an entry that was given out in vain.
 */
static bool complete(const struct xrdma_cq *cq, const struct xrdma_cqe_row *entry,
		     struct xrdma_wc *wc)
{
	const struct xrdma_context *context = cq->context;
	struct xrdma_cqe_row cqe = *entry;
	__u32 row = cqe.qpn & (XRDMA_QP_ROWS_MAX - 1);
	struct xrdma_qp *qp = row < context->qp_rows.count ? context->qps[row] : NULL;

	if (cqe.verdict != XRDMA_V_OK || !qp || cqe.rqe != (__u32)qp->rq.ring.head ||
	    xrdma_ring_is_empty(&qp->rq.ring))
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

/* Queue pairs whose QPN is BIT modulo XRDMA_NEWS_BITS. */
static void look_at(struct xrdma_cq *cq, __u32 bit)
{
	const struct xrdma_context *context = cq->context;

	for (__u32 row = bit; row < context->qp_rows.count; row += XRDMA_NEWS_BITS) {
		struct xrdma_qp *qp = context->qps[row];

		if (qp && (qp->init.send_cq == cq || qp->init.recv_cq == cq))
			xrdma_requester_progress(qp);
	}
}

/* What XDP tells. No other queue pair is looked at. */
static void take_news(struct xrdma_cq *cq)
{
	for (__u32 word = 0; word < XRDMA_NEWS_WORDS; word++) {
		__u64 *news = &cq->row->news[word], bits = 0;

		if (XRDMA_READ(*news))
			bits = __atomic_exchange_n(news, 0, __ATOMIC_ACQUIRE);
		for (; bits; bits &= bits - 1)
			look_at(cq, word * 64 + __builtin_ctzll(bits));
	}
}

/*
 * Once the first of the senders may have to go on by itself, all are looked at. That takes reading
 * the clock: when nothing is complete, and now and then.
 */
static void look_at_clock(struct xrdma_cq *cq, bool idle)
{
	struct xrdma_qp *qp;

	if (cq->alarm == XRDMA_NEVER || (!idle && ++cq->polls % CLOCK_EVERY))
		return;
	if (cq->alarm && xrdma_now() < cq->alarm)
		return;
	cq->alarm = XRDMA_NEVER;
	TAILQ_FOREACH(qp, &cq->senders, sender)
	xrdma_requester_progress(qp);
}

static int flush_receives(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = 0;

	for (; count < max && qp->rq.ring.head < qp->receives.end; count++) {
		wc[count] = (struct xrdma_wc){
			.wr_id = xrdma_rq_complete(&qp->rq),
			.status = qp->flush_status,
			.opcode = XRDMA_WC_RECV,
			.qpn = qp->qpn,
		};
		qp->flush_status = XRDMA_WC_WR_FLUSH_ERR;
	}
	if (qp->rq.ring.head == qp->receives.end)
		xrdma_cq_remove(qp->init.recv_cq, &qp->receives);
	return count;
}

static int complete_sends(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = xrdma_sq_complete(&qp->sq, qp->qpn, qp->sends.end, max, wc);

	if (qp->sq.ring.head == qp->sends.end)
		xrdma_cq_remove(qp->init.send_cq, &qp->sends);
	if (xrdma_ring_is_empty(&qp->sq.ring))
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
		if (oldest && (__s32)(cq->ring.head - oldest->after) >= 0) {
			count += poll_finished(oldest, max - count, wc + count);
			continue;
		}
		cqe = xrdma_cq_entry(cq, cq->ring.head);
		if (!cqe)
			break;
		count += complete(cq, cqe, wc + count);
		xrdma_ring_take(&cq->ring);
	}
	return count;
}

int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	int count;

	if (max < 0)
		return xrdma_fail(EINVAL, "%d completions: at least 0", max);
	count = xrdma_context_enter(cq->context);
	if (count)
		return count;
	take_news(cq);
	count = poll_all(cq, max, wc);
	look_at_clock(cq, !count);
	xrdma_transmit_flush(&cq->context->transmit);
	if ((__u32)cq->ring.head != cq->row->user_index)
		XRDMA_PUBLISH(cq->row->user_index, cq->ring.head);
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

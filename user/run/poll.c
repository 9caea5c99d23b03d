// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Poll a completion queue (IBA 11.4.2.1). */
#include <errno.h>

#include "key/key.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/order.h"
#include "queue/bounce.h"
#include "run/alarms.h"
#include "run/notified.h"
#include "run/requester.h"

enum {
	CLOCK_EVERY = 16, /* polls that find a completion */
	LOOK_EVERY = 64,  /* polls that find none */
};

/* The size is part of the ABI. */
_Static_assert(sizeof(struct xrdma_wc) == 64, "completions have room to grow in");

/*
 * Returns whether to look at alarms and the like: whenever a poll finds nothing, and at some other
 * polls.
 */
static bool is_time(struct xrdma_cq *cq, bool idle)
{
	return idle || ++cq->polls % CLOCK_EVERY == 0;
}

/*
 * Returns whether to look at a queue pair that receives into CQ but sends into another completion
 * queue. A program may wait for receives alone, and poll for its requests only later. Their lost
 * packets must be sent again all the same. A look delays what the program waits for, so that only
 * few polls look. If polls are rare, the dispatcher looks. The caller holds the lock.
 */
static bool is_time_for_receiver(struct xrdma_cq *cq)
{
	return !TAILQ_EMPTY(&cq->receivers) && ++cq->looks % LOOK_EVERY == 0;
}

/*
 * Wake a queue pair that receives into CQ, if a request is not complete. The row of a queue pair
 * without requests is not read, because XDP writes it on another CPU for each packet.
 */
static void look_at_receiver(struct xrdma_cq *cq)
{
	struct xrdma_qp *qp = xrdma_qp_next_receiver(cq);

	if (!qp)
		return;
	if (qp->sq.done < qp->sq.ring.tail)
		xrdma_requester_wake(qp);
	xrdma_mutex_unlock(&qp->lock);
}

/* The functions from here to xrdma_cq_poll() need the lock of the completion queue. */

/*
 * Append the bounce of RECEIVE, if it has one, to those that are copied out for WC. If WC is NULL,
 * the bounce is only released. QPN is the queue pair that took the receive.
 */
static void add_bounce(struct xrdma_cq *cq, const struct xrdma_receive *receive, __u32 qpn,
		       struct xrdma_wc *wc)
{
	if (!receive->bounce)
		return;
	receive->bounce->wc = wc;
	receive->bounce->qpn = qpn;
	STAILQ_INSERT_TAIL(&cq->bounces, receive->bounce, next);
}

/*
 * Remove the receive of ENTRY, and copy it to *RECEIVE. Returns false if there is none: then the
 * entry was handed out but not used.
 */
static bool complete(struct xrdma_cq *cq, const struct xrdma_cqe_row *entry, struct xrdma_wc *wc)
{
	struct xrdma_cqe_row cqe = *entry;
	struct xrdma_receive receive;
	__u32 row = cqe.qpn & (XRDMA_QP_ROWS_MAX - 1);
	struct xrdma_qp *qp =
		row < cq->context->queues->free_qps.count ? xrdma_qp_find(cq, row) : NULL;

	if (cqe.verdict != XRDMA_V_OK || !qp || qp->init.recv_cq != cq ||
	    !xrdma_rq_complete(qp->rq, cqe.rqe, &receive))
		return false;
	add_bounce(cq, &receive, qp->qpn, wc);
	*wc = (struct xrdma_wc){
		.wr_id = receive.wr_id,
		.status = XRDMA_WC_SUCCESS,
		.opcode = cqe.op == XRDMA_OP_SEND ? XRDMA_WC_RECV : XRDMA_WC_RECV_RDMA_WITH_IMM,
		.byte_len = cqe.byte_len,
		.qpn = qp->qpn,
	};
	if (cqe.headers & XRDMA_HDR_DETH) {
		wc->flags = XRDMA_WC_GRH;
		wc->src_qpn = cqe.src_qpn;
	}
	if (cqe.headers & XRDMA_HDR_IMMDT) {
		wc->flags |= XRDMA_WC_WITH_IMM;
		wc->imm = cqe.imm;
	} else if (cqe.headers & XRDMA_HDR_IETH) {
		wc->flags |= XRDMA_WC_WITH_INV;
		wc->invalidated_key = cqe.invalidated_key;
	}
	return true;
}

/* Returns whether QP, which is in ERR, has receives to flush. */
static bool has_receives(const struct xrdma_qp *qp)
{
	return qp->srq ? XRDMA_READ(qp->row->resp.claim) : qp->rq->ring.head < qp->receives.end;
}

/*
 * Remove the oldest receive to flush, and copy it to *RECEIVE. Of a shared queue, this is the one
 * that QP has claimed.
 */
static bool flush_receive(struct xrdma_qp *qp, struct xrdma_receive *receive)
{
	const __u32 claim = XRDMA_READ(qp->row->resp.claim);

	if (!has_receives(qp))
		return false;
	if (!qp->srq)
		return xrdma_rq_flush(qp->rq, receive);
	XRDMA_WRITE(qp->row->resp.claim, 0);
	return xrdma_rq_complete(qp->rq, claim - 1, receive);
}

static int flush_receives(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	struct xrdma_receive receive;
	int count = 0;

	while (count < max && flush_receive(qp, &receive)) {
		add_bounce(qp->init.recv_cq, &receive, qp->qpn, NULL);
		wc[count++] = (struct xrdma_wc){
			.wr_id = receive.wr_id,
			.status = qp->flush_status,
			.opcode = XRDMA_WC_RECV,
			.qpn = qp->qpn,
		};
		qp->flush_status = XRDMA_WC_WR_FLUSH_ERR;
	}
	if (!has_receives(qp))
		xrdma_cq_next(qp->init.recv_cq, &qp->receives);
	return count;
}

static int complete_sends(struct xrdma_qp *qp, int max, struct xrdma_wc *wc)
{
	int count = xrdma_sq_complete(&qp->sq, qp->qpn, qp->sends.end, max, wc);

	if (qp->sq.ring.head >= qp->sends.end)
		xrdma_cq_next(qp->init.send_cq, &qp->sends);
	return count;
}

/* Take completions from OLDEST, for which the ring has no entries. */
static int poll_finished(struct xrdma_finished *oldest, int max, struct xrdma_wc *wc)
{
	return oldest->are_sends ? complete_sends(oldest->qp, max, wc)
				 : flush_receives(oldest->qp, max, wc);
}

/* Take up to MAX completions, in the order in which they completed. */
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

/* The program polls CQ: the dispatcher does not have to make progress for it any more. */
static void attend(struct xrdma_cq *cq)
{
	cq->unattended = false;
	XRDMA_WRITE(cq->row->unattended, 0);
}

/* The functions from here on need no lock. */

/* Make queue pair QPN of CQ stop soon, as if XDP had refused a packet. */
static void stop_later(struct xrdma_cq *cq, __u32 qpn, enum xrdma_verdict verdict)
{
	const __u32 row = qpn & (XRDMA_QP_ROWS_MAX - 1), bit = row % XRDMA_NOTIFY_BITS;
	struct xrdma_qp *qp;

	xrdma_spin_lock(&cq->lock);
	qp = xrdma_qp_find(cq, row);
	if (qp && qp->qpn == qpn) {
		XRDMA_WRITE(qp->row->resp.error, verdict);
		__atomic_fetch_or(&cq->row->notify[bit / 64], 1ULL << bit % 64, __ATOMIC_RELEASE);
	}
	xrdma_spin_unlock(&cq->lock);
	xrdma_dispatcher_look(&cq->context->dispatcher);
}

/*
 * Copy out the received bytes of BOUNCES, and release them. If this fails for one, its receive
 * fails.
 */
static void copy_out(struct xrdma_cq *cq, struct xrdma_bounces *bounces)
{
	enum xrdma_verdict verdict;
	struct xrdma_bounce *bounce;

	for (bounce = STAILQ_FIRST(bounces); bounce; bounce = STAILQ_NEXT(bounce, next)) {
		if (!bounce->wc)
			continue;
		verdict = xrdma_bounce_copy_out(bounce, bounce->wc->byte_len);
		if (verdict == XRDMA_V_OK)
			continue;
		bounce->wc->status = XRDMA_WC_LOC_PROT_ERR;
		bounce->wc->vendor_err = verdict;
		stop_later(cq, bounce->qpn, verdict);
	}
	xrdma_bounces_release(bounces);
}

/* Wait for program runs that still use a key which one of the received messages invalidated. */
static void quiesce(struct xrdma_cq *cq, int count, const struct xrdma_wc *wc)
{
	for (int i = 0; i < count; i++)
		if (wc[i].flags & XRDMA_WC_WITH_INV) {
			xrdma_keys_quiesce(cq->context->keys);
			return;
		}
}

int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc)
{
	struct xrdma_bounces bounces = STAILQ_HEAD_INITIALIZER(bounces);
	struct xrdma_alarms_due due = { 0 };
	bool looks = false;
	int count;

	if (max < 0)
		return xrdma_fail(EINVAL, "%d completions: at least 0", max);
	count = xrdma_context_enter(cq->context);
	if (count)
		return count;
	xrdma_notified_look(cq);
	xrdma_spin_lock(&cq->lock);
	cq->polled = true;
	if (cq->unattended)
		attend(cq);
	count = poll_all(cq, max, wc);
	if ((__u32)cq->ring.head != cq->row->user_index)
		XRDMA_PUBLISH(cq->row->user_index, cq->ring.head);
	if (is_time(cq, !count)) {
		due = xrdma_alarms_take(cq);
		looks = is_time_for_receiver(cq);
	}
	STAILQ_CONCAT(&bounces, &cq->bounces);
	xrdma_spin_unlock(&cq->lock);
	copy_out(cq, &bounces);
	xrdma_alarms_wake(cq, due);
	if (looks)
		look_at_receiver(cq);
	quiesce(cq, count, wc);
	xrdma_transmit_flush(&cq->context->transmit);
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

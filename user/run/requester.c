// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/requester.h"

#include "key/key.h"
#include "key/mkey.h"
#include "key/mw.h"
#include "lib/clock.h"
#include "lib/order.h"
#include "queue/alarm.h"
#include "queue/bounce.h"
#include "queue/report.h"
#include "queue/stop.h"
#include "run/request.h"
#include "run/sender.h"

enum {
	WINDOW = 128, /* packets in flight; of any 32 some request an acknowledgement */
	RNR_RETRY_FOREVER = 7,
};

/*
 * Fail the oldest request that is not acknowledged, and its queue pair (IBA 10.8.5.1). If the
 * request has a status already, it keeps it.
 */
static void fail_oldest(struct xrdma_qp *qp, enum xrdma_wc_status status, enum xrdma_verdict why)
{
	struct xrdma_wqe *oldest = xrdma_sq_at(&qp->sq, qp->sq.done);

	if (!oldest->status) {
		oldest->status = status;
		oldest->vendor_err = why;
	}
	xrdma_qp_stop(qp);
}

/*
 * Send all packets again that are not acknowledged. Fail after retry_cnt retries without a response
 * of the peer (IBA 9.9.2.1).
 */
static void send_again(struct xrdma_qp *qp)
{
	if (qp->flow.retries == qp->attr.retry_cnt) {
		fail_oldest(qp, XRDMA_WC_RETRY_EXC_ERR, XRDMA_V_OK);
		return;
	}
	xrdma_sender_missed(qp);
	xrdma_flow_retry(&qp->flow, &qp->sq);
}

/*
 * Wait until the peer has a receive. Fail after rnr_retry retries without progress, or never if
 * rnr_retry is 7 (ibv_modify_qp(3)).
 */
static void wait_for_receiver(struct xrdma_qp *qp, __u8 timer)
{
	if (qp->attr.rnr_retry != RNR_RETRY_FOREVER && qp->flow.rnr_retries == qp->attr.rnr_retry) {
		fail_oldest(qp, XRDMA_WC_RNR_RETRY_EXC_ERR, XRDMA_V_OK);
		return;
	}
	xrdma_flow_wait(&qp->flow, &qp->sq, timer);
}

/*
 * Handle a NAK of the oldest packet that is not acknowledged. A NAK of any other packet is stale.
 * After an RNR NAK, the peer reports packets behind the refused one as missing, and may do so until
 * the wait is over.
 */
static void take_nak(struct xrdma_qp *qp, __u32 nak)
{
	const struct xrdma_flow *flow = &qp->flow;
	__u8 syndrome = nak >> 24;

	if ((nak & XRDMA_PSN_MASK) != (flow->acked & XRDMA_PSN_MASK) || flow->acked == flow->sent)
		return;
	if ((syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK && !flow->resume)
		wait_for_receiver(qp, syndrome);
	switch (syndrome) {
	case XRDMA_AETH_NAK_PSN_SEQ:
		if (!flow->resume)
			send_again(qp);
		break;
	case XRDMA_AETH_NAK_INVALID_REQUEST:
		fail_oldest(qp, XRDMA_WC_REM_INV_REQ_ERR, XRDMA_V_OK);
		break;
	case XRDMA_AETH_NAK_REMOTE_ACCESS:
		fail_oldest(qp, XRDMA_WC_REM_ACCESS_ERR, XRDMA_V_OK);
		break;
	case XRDMA_AETH_NAK_REMOTE_OPERATION:
		fail_oldest(qp, XRDMA_WC_REM_OP_ERR, XRDMA_V_OK);
		break;
	}
}

/* Handle a response to the oldest request, a READ or an atomic, that could not be placed. */
static void take_error(struct xrdma_qp *qp, enum xrdma_verdict error)
{
	fail_oldest(qp,
		    error == XRDMA_V_RESPONSE_KEY ? XRDMA_WC_LOC_PROT_ERR : XRDMA_WC_BAD_RESP_ERR,
		    error);
}

/*
 * Copy out the bounces of acknowledged requests, from FROM on, and release them. If this fails for
 * one, its request fails, and becomes the oldest that is not done.
 */
static void copy_out_responses(struct xrdma_qp *qp, __u64 from)
{
	const __u64 done = qp->sq.done;
	enum xrdma_verdict verdict;

	for (__u64 number = from; number < done && qp->sq.bounces; number++) {
		const struct xrdma_wqe *wqe = xrdma_sq_at(&qp->sq, number);

		verdict = wqe->bounce && xrdma_wqe_fetches(wqe)
				  ? xrdma_bounce_copy_out(wqe->bounce, wqe->length)
				  : XRDMA_V_OK;
		if (verdict != XRDMA_V_OK) {
			qp->sq.done = number;
			fail_oldest(qp, XRDMA_WC_LOC_PROT_ERR, verdict);
			return;
		}
		xrdma_sq_release_bounces(&qp->sq, number, number + 1);
	}
}

static void take_answers(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->row->req;
	struct xrdma_flow *flow = &qp->flow;
	enum xrdma_verdict error = XRDMA_OBSERVE(req->error);
	__u32 rnr_naks = XRDMA_OBSERVE(req->rnr_nak.count), naks = XRDMA_OBSERVE(req->nak.count);
	const __u64 done = qp->sq.done;

	if (xrdma_flow_ack(flow, &qp->sq, XRDMA_OBSERVE(req->acked_psn))) {
		xrdma_sender_acked(qp);
		copy_out_responses(qp, done);
	}
	if (error)
		take_error(qp, error);
	/* An RNR NAK comes first, because it is why later packets are missing. */
	if (rnr_naks != flow->rnr_naks && !error)
		take_nak(qp, XRDMA_READ(req->rnr_nak.last));
	if (naks != flow->naks && !error)
		take_nak(qp, XRDMA_READ(req->nak.last));
	flow->rnr_naks = rnr_naks;
	flow->naks = naks;
}

void xrdma_requester_stop(struct xrdma_qp *qp)
{
	if (xrdma_qp_requests(qp) && qp->is_reliable)
		take_answers(qp);
	xrdma_qp_stop(qp);
}

void xrdma_requester_notice(struct xrdma_qp *qp)
{
	if (qp->attr.state < XRDMA_QPS_RTR)
		return;
	xrdma_report_established(qp);
	if (XRDMA_READ(qp->row->resp.error))
		xrdma_requester_stop(qp);
}

static __u64 end_of_timer(const struct xrdma_qp *qp)
{
	return xrdma_flow_timer_end(&qp->flow, &qp->sq, qp->attr.timeout);
}

static void look_at_timer(struct xrdma_qp *qp)
{
	__u64 end = end_of_timer(qp), now = end == XRDMA_NEVER ? 0 : xrdma_now();

	if (end == XRDMA_SOON) {
		qp->flow.since = now;
	} else if (now > end) {
		qp->path.has_mac = false; /* the MAC address may be out of date: send by UDP */
		send_again(qp);
	}
}

/*
 * Stop QP if its oldest request was refused for its local key. A request fails only when all
 * requests before it are acknowledged. An unreliable queue pair still receives (IBA 10.3.1).
 */
static void look_at_oldest(struct xrdma_qp *qp)
{
	if (qp->sq.done == qp->sq.ring.tail || !xrdma_sq_at(&qp->sq, qp->sq.done)->status)
		return;
	if (qp->is_reliable)
		xrdma_qp_stop(qp);
	else
		xrdma_qp_stop_sends(qp);
}

/* Execute a request that has no packets. Returns XRDMA_V_OK or the error. */
static enum xrdma_verdict execute(struct xrdma_qp *qp, const struct xrdma_wqe *wqe)
{
	if (wqe->opcode == XRDMA_WR_BIND_MW)
		return xrdma_mw_execute(qp->pd, qp->qpn, &qp->windows, &wqe->bind, wqe->rkey);
	if (wqe->opcode == XRDMA_WR_DRIVER1)
		return xrdma_mkey_execute(qp->pd, wqe->rkey, &wqe->conf);
	return xrdma_key_invalidate(qp->pd, qp->qpn, wqe->invalidate_key);
}

/*
 * Execute WQE, which has no packets, now that it is the current request. It is executed once, even
 * if requests before it are sent again.
 */
static bool pass(struct xrdma_qp *qp, struct xrdma_wqe *wqe)
{
	enum xrdma_verdict verdict = qp->sq.current == qp->sq.begun ? execute(qp, wqe) : XRDMA_V_OK;

	if (verdict != XRDMA_V_OK) {
		wqe->status = XRDMA_WC_MW_BIND_ERR;
		wqe->vendor_err = verdict;
		return false;
	}
	xrdma_sq_advance(&qp->sq);
	xrdma_sq_finish(&qp->sq, qp->flow.acked);
	return true;
}

/* Send the next packet, or execute the next request. Returns false if that is not possible now. */
static bool send_next(struct xrdma_qp *qp, struct xrdma_sender *sender)
{
	struct xrdma_sq *sq = &qp->sq;
	struct xrdma_flow *flow = &qp->flow;
	struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->current);
	struct xrdma_request_layout layout;
	enum xrdma_verdict verdict;
	struct xrdma_room room;

	if (wqe->status)
		return false;
	if (wqe->first == wqe->end)
		return pass(qp, wqe);
	if (!xrdma_flow_is_timed(flow, sq))
		flow->since = 0;
	sq->due = true;
	layout = xrdma_request_lay_out(qp, wqe, sq->next);
	if (!xrdma_sender_take(sender, wqe, layout.len, &room))
		return false;
	verdict = xrdma_request_build(qp, wqe, &layout, &room);
	if (verdict != XRDMA_V_OK) {
		xrdma_sender_drop(sender);
		wqe->status = XRDMA_WC_LOC_PROT_ERR;
		wqe->vendor_err = verdict;
		sq->due = false;
		return false;
	}
	if (sq->next == flow->sent) { /* XDP must know this before the response arrives */
		flow->sent += xrdma_sq_stride(sq);
		XRDMA_PUBLISH(qp->row->sent_psn, flow->sent & XRDMA_PSN_MASK);
	}
	xrdma_sender_add(sender, layout.len);
	xrdma_sq_advance(sq);
	return true;
}

/*
 * Returns whether the next packet may be sent. PSNs, READs and atomics in flight are limited. A
 * request with FENCE begins when all READs and atomics before it are complete (IBA 10.8.3.3). In
 * SQD no request begins.
 */
static bool may_begin(const struct xrdma_qp *qp)
{
	const struct xrdma_sq *sq = &qp->sq;
	const struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->current);
	__u32 done = XRDMA_READ(qp->row->req.rd_atomics_done);

	if (qp->attr.state == XRDMA_QPS_SQD && sq->current == sq->begun)
		return false;
	if (wqe->flags & XRDMA_SEND_FENCE && sq->next == wqe->first && wqe->rd_atomic != done)
		return false;
	if (!xrdma_flow_has_room(&qp->flow, sq))
		return false;
	return !xrdma_wqe_fetches(wqe) || wqe->rd_atomic - done < qp->attr.max_rd_atomic;
}

static bool may_send(struct xrdma_qp *qp)
{
	const struct xrdma_sq *sq = &qp->sq;

	return xrdma_qp_requests(qp) && !xrdma_flow_is_waiting(&qp->flow) &&
	       sq->current < sq->ring.tail && xrdma_sq_sends_since(sq, qp->flow.acked) < WINDOW &&
	       may_begin(qp);
}

/* Make progress. WOKEN: because of an alarm, not of a notify bit or a new request. */
static void go_on(struct xrdma_qp *qp, bool woken)
{
	struct xrdma_sender sender = { .qp = qp };

	if (qp->is_reliable)
		take_answers(qp);
	if (woken)
		look_at_timer(qp); /* either may have stopped it */
	while (may_send(qp) && send_next(qp, &sender))
		;
	xrdma_sender_end(&sender);
	if (!qp->is_reliable)
		xrdma_flow_pass(&qp->flow, &qp->sq);
	look_at_oldest(qp);
}

/*
 * Returns when to make progress even if no packet arrives: soon, if there was no room for a packet,
 * or if no acknowledgement will let QP send the next one.
 */
static __u64 next_time(struct xrdma_qp *qp)
{
	__u64 end = end_of_timer(qp), resume = qp->flow.resume ?: XRDMA_NEVER;

	if (!xrdma_qp_requests(qp))
		return XRDMA_NEVER;
	if (qp->sq.due || (!qp->is_reliable && may_send(qp)))
		return XRDMA_SOON;
	return resume < end ? resume : end;
}

static void progress(struct xrdma_qp *qp, bool woken)
{
	__u64 next;

	xrdma_requester_notice(qp);
	if (xrdma_qp_requests(qp))
		go_on(qp, woken);
	xrdma_qp_finish(qp);
	xrdma_report_drained(qp);
	next = next_time(qp);
	if (next != XRDMA_NEVER)
		xrdma_alarm_set(qp, next);
	else if (woken)
		xrdma_alarm_clear(qp);
}

void xrdma_requester_progress(struct xrdma_qp *qp)
{
	progress(qp, false);
}

void xrdma_requester_wake(struct xrdma_qp *qp)
{
	progress(qp, true);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "requester.h"

#include <time.h>

#include "lib/bounds.bpf.h"
#include "request.h"

enum {
	WINDOW = 128, /* packets under way; some of any 32 ask for an acknowledgement */
};

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The oldest request that is not acknowledged has failed, and the queue pair with it (10.8.5.1). */
static void fail_oldest(struct xrdma_qp *qp, enum xrdma_wc_status status)
{
	xrdma_sq_at(&qp->sq, qp->sq.done)->status = status;
	xrdma_qp_stop(qp);
}

/* Go back to what is not acknowledged, retry_cnt times without a sign of the peer (9.9.2.1). */
static void send_again(struct xrdma_qp *qp)
{
	if (qp->sq.retries == qp->attr.retry_cnt) {
		fail_oldest(qp, XRDMA_WC_RETRY_EXC_ERR);
		return;
	}
	qp->sq.retries++;
	xrdma_sq_rewind(&qp->sq);
}

/* A NAK of anything but the oldest packet is stale. An RNR NAK is left to the timer: WRITEs take no receive. */
static void take_nak(struct xrdma_qp *qp, __u32 nak)
{
	if ((nak & XRDMA_PSN_MASK) != (qp->sq.acked & XRDMA_PSN_MASK) ||
	    qp->sq.acked == qp->sq.sent)
		return;
	switch (nak >> 24) {
	case XRDMA_AETH_NAK_PSN_SEQ:
		send_again(qp);
		break;
	case XRDMA_AETH_NAK_INVALID_REQUEST:
		fail_oldest(qp, XRDMA_WC_REM_INV_REQ_ERR);
		break;
	case XRDMA_AETH_NAK_REMOTE_ACCESS:
		fail_oldest(qp, XRDMA_WC_REM_ACCESS_ERR);
		break;
	case XRDMA_AETH_NAK_REMOTE_OPERATION:
		fail_oldest(qp, XRDMA_WC_REM_OP_ERR);
		break;
	}
}

static void take_answers(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->row->req;
	struct xrdma_sq *sq = &qp->sq;
	__u32 naks = __atomic_load_n(&req->naks, __ATOMIC_ACQUIRE); /* XDP counts it last */

	if (xrdma_sq_ack(sq, XRDMA_READ(req->acked_psn))) {
		sq->retries = 0;
		if (xrdma_sq_is_owed(sq))
			sq->since = now_ns();
	}
	if (naks == sq->naks)
		return;
	sq->naks = naks;
	take_nak(qp, XRDMA_READ(req->nak));
}

/* The transport timer (9.7.6.1.3): 4.096 us * 2^timeout; 0: it does not run. */
static void look_at_timer(struct xrdma_qp *qp)
{
	if (qp->attr.timeout && xrdma_sq_is_owed(&qp->sq) &&
	    now_ns() - qp->sq.since > 4096ULL << qp->attr.timeout)
		send_again(qp);
}

/* A request whose local key is refused fails when those before it are acknowledged. */
static void look_at_oldest(struct xrdma_qp *qp)
{
	if (qp->sq.done < qp->sq.tail && xrdma_sq_at(&qp->sq, qp->sq.done)->status)
		xrdma_qp_stop(qp);
}

/* Returns false when no more can be sent. */
static bool send_next(struct xrdma_qp *qp)
{
	struct xrdma_transmit *transmit = &qp->pd->context->transmit;
	struct xrdma_sq *sq = &qp->sq;
	struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->current);
	struct xrdma_frame *frame;
	enum xrdma_verdict verdict;
	size_t len;

	if (wqe->status)
		return false;
	frame = xrdma_transmit_frame(transmit);
	if (!frame)
		return false;
	verdict = xrdma_request_build(qp, wqe, sq->next, frame, &len);
	if (verdict != XRDMA_V_OK) {
		wqe->status = XRDMA_WC_LOC_PROT_ERR;
		wqe->vendor_err = verdict;
		return false;
	}
	if (!xrdma_sq_is_owed(sq))
		sq->since = now_ns();
	if (sq->next == sq->sent) /* XDP knows before the answer comes */
		__atomic_store_n(&qp->row->sent_psn, ++sq->sent & XRDMA_PSN_MASK, __ATOMIC_RELEASE);
	if (!xrdma_transmit_queue(transmit, len))
		return false;
	xrdma_sq_advance(sq);
	return true;
}

void xrdma_requester_progress(struct xrdma_qp *qp)
{
	struct xrdma_sq *sq = &qp->sq;

	xrdma_qp_notice(qp);
	if (qp->attr.state != XRDMA_QP_RTS)
		return;
	take_answers(qp);
	look_at_timer(qp);
	while (qp->attr.state == XRDMA_QP_RTS && sq->next < sq->end &&
	       sq->next - sq->acked < WINDOW && send_next(qp))
		;
	xrdma_transmit_flush(&qp->pd->context->transmit);
	look_at_oldest(qp);
}

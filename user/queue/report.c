// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/report.h"

#include <xrdma/async.h>
#include <xrdma/verdict.h>

#include "lib/order.h"

static const __u8 syndromes[] = {
#define X(number, symbol, action, syndrome, text) XRDMA_AETH_##syndrome,
	XRDMA_VERDICTS(X)
#undef X
};

static void report(struct xrdma_qp *qp, enum xrdma_async_kind kind)
{
	xrdma_channel_add(&qp->pd->context->async, &qp->async, kind);
}

/* Report that XDP has stopped QP because of VERDICT, on a request of the peer (IBA 9.9.3). */
static void report_refused(struct xrdma_qp *qp, enum xrdma_verdict verdict)
{
	switch ((__u32)verdict < XRDMA_VERDICT_COUNT ? syndromes[verdict] : 0) {
	case XRDMA_AETH_NAK_INVALID_REQUEST:
		report(qp, XRDMA_ASYNC_QP_REQ_ERR);
		break;
	case XRDMA_AETH_NAK_REMOTE_ACCESS:
		report(qp, XRDMA_ASYNC_QP_ACCESS_ERR);
		break;
	default:
		report(qp, XRDMA_ASYNC_QP_FATAL);
	}
}

void xrdma_report_stopped(struct xrdma_qp *qp)
{
	const enum xrdma_verdict verdict = XRDMA_READ(qp->row->resp.error);

	if (verdict != XRDMA_V_OK && qp->flush_status == XRDMA_WC_WR_FLUSH_ERR)
		report_refused(qp, verdict);
	if (qp->srq)
		report(qp, XRDMA_ASYNC_QP_LAST_WQE_REACHED);
}

void xrdma_report_established(struct xrdma_qp *qp)
{
	if (qp->is_established || !XRDMA_READ(qp->row->resp.established))
		return;
	qp->is_established = true;
	report(qp, XRDMA_ASYNC_COMM_EST);
}

void xrdma_report_drained(struct xrdma_qp *qp)
{
	if (!qp->reports_drained || qp->attr.state != XRDMA_QPS_SQD || xrdma_qp_is_draining(qp))
		return;
	qp->reports_drained = false;
	report(qp, XRDMA_ASYNC_SQ_DRAINED);
}

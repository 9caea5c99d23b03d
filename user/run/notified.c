// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/notified.h"

#include <errno.h>

#include "lib/error.h"
#include "lib/order.h"
#include "queue/qp.h"
#include "queue/queues.h"
#include "run/requester.h"

/*
 * Make progress for the queue pair in ROW, if it uses CQ. Returns false if another thread has
 * locked it.
 */
static bool look_at(struct xrdma_cq *cq, __u32 row)
{
	struct xrdma_qp *qp;
	bool locked;

	xrdma_spin_lock(&cq->lock);
	qp = xrdma_qp_find(cq, row);
	locked = qp && xrdma_qp_try(qp);
	xrdma_spin_unlock(&cq->lock);
	if (!locked)
		return !qp;
	xrdma_requester_progress(qp);
	xrdma_mutex_unlock(&qp->lock);
	return true;
}

/*
 * Make progress for all queue pairs of CQ whose QPN is BIT modulo XRDMA_NOTIFY_BITS. Returns false
 * if another thread has locked one of them.
 */
static bool look_at_each(struct xrdma_cq *cq, __u32 bit)
{
	const __u32 rows = cq->context->queues->free_qps.count;
	bool all = true;

	for (__u32 row = bit; row < rows; row += XRDMA_NOTIFY_BITS)
		all &= look_at(cq, row);
	return all;
}

bool xrdma_notified_serve(struct xrdma_cq *cq)
{
	bool all = true;

	for (__u32 word = 0; word < XRDMA_NOTIFY_WORDS; word++) {
		__u64 *notify = &cq->row->notify[word], bits = 0;

		if (XRDMA_READ(*notify))
			bits = __atomic_exchange_n(notify, 0, __ATOMIC_ACQUIRE);
		for (; bits; bits &= bits - 1)
			if (!look_at_each(cq, word * 64 + __builtin_ctzll(bits))) {
				__atomic_fetch_or(notify, bits & -bits, __ATOMIC_RELAXED);
				all = false;
			}
	}
	return all;
}

void xrdma_notified_look(struct xrdma_cq *cq)
{
	if (!xrdma_notified_serve(cq) && cq->is_automatic)
		xrdma_dispatcher_look(&cq->context->dispatcher);
}

/*
 * The program waits from the first step on. The second step finds what XDP has noted before without
 * a notice.
 */
int xrdma_cq_req_notify(struct xrdma_cq *cq, bool solicited_only)
{
	__u32 none = XRDMA_WAKE_NONE;
	int err = xrdma_context_enter(cq->context);

	if (err)
		return err;
	if (!cq->channel)
		return xrdma_fail(EINVAL, "the completion queue has no channel");
	if (solicited_only)
		__atomic_compare_exchange_n(&cq->row->wake, &none, XRDMA_WAKE_SOLICITED, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	else
		__atomic_exchange_n(&cq->row->wake, XRDMA_WAKE_ANY, __ATOMIC_SEQ_CST);
	xrdma_notified_look(cq);
	xrdma_transmit_flush(&cq->context->transmit);
	return 0;
}

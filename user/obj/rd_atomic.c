// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/rd_atomic.h"

#include <string.h>

#include "lib/order.h"
#include "run/gather.h"
#include "obj/qp.h"
#include "obj/segments.h"

int xrdma_fetches_init(struct xrdma_fetches *fetches, struct xrdma_context *context, __u32 row,
		       const struct xrdma_qp_init_attr *init)
{
	__u32 count = XRDMA_RD_ATOMIC_MAX * init->max_send_sge;

	*fetches = (struct xrdma_fetches){
		.rows = (struct xrdma_fetch_row *)context->tables.fetches.rows +
			(size_t)row * XRDMA_RD_ATOMIC_MAX,
		.max_sge = init->max_send_sge,
	};
	return xrdma_sges_take(context, count, &fetches->first, &fetches->sges);
}

void xrdma_fetches_exit(struct xrdma_fetches *fetches, struct xrdma_context *context)
{
	memset(fetches->rows, 0, XRDMA_RD_ATOMIC_MAX * sizeof(*fetches->rows));
	xrdma_sges_give(context, fetches->sges);
}

enum xrdma_verdict xrdma_fetches_begin(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       __u64 number)
{
	struct xrdma_wqe_part part = xrdma_wqe_part(wqe, number, qp->attr.path_mtu);
	struct xrdma_local local = { wqe->sges, part.offset, part.length };
	__u32 fetch = wqe->fetch + (number - wqe->first), at = fetch % XRDMA_RD_ATOMIC_MAX;
	struct xrdma_fetch_row row = {
		.psn = number & XRDMA_PSN_MASK,
		.length = part.length,
		.first = qp->fetches.first + at * qp->fetches.max_sge,
		.response = wqe->opcode == XRDMA_WR_RDMA_READ ? XRDMA_RC_READ_RESPONSE_ONLY
							      : XRDMA_RC_ATOMIC_ACK,
	};
	struct xrdma_sge *sges = qp->fetches.sges + (size_t)at * qp->fetches.max_sge;
	enum xrdma_verdict verdict;
	__u8 *into;

	if (fetch != XRDMA_READ(qp->row->fetches)) /* it is sent again */
		return XRDMA_V_OK;
	while (local.left) {
		verdict = xrdma_local_next(qp, &local, XRDMA_ACCESS_LOCAL_WRITE,
					   &sges[row.num_sge++], &into);
		if (verdict != XRDMA_V_OK)
			return verdict;
	}
	qp->fetches.rows[at] = row;
	XRDMA_PUBLISH(qp->row->fetches, fetch + 1);
	return XRDMA_V_OK;
}

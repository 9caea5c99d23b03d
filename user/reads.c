// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "reads.h"

#include "lib/bounds.bpf.h"
#include "local.h"
#include "qp.h"
#include "sges.h"

int xrdma_reads_init(struct xrdma_reads *reads, struct xrdma_context *context, __u32 row,
		     const struct xrdma_qp_init_attr *init)
{
	__u32 count = XRDMA_RD_ATOMIC_MAX * init->max_send_sge;

	*reads = (struct xrdma_reads){
		.rows = (struct xrdma_read_row *)context->tables.reads.rows +
			(size_t)row * XRDMA_RD_ATOMIC_MAX,
		.max_sge = init->max_send_sge,
	};
	return xrdma_sges_take(context, count, &reads->first, &reads->sges);
}

void xrdma_reads_exit(struct xrdma_reads *reads, struct xrdma_context *context)
{
	xrdma_sges_give(context, reads->sges);
}

enum xrdma_verdict xrdma_reads_begin(struct xrdma_qp *qp, const struct xrdma_wqe *wqe, __u64 number)
{
	struct xrdma_wqe_part part = xrdma_wqe_part(wqe, number, qp->attr.path_mtu);
	struct xrdma_local local = { wqe->sges, part.offset, part.length };
	__u32 read = wqe->read + (number - wqe->first), at = read % XRDMA_RD_ATOMIC_MAX;
	struct xrdma_read_row row = {
		.psn = number & XRDMA_PSN_MASK,
		.length = part.length,
		.first = qp->reads.first + at * qp->reads.max_sge,
	};
	struct xrdma_sge *sges = qp->reads.sges + (size_t)at * qp->reads.max_sge;
	enum xrdma_verdict verdict;
	__u8 *into;

	if (read != XRDMA_READ(qp->row->reads)) /* it is sent again */
		return XRDMA_V_OK;
	while (local.left) {
		verdict = xrdma_local_next(qp, &local, XRDMA_ACCESS_LOCAL_WRITE,
					   &sges[row.num_sge++], &into);
		if (verdict != XRDMA_V_OK)
			return verdict;
	}
	qp->reads.rows[at] = row;
	__atomic_store_n(&qp->row->reads, read + 1, __ATOMIC_RELEASE);
	return XRDMA_V_OK;
}

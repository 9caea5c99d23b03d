// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/gather.h"

struct xrdma_walk xrdma_gather(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe, __u32 offset,
			       __u32 length, __u32 rights)
{
	const struct xrdma_context *context = qp->pd->context;

	return (struct xrdma_walk){
		.to.space = {
			.mkeys = context->tables.mkeys.rows,
			.layouts = context->tables.layouts.rows,
			.mkey_mask = context->mkey_mask,
			.heap = context->tables.heap.rows,
			.heap_size = context->tables.heap.size,
			.layout_count = context->tables.layouts.size /
					sizeof(struct xrdma_layout_row),
		},
		.sges = { wqe->sges, wqe->num_sge },
		.to.access = {
			.pd = qp->pd->number,
			.qpn = qp->qpn,
			.rights = rights | XRDMA_ACCESS_LOCAL_READ,
		},
		.skip = offset,
		.left = length,
	};
}

enum xrdma_verdict xrdma_gather_next(struct xrdma_walk *walk, struct xrdma_chunk *chunk)
{
	enum xrdma_verdict verdict;

	do {
		verdict = xrdma_walk_step(walk);
	} while (verdict == XRDMA_V_OK && !walk->len);
	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_heap_at(&walk->to.space, walk->heap_at, walk->len, chunk) ? XRDMA_V_OK
									       : XRDMA_V_HEAP;
}

enum xrdma_verdict xrdma_gather_check(struct xrdma_walk walk)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;

	while (walk.left && verdict == XRDMA_V_OK)
		verdict = xrdma_walk_check_step(&walk);
	return verdict;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/gather.h"

#include "obj/access.h"

/* That a key may be read needs no right (10.6.3.1). */
static enum xrdma_verdict find(const struct xrdma_qp *qp, const struct xrdma_sge *sge, __u32 rights,
			       __u64 *heap_at)
{
	const struct xrdma_context *context = qp->pd->context;
	const struct xrdma_mkey_row *rows = context->tables.mkeys.rows;
	const struct xrdma_access access = {
		.key = sge->lkey,
		.pd = qp->pd->number,
		.qpn = qp->qpn,
		.rights = rights,
		.va = sge->addr,
		.len = sge->length,
	};
	enum xrdma_verdict verdict = xrdma_access_check(
		&rows[xrdma_key_index(sge->lkey, context->mkey_mask)], &access, heap_at);

	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_range_holds(0, context->tables.heap.size, *heap_at, sge->length)
		       ? XRDMA_V_OK
		       : XRDMA_V_HEAP;
}

enum xrdma_verdict xrdma_gather_next(const struct xrdma_qp *qp, struct xrdma_gather *gather,
				     __u32 rights, struct xrdma_sge *segment, __u8 **at)
{
	enum xrdma_verdict verdict;
	__u64 heap_at;

	while (gather->offset >= gather->sge->length)
		gather->offset -= gather->sge++->length;
	verdict = find(qp, gather->sge, rights, &heap_at);
	if (verdict != XRDMA_V_OK)
		return verdict;
	*segment = *gather->sge;
	segment->addr += gather->offset;
	segment->length -= gather->offset;
	if (segment->length > gather->left)
		segment->length = gather->left;
	*at = (__u8 *)qp->pd->context->tables.heap.rows + heap_at + gather->offset;
	gather->offset += segment->length;
	gather->left -= segment->length;
	return XRDMA_V_OK;
}

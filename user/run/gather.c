// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/gather.h"

#include "key/fault.h"
#include "key/memory.h"

void xrdma_gather(struct xrdma_walk *walk, const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
		  const struct xrdma_wqe_packet *part)
{
	walk->sges = (struct xrdma_sges){ wqe->sges, wqe->num_sge };
	walk->number = 0;
	walk->skip = part->offset;
	walk->left = part->length;
	walk->here = 0;
	walk->to.space = xrdma_space_of(qp->pd->context);
	walk->to.access = (struct xrdma_access){
		.pd = qp->pd->number,
		.qpn = qp->qpn,
		.rights = xrdma_wr_info(wqe->opcode)->right,
	};
}

enum xrdma_verdict xrdma_gather_enter(const struct xrdma_qp *qp, struct xrdma_walk *walk)
{
	enum xrdma_verdict verdict = xrdma_walk_enter(walk);

	while (xrdma_fault_retry(qp->pd->context->faults, walk->to.space.missed, &verdict)) {
		verdict = xrdma_translate(&walk->to);
		if (verdict == XRDMA_V_OK)
			walk->here = walk->to.access.len;
	}
	return verdict;
}

static enum xrdma_verdict find(struct xrdma_space *space, __u64 heap_at, __u32 len,
			       struct xrdma_chunk *chunk)
{
	return xrdma_heap_at(space, heap_at, len, chunk) ? XRDMA_V_OK
							 : xrdma_heap_miss(space, heap_at, len);
}

enum xrdma_verdict xrdma_gather_next(const struct xrdma_qp *qp, struct xrdma_walk *walk,
				     struct xrdma_chunk *chunk)
{
	struct xrdma_space *space = &walk->to.space;
	enum xrdma_verdict verdict;
	__u64 heap_at;
	__u32 len;

	while (!walk->here) {
		verdict = xrdma_gather_enter(qp, walk);
		if (verdict != XRDMA_V_OK)
			return verdict;
	}
	len = xrdma_walk_take(walk, &heap_at);
	do
		verdict = find(space, heap_at, len, chunk);
	while (xrdma_fault_retry(qp->pd->context->faults, space->missed, &verdict));
	return verdict;
}

enum xrdma_verdict xrdma_gather_check(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				      const struct xrdma_wqe_packet *part)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;
	struct xrdma_walk walk;

	for (xrdma_gather(&walk, qp, wqe, part); walk.left && verdict == XRDMA_V_OK;
	     xrdma_walk_pass(&walk))
		verdict = xrdma_gather_enter(qp, &walk);
	return verdict;
}

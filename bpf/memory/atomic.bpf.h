/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Atomics: carried out by instructions of the CPU on the heap itself, so that they are atomic to
 * the target's threads as well. Each result is kept, because a duplicate is replied to with it, and
 * never carried out again (9.4.5, 9.7.5.1.3). READs are kept too: whoever knows an old PSN must not
 * try out keys by what would be taken for a duplicate.
 */
#ifndef XRDMA_MEMORY_ATOMIC_BPF_H
#define XRDMA_MEMORY_ATOMIC_BPF_H

#include "obj/access.h"
#include "memory/place.bpf.h"
#include "arrive/steer.bpf.h"

/*
 * Whether what PKT asks for is a part of what was done: nothing else is a duplicate, whatever its
 * PSN.
 */
static __always_inline bool xrdma_resource_matches(const struct xrdma_resource *made,
						   const struct xrdma_pkt *pkt)
{
	return XRDMA_READ(made->psn) == pkt->psn && XRDMA_READ(made->op) == pkt->info.op &&
	       XRDMA_READ(made->key) == pkt->key &&
	       xrdma_range_holds(XRDMA_READ(made->va), XRDMA_READ(made->length), pkt->va,
				 pkt->length);
}

/*
 * Whether one of the resources that QP keeps belongs to the packet in the scratch memory, which
 * gets what was found. A global function, so that it is verified once.
 */
__noinline int xrdma_resource_find(const struct xrdma_qp_row *qp)
{
	__u32 zero = 0, kept;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	if (!scratch || !qp)
		return false;
	kept = XRDMA_READ(qp->resp.resources);
	for (__u32 i = 0; i < XRDMA_RD_ATOMIC_MAX && i < kept; i++) {
		const struct xrdma_resource *resource = &qp->resource[i];

		if (xrdma_resource_matches(resource, &scratch->pkt)) {
			scratch->pkt.original = XRDMA_READ(resource->original);
			return true;
		}
	}
	return false;
}

/*
 * Once all are in use, the count goes round from XRDMA_RD_ATOMIC_MAX on, so that it always says
 * which are.
 */
static __always_inline void xrdma_resource_keep(struct xrdma_qp_row *qp,
						const struct xrdma_pkt *pkt)
{
	__u32 number = XRDMA_READ(qp->resp.resources), next = number + 1;
	struct xrdma_resource *resource = &qp->resource[number % XRDMA_RD_ATOMIC_MAX];

	resource->original = pkt->original;
	resource->va = pkt->va;
	resource->key = pkt->key;
	resource->length = pkt->length;
	resource->psn = pkt->psn;
	resource->op = pkt->info.op;
	XRDMA_WRITE(qp->resp.resources,
		    next < 2 * XRDMA_RD_ATOMIC_MAX ? next : XRDMA_RD_ATOMIC_MAX);
}

static __always_inline __u64 xrdma_atomic_on(__u64 *word, const struct xrdma_pkt *pkt)
{
	if (pkt->info.op == XRDMA_OP_CMP_SWAP)
		return __sync_val_compare_and_swap(word, pkt->compare, pkt->swap_add);
	return __sync_fetch_and_add(word, pkt->swap_add);
}

/* An atomic that was checked. Anything but XRDMA_V_OK: nothing was done. */
static __always_inline enum xrdma_verdict xrdma_atomic(struct xrdma_pkt *pkt, __u32 slot)
{
	void *heap = bpf_map_lookup_elem(&xrdma_heaps, &slot);
	__u64 at = pkt->heap_at & (XRDMA_HEAP_ELEMENT - sizeof(__u64));
	struct xrdma_heap_element *element;

	if (!heap)
		return XRDMA_V_HEAP;
	element = xrdma_heap_element(heap, pkt->heap_at >> XRDMA_HEAP_SHIFT);
	if (!element)
		return XRDMA_V_HEAP;
	pkt->original = xrdma_atomic_on((__u64 *)(element->bytes + at), pkt);
	return XRDMA_V_OK;
}

/* A READ or an atomic that was checked is kept, the latter once it is carried out. */
static __noinline enum xrdma_verdict xrdma_rd_atomic_execute(struct xrdma_pkt *pkt,
							     const struct xrdma_target *to)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (pkt->info.op == XRDMA_OP_READ)
		pkt->original = 0; /* or the resource shows what another context's had found */
	else
		verdict = xrdma_atomic(pkt, to->slot);
	if (verdict == XRDMA_V_OK)
		xrdma_resource_keep(to->qp, pkt);
	return verdict;
}

#endif

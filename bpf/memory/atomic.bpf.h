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

/* Where the queue pair of PKT keeps its result NUMBER, or NULL. */
static __always_inline struct xrdma_resource_row *xrdma_resource(const struct xrdma_pkt *pkt,
								 __u32 number)
{
	__u32 first = (pkt->dest_qpn & (XRDMA_QP_ROWS_MAX - 1)) * XRDMA_RD_ATOMIC_MAX;

	return xrdma_row(&xrdma_resources, pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS,
			 first + number % XRDMA_RD_ATOMIC_MAX);
}

/*
 * Whether what PKT asks for is a part of what was done: nothing else is a duplicate, whatever its
 * PSN.
 */
static __always_inline bool xrdma_resource_matches(const struct xrdma_resource_row *row,
						   const struct xrdma_pkt *pkt)
{
	return XRDMA_READ(row->psn) == pkt->psn && XRDMA_READ(row->op) == pkt->info.op &&
	       XRDMA_READ(row->key) == pkt->key &&
	       xrdma_range_holds(XRDMA_READ(row->va), XRDMA_READ(row->length), pkt->va,
				 pkt->length);
}

/*
 * Whether one of the KEPT results belongs to the packet in the scratch memory, which gets it. A
 * global function, so that it is verified once.
 */
__noinline int xrdma_resource_find(__u32 kept)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	if (!scratch)
		return false;
	for (__u32 i = 0; i < XRDMA_RD_ATOMIC_MAX && i < kept; i++) {
		const struct xrdma_resource_row *row = xrdma_resource(&scratch->pkt, i);

		if (row && xrdma_resource_matches(row, &scratch->pkt)) {
			scratch->pkt.original = XRDMA_READ(row->original);
			return true;
		}
	}
	return false;
}

/*
 * Once all rows have a result, the count goes round from XRDMA_RD_ATOMIC_MAX on, so that it always
 * says which have.
 */
static __always_inline void xrdma_resource_keep(struct xrdma_resource_row *row,
						struct xrdma_responder *resp,
						const struct xrdma_pkt *pkt)
{
	__u32 next = XRDMA_READ(resp->resources) + 1;

	row->original = pkt->original;
	row->va = pkt->va;
	row->key = pkt->key;
	row->length = pkt->length;
	row->psn = pkt->psn;
	row->op = pkt->info.op;
	XRDMA_WRITE(resp->resources, next < 2 * XRDMA_RD_ATOMIC_MAX ? next : XRDMA_RD_ATOMIC_MAX);
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
	struct xrdma_responder *resp = &to->qp->resp;
	struct xrdma_resource_row *row = xrdma_resource(pkt, XRDMA_READ(resp->resources));
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (!row)
		return XRDMA_V_RD_ATOMIC;
	if (pkt->info.op == XRDMA_OP_READ)
		pkt->original = 0; /* or the row shows what another context's had found */
	else
		verdict = xrdma_atomic(pkt, to->slot);
	if (verdict == XRDMA_V_OK)
		xrdma_resource_keep(row, resp, pkt);
	return verdict;
}

#endif

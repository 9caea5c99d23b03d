/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Atomics: carried out by instructions of the CPU on the heap itself, so that they are atomic to the target's threads
 * as well. Each result is kept, because a duplicate is answered with it, and never carried out again (9.4.5, 9.7.5.1.3).
 */
#ifndef XRDMA_STAGE_ATOMIC_BPF_H
#define XRDMA_STAGE_ATOMIC_BPF_H

#include "stage/place.bpf.h"
#include "stage/steer.bpf.h"

/* Where the queue pair of PKT keeps its result NUMBER, or NULL. */
static __always_inline struct xrdma_result_row *xrdma_result(const struct xrdma_pkt *pkt,
							     __u32 number)
{
	__u32 first = (pkt->dest_qpn & (XRDMA_QPS_MAX - 1)) * XRDMA_RD_ATOMIC_MAX;

	return xrdma_row(&xrdma_results, pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS,
			 first + number % XRDMA_RD_ATOMIC_MAX);
}

/*
 * Whether one of the KEPT results answers the packet in the scratch memory, which gets it. A global function, so that
 * it is verified once.
 */
__noinline int xrdma_result_find(__u32 kept)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	if (!scratch)
		return false;
	for (__u32 i = 0; i < XRDMA_RD_ATOMIC_MAX && i < kept; i++) {
		const struct xrdma_result_row *row = xrdma_result(&scratch->pkt, i);

		if (row && XRDMA_READ(row->psn) == scratch->pkt.psn) {
			scratch->pkt.original = XRDMA_READ(row->original);
			return true;
		}
	}
	return false;
}

/* Once all rows have a result, the count goes round from XRDMA_RD_ATOMIC_MAX on, so that it always says which have. */
static __always_inline void xrdma_result_keep(struct xrdma_result_row *row,
					      struct xrdma_responder *resp,
					      const struct xrdma_pkt *pkt)
{
	__u32 next = XRDMA_READ(resp->results) + 1;

	XRDMA_WRITE(row->psn, pkt->psn);
	XRDMA_WRITE(row->original, pkt->original);
	XRDMA_WRITE(resp->results, next < 2 * XRDMA_RD_ATOMIC_MAX ? next : XRDMA_RD_ATOMIC_MAX);
}

static __always_inline __u64 xrdma_atomic_on(__u64 *word, const struct xrdma_pkt *pkt)
{
	if (pkt->info.op == XRDMA_OP_CMP_SWAP)
		return __sync_val_compare_and_swap(word, pkt->compare, pkt->swap_add);
	return __sync_fetch_and_add(word, pkt->swap_add);
}

/* An atomic that was checked. Anything but XRDMA_V_OK: nothing was done. */
static __always_inline enum xrdma_verdict xrdma_atomic(struct xrdma_pkt *pkt,
						       const struct xrdma_target *to)
{
	void *heap = bpf_map_lookup_elem(&xrdma_heaps, &to->slot);
	__u64 at = pkt->heap_at & (XRDMA_HEAP_ELEMENT - sizeof(__u64));
	struct xrdma_responder *resp = &to->qp->resp;
	struct xrdma_result_row *row = xrdma_result(pkt, XRDMA_READ(resp->results));
	struct xrdma_heap_element *element;

	if (!row)
		return XRDMA_V_RD_ATOMIC;
	if (!heap)
		return XRDMA_V_HEAP;
	element = xrdma_heap_element(heap, pkt->heap_at >> XRDMA_HEAP_SHIFT);
	if (!element)
		return XRDMA_V_HEAP;
	pkt->original = xrdma_atomic_on((__u64 *)(element->bytes + at), pkt);
	xrdma_result_keep(row, resp, pkt);
	return XRDMA_V_OK;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where the payload of a SEND goes: the memory that the receive names, all of it checked before the
 * first byte.
 */
#ifndef XRDMA_MEMORY_TRANSLATE_BPF_H
#define XRDMA_MEMORY_TRANSLATE_BPF_H

#include "obj/mkey.bpf.h"
#include "obj/rq.bpf.h"
#include "memory/place.bpf.h"

/*
 * LEN bytes at OFFSET of what SGE names: *HEAP_AT is where they go. A receive writes, which is a
 * local right (10.6.3).
 */
static __always_inline enum xrdma_verdict xrdma_translate_sge(const struct xrdma_pkt *pkt,
							      const struct xrdma_sge *sge,
							      __u32 offset, __u32 len,
							      __u64 *heap_at)
{
	struct xrdma_access access = {
		.key = XRDMA_READ(sge->lkey),
		.pd = pkt->pd,
		.qpn = pkt->dest_qpn,
		.rights = XRDMA_ACCESS_LOCAL_WRITE,
		.va = XRDMA_READ(sge->addr) + offset,
		.len = len,
	};

	return xrdma_mkey_check(pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS, pkt->mkey_mask, &access,
				heap_at) == XRDMA_V_OK
		       ? XRDMA_V_OK
		       : XRDMA_V_RECV_KEY;
}

/* Whether the heap has the first and the last byte; a payload lies in two elements at most. */
static __always_inline bool xrdma_heap_has(__u32 slot, const struct xrdma_span *span)
{
	void *heap = bpf_map_lookup_elem(&xrdma_heaps, &slot);

	return heap && xrdma_heap_element(heap, span->heap_at >> XRDMA_HEAP_SHIFT) &&
	       xrdma_heap_element(heap, (span->heap_at + span->len - 1) >> XRDMA_HEAP_SHIFT);
}

/*
 * The payload of the packet in the scratch memory, which goes into several ranges, or is too long.
 * A global function, so that it is verified once.
 */
__noinline int xrdma_translate(void)
{
	__u32 zero = 0, offset, left, from;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_pkt *pkt;

	if (!scratch)
		return XRDMA_V_RECV_LENGTH;
	pkt = &scratch->pkt;
	offset = pkt->done;
	left = pkt->payload_len;
	from = pkt->payload_at;
	pkt->spans = 0;
	for (__u32 i = 0; i < XRDMA_RECV_SGE_MAX && i < pkt->max_sge && left; i++) {
		__u32 slot = pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS, length;
		const struct xrdma_sge *sge = xrdma_row(&xrdma_segments, slot, pkt->sge_row + i);
		struct xrdma_span *span = &scratch->spans[i];

		span->len = 0;
		pkt->spans = i + 1;
		length = sge ? XRDMA_READ(sge->length) : 0;
		if (offset >= length) {
			offset -= length;
			continue;
		}
		span->len = length - offset < left ? length - offset : left;
		span->from = from;
		if (xrdma_translate_sge(pkt, sge, offset, span->len, &span->heap_at) !=
			    XRDMA_V_OK ||
		    !xrdma_heap_has(slot, span))
			return XRDMA_V_RECV_KEY;
		from += span->len;
		left -= span->len;
		offset = 0;
	}
	return left ? XRDMA_V_RECV_LENGTH : XRDMA_V_OK;
}

/*
 * Where the payload goes. A SEND of no bytes takes a receive of any length, whose keys are not
 * looked at.
 */
static __always_inline enum xrdma_verdict xrdma_check_memory(struct xrdma_pkt *pkt,
							     const struct xrdma_target *to)
{
	const struct xrdma_sge *sge;

	if (!pkt->payload_len)
		return XRDMA_V_OK;
	if ((__u64)pkt->done + pkt->payload_len > XRDMA_MESSAGE_MAX)
		return XRDMA_V_LENGTH;
	sge = xrdma_row(&xrdma_segments, to->slot, pkt->sge_row);
	if (!sge || !pkt->max_sge)
		return XRDMA_V_RECV_LENGTH;
	if ((__u64)pkt->done + pkt->payload_len > XRDMA_READ(sge->length))
		return xrdma_translate();
	return xrdma_translate_sge(pkt, sge, pkt->done, pkt->payload_len, &pkt->heap_at);
}

/* Range NUMBER of those that xrdma_translate() found. */
__noinline int xrdma_place_span(struct xdp_md *xdp, __u32 number)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	if (!scratch || number >= XRDMA_RECV_SGE_MAX)
		return XRDMA_V_HEAP;
	return xrdma_place_at(xdp, XRDMA_INTO_HEAP, scratch->pkt.dest_qpn >> XRDMA_QPN_INDEX_BITS,
			      &scratch->spans[number]);
}

static __always_inline enum xrdma_verdict xrdma_place_spans(struct xdp_md *xdp, __u32 count)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;

	for (__u32 i = 0; i < XRDMA_RECV_SGE_MAX && i < count && verdict == XRDMA_V_OK; i++)
		verdict = xrdma_place_span(xdp, i);
	return verdict;
}

#endif

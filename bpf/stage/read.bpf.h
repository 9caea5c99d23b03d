/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* READ: the request's frame becomes the response (9.7.5.1.2): as long as that is, then filled from the heap. */
#ifndef XRDMA_STAGE_READ_BPF_H
#define XRDMA_STAGE_READ_BPF_H

#include "stage/receive.bpf.h"
#include "stage/scatter.bpf.h"

/* From now on PKT says where the parts of the response are. */
static __always_inline void xrdma_read_lay_out(struct xrdma_pkt *pkt)
{
	pkt->payload_at = pkt->bth_at + sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth);
	pkt->payload_len = pkt->length;
	pkt->pad_len = -pkt->length & 3;
	pkt->icrc_at = pkt->payload_at + pkt->payload_len + pkt->pad_len;
}

static __always_inline struct xrdma_range xrdma_read_range(const struct xrdma_pkt *pkt)
{
	return (struct xrdma_range){
		.heap_at = pkt->heap_at,
		.from = pkt->payload_at,
		.len = pkt->payload_len,
	};
}

/*
 * Make the frame of the request in the scratch memory as long as its response. What it ends with, a trailer or what is
 * in buffers of its own, goes with it. Anything but XRDMA_V_OK: the frame is as it was.
 */
__noinline int xrdma_read_make_room(struct xdp_md *xdp)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_range range;
	struct xrdma_pkt *pkt;
	__s32 more;

	if (!scratch)
		return XRDMA_V_READ_ROOM;
	pkt = &scratch->pkt;
	xrdma_read_lay_out(pkt);
	range = xrdma_read_range(pkt);
	if (range.len && !xrdma_heap_has(pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS, &range))
		return XRDMA_V_HEAP;
	pkt->frame_len = pkt->icrc_at + XRDMA_ICRC_LEN;
	more = pkt->frame_len - bpf_xdp_get_buff_len(xdp);
	if (more &&
	    bpf_xdp_adjust_tail(xdp, more)) /* a frame in pieces cannot even grow by nothing */
		return XRDMA_V_READ_ROOM;
	return XRDMA_V_OK;
}

/* Write the ICRC of a frame that is in one piece. */
static __always_inline bool xrdma_seal(const struct xrdma_view *view, const struct xrdma_pkt *pkt)
{
	__u64 at = XRDMA_BOUNDED(pkt->icrc_at);
	__u32 *icrc = (void *)view->bytes + at;

	return at <= XRDMA_FRAME_MAX - sizeof(*icrc) && (void *)(icrc + 1) <= view->limit &&
	       xrdma_icrc(view, pkt, icrc) == XRDMA_V_OK;
}

/* The same of one in several, from a copy. */
static __always_inline bool xrdma_seal_pieces(struct xdp_md *xdp, struct xrdma_scratch *scratch)
{
	__u64 len = XRDMA_BOUNDED(scratch->pkt.frame_len);
	const struct xrdma_view view = xrdma_view(xdp, &scratch->frame);
	__u32 icrc;

	return len && len <= XRDMA_FRAME_MAX &&
	       !bpf_xdp_load_bytes(xdp, 0, scratch->frame.bytes, len) &&
	       xrdma_icrc(&view, &scratch->pkt, &icrc) == XRDMA_V_OK &&
	       !bpf_xdp_store_bytes(xdp, scratch->pkt.icrc_at, &icrc, sizeof(icrc));
}

/* Fill in all that follows the headers. Returns an XDP action. */
__noinline int xrdma_read_fill(struct xdp_md *xdp)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_range range;
	struct xrdma_view view;

	if (!scratch)
		return XDP_ABORTED;
	range = xrdma_read_range(&scratch->pkt);
	if (scratch->pkt.pad_len &&
	    bpf_xdp_store_bytes(xdp, scratch->pkt.icrc_at - sizeof(zero), &zero, sizeof(zero)))
		return XDP_ABORTED;
	if (xrdma_place_at(xdp, XRDMA_OUT_OF_HEAP, scratch->pkt.dest_qpn >> XRDMA_QPN_INDEX_BITS,
			   &range) != XRDMA_V_OK)
		return XDP_ABORTED;
	view = xrdma_view(xdp, NULL);
	return xrdma_seal(&view, &scratch->pkt) || xrdma_seal_pieces(xdp, scratch) ? XDP_TX
										   : XDP_ABORTED;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * READs and atomics: the request's frame becomes the response (9.7.5.1.2): as long as that is, then
 * filled in.
 */
#ifndef XRDMA_RESPONDER_READ_BPF_H
#define XRDMA_RESPONDER_READ_BPF_H

#include "arrive/frame.bpf.h"
#include "memory/place.bpf.h"

/* From now on PKT says where the parts of the response are. */
static __always_inline void xrdma_response_lay_out(struct xrdma_pkt *pkt)
{
	pkt->payload_at = pkt->bth_at + sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth);
	pkt->payload_len = pkt->length;
	pkt->pad_len = -pkt->length & 3;
	pkt->icrc_at = pkt->payload_at + pkt->payload_len + pkt->pad_len;
}

/*
 * Make the frame longer by MORE bytes, or shorter. Only one that is in a single buffer: the kernel
 * frees what is cut off from another, and on veth and in generic mode that is a page which the pool
 * it comes from still hands out, because the receive queue does not say that there is a pool. To
 * grow one, drivers must say how long its buffers are, and not all do.
 */
static __always_inline bool xrdma_resize(struct xdp_md *xdp, __s32 more)
{
	return bpf_xdp_get_buff_len(xdp) == xrdma_first_buffer(xdp) &&
	       !bpf_xdp_adjust_tail(xdp, more);
}

/*
 * Make the frame of the request in the scratch memory as long as its response. One in several
 * buffers that is longer stays so, and the response has a trailer. Anything but XRDMA_V_OK: the
 * frame is as it was.
 */
__noinline int xrdma_response_make_room(struct xdp_md *xdp)
{
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_pkt *pkt;
	__s32 more;

	if (!scratch)
		return XRDMA_V_ROOM;
	pkt = &scratch->pkt;
	xrdma_response_lay_out(pkt);
	pkt->frame_len = pkt->icrc_at + XRDMA_ICRC_LEN;
	more = pkt->frame_len - bpf_xdp_get_buff_len(xdp);
	return xrdma_resize(xdp, more) || more <= 0 ? XRDMA_V_OK : XRDMA_V_ROOM;
}

/* Write the ICRC of a frame that is in one buffer. */
static __always_inline bool xrdma_seal(const struct xrdma_view *view, const struct xrdma_pkt *pkt)
{
	__u64 at = pkt->icrc_at;
	__u32 *icrc;

	if (!XRDMA_WITHIN(at, XRDMA_FRAME_MAX - sizeof(*icrc)))
		return false;
	icrc = (void *)view->bytes + at;
	return (void *)(icrc + 1) <= view->limit && xrdma_icrc(view, pkt, icrc) == XRDMA_V_OK;
}

/* The same of one in several, from a copy. */
static __always_inline bool xrdma_seal_frags(struct xdp_md *xdp, struct xrdma_scratch *scratch)
{
	__u64 last = scratch->pkt.frame_len - 1;
	const struct xrdma_view view = xrdma_view(xdp, &scratch->frame);
	__u32 icrc;

	return XRDMA_WITHIN(last, XRDMA_FRAME_MAX - 1) &&
	       !bpf_xdp_load_bytes(xdp, 0, scratch->frame.bytes, last + 1) &&
	       xrdma_icrc(&view, &scratch->pkt, &icrc) == XRDMA_V_OK &&
	       !bpf_xdp_store_bytes(xdp, scratch->pkt.icrc_at, &icrc, sizeof(icrc));
}

/* Write the ICRC of the frame in the scratch memory. */
__noinline int xrdma_response_seal(struct xdp_md *xdp)
{
	const struct xrdma_view view = xrdma_view(xdp, NULL);
	__u32 zero = 0;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	return scratch && (xrdma_seal(&view, &scratch->pkt) || xrdma_seal_frags(xdp, scratch));
}

/* Write the data that the READ in the scratch memory asks for, and the bytes that pad them. */
__noinline int xrdma_response_read(struct xdp_md *xdp)
{
	__u32 zero = 0;
	const struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);
	struct xrdma_span span;

	if (!scratch)
		return false;
	span = (struct xrdma_span){
		.heap_at = scratch->pkt.heap_at,
		.from = scratch->pkt.payload_at,
		.len = scratch->pkt.payload_len,
	};
	if (scratch->pkt.pad_len &&
	    bpf_xdp_store_bytes(xdp, scratch->pkt.icrc_at - sizeof(zero), &zero, sizeof(zero)))
		return false;
	return xrdma_place_at(xdp, XRDMA_OUT_OF_HEAP, scratch->pkt.dest_qpn >> XRDMA_QPN_INDEX_BITS,
			      &span) == XRDMA_V_OK;
}

/* The AtomicAckETH. */
static __always_inline bool xrdma_response_atomic(struct xdp_md *xdp, const struct xrdma_pkt *pkt)
{
	struct xrdma_atomicacketh ack = { .original = bpf_cpu_to_be64(pkt->original) };

	return !bpf_xdp_store_bytes(xdp, pkt->payload_at, &ack, sizeof(ack));
}

/* Fill in all that follows the AETH. */
static __always_inline bool xrdma_response_fill(struct xdp_md *xdp, const struct xrdma_pkt *pkt)
{
	bool filled = pkt->info.op == XRDMA_OP_READ ? xrdma_response_read(xdp)
						    : xrdma_response_atomic(xdp, pkt);

	return filled && xrdma_response_seal(xdp);
}

#endif

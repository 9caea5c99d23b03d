/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From a frame to a packet that is well-formed, for this device, and whole as its ICRC shows. */
#ifndef XRDMA_ARRIVE_FRAME_BPF_H
#define XRDMA_ARRIVE_FRAME_BPF_H

#include <linux/bpf.h>

#include "wire/crc32.bpf.h"
#include "obj/device.bpf.h"
#include "wire/parse.h"

/* Bytes of the frame that are in its first buffer. */
static __always_inline __u32 xrdma_first_buffer(const struct xdp_md *xdp)
{
	return XRDMA_OPAQUE(xdp->data_end - xdp->data);
}

/* Where the bytes of a frame are. */
struct xrdma_view {
	const void *bytes;
	const void *limit;
};

/*
 * In the packet's first buffer, or in the copy. To be asked for anew after XRDMA_FORGET(), of which
 * it is a part.
 */
static __always_inline struct xrdma_view xrdma_view(struct xdp_md *xdp,
						    const struct xrdma_frame *copy)
{
	if (copy)
		return (struct xrdma_view){ copy->bytes, copy->bytes + XRDMA_FRAME_MAX };
	return (struct xrdma_view){ (void *)(long)xdp->data, (void *)(long)xdp->data_end };
}

/* XRDMA_V_OK: *ICRC is what PKT should carry. */
static __always_inline enum xrdma_verdict xrdma_icrc(const struct xrdma_view *view,
						     const struct xrdma_pkt *pkt, __u32 *icrc)
{
	__u64 ip_at = pkt->ip_at;
	struct xrdma_crc_source rest = {
		.bytes = view->bytes,
		.limit = view->limit,
		.end = pkt->icrc_at,
	};
	struct xrdma_icrc_head head;

	if (!XRDMA_WITHIN(ip_at, XRDMA_HEADERS_MAX) ||
	    !xrdma_icrc_begin(&head, view->bytes + ip_at, view->limit, pkt->ip_version))
		return XRDMA_V_TRUNCATED;
	rest.left = rest.end - ip_at - xrdma_icrc_begun(&head);
	return xrdma_crc32(&head, &rest, icrc) ? XRDMA_V_OK : XRDMA_V_TRUNCATED;
}

static __always_inline enum xrdma_verdict xrdma_verify_icrc(const struct xrdma_view *view,
							    const struct xrdma_pkt *pkt)
{
	struct xrdma_crc_source behind = {
		.bytes = view->bytes,
		.limit = view->limit,
		.end = pkt->icrc_at,
	};
	const __u32 *carried;
	__u32 icrc;

	if (xrdma_icrc(view, pkt, &icrc) != XRDMA_V_OK)
		return XRDMA_V_TRUNCATED;
	carried = xrdma_crc_next(&behind, sizeof(*carried));
	if (!carried)
		return XRDMA_V_TRUNCATED;
	return icrc == *carried ? XRDMA_V_OK : XRDMA_V_ICRC;
}

/* PKT from a frame of FRAME_LEN bytes, or from its COPY. */
static __always_inline enum xrdma_verdict xrdma_arrive(struct xdp_md *xdp,
						       const struct xrdma_frame *copy,
						       __u32 frame_len, struct xrdma_pkt *pkt)
{
	struct xrdma_view view = xrdma_view(xdp, copy);
	enum xrdma_verdict verdict;

	pkt->bth_at = 0;
	pkt->info.counter = 0;
	verdict = xrdma_parse(view.bytes, view.limit, frame_len, pkt);
	if (verdict != XRDMA_V_OK)
		return verdict;
	verdict = xrdma_device_check(xdp, pkt);
	if (verdict != XRDMA_V_OK)
		return verdict;
	XRDMA_FORGET();
	view = xrdma_view(xdp, copy);
	return xrdma_verify_icrc(&view, pkt);
}

/*
 * A frame in several buffers, from a copy in one buffer; one in a single buffer is too short
 * indeed. A global function, so that it is verified once and not for each state of its caller.
 */
__noinline int xrdma_arrive_frags(struct xdp_md *xdp)
{
	__u32 zero = 0, frame_len = bpf_xdp_get_buff_len(xdp);
	__u64 last = (frame_len < XRDMA_FRAME_MAX ? frame_len : XRDMA_FRAME_MAX) - 1;
	struct xrdma_scratch *scratch = bpf_map_lookup_elem(&xrdma_scratch, &zero);

	if (!scratch || frame_len == xrdma_first_buffer(xdp) ||
	    !XRDMA_WITHIN(last, XRDMA_FRAME_MAX - 1) ||
	    bpf_xdp_load_bytes(xdp, 0, scratch->frame.bytes, last + 1))
		return XRDMA_V_TRUNCATED;
	return xrdma_arrive(xdp, &scratch->frame, frame_len, &scratch->pkt);
}

#endif

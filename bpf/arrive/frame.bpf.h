/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From a frame to a packet for this device that is well-formed, and intact by its ICRC. */
#ifndef XRDMA_ARRIVE_FRAME_BPF_H
#define XRDMA_ARRIVE_FRAME_BPF_H

#include "wire/crc32.bpf.h"
#include "wire/parse.h"
#include "obj/counters.bpf.h"
#include "obj/device.bpf.h"
#include "obj/scratch.bpf.h"
#include "arrive/buffer.bpf.h"

/* Return the bytes of the frame's first buffer, or of its COPY. */
static __always_inline struct xrdma_view xrdma_view_of(xrdma_ctx *ctx, struct xrdma_frame *copy)
{
	if (copy)
		return (struct xrdma_view){ copy->bytes, copy->bytes + XRDMA_FRAME_MAX };
	return xrdma_view(ctx);
}

enum { XRDMA_NO_ICRC = -1 };

/*
 * Return the ICRC that a packet with the headers of PKT should carry at END of VIEW, or
 * XRDMA_NO_ICRC if some of its bytes are missing.
 */
static __always_inline __s64 xrdma_icrc(const struct xrdma_view *view, const struct xrdma_pkt *pkt,
					__u32 end)
{
	__u64 ip_at = pkt->ip_at;
	struct xrdma_crc_source rest = {
		.bytes = view->bytes,
		.limit = view->limit,
		.end = end,
	};
	struct xrdma_icrc_head head;
	__u32 icrc;

	if (!XRDMA_WITHIN(ip_at, XRDMA_HEADERS_MAX) ||
	    !xrdma_icrc_begin(&head, view->bytes + ip_at, view->limit, pkt->ip_version))
		return XRDMA_NO_ICRC;
	rest.left = rest.end - ip_at - xrdma_icrc_begun(&head);
	return xrdma_crc32(&head, &rest, &icrc) ? icrc : XRDMA_NO_ICRC;
}

/* Do the work of xrdma_icrc() for the frame's first buffer. */
XRDMA_VERIFIED_ONCE __s64 xrdma_icrc_here(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, __u32 end)
{
	const struct xrdma_view view = xrdma_view(ctx);

	return pkt ? xrdma_icrc(&view, pkt, end) : XRDMA_NO_ICRC;
}

/* Do the work of xrdma_icrc() for the copy in the scratch memory. */
XRDMA_VERIFIED_ONCE __s64 xrdma_icrc_of_copy(const struct xrdma_pkt *pkt, __u32 end)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	struct xrdma_view view;

	if (!pkt || !scratch)
		return XRDMA_NO_ICRC;
	view = (struct xrdma_view){ scratch->frame.bytes, scratch->frame.bytes + XRDMA_FRAME_MAX };
	return xrdma_icrc(&view, pkt, end);
}

static __always_inline enum xrdma_verdict
xrdma_verify_icrc(xrdma_ctx *ctx, struct xrdma_frame *copy, const struct xrdma_pkt *pkt)
{
	struct xrdma_view view = xrdma_view_of(ctx, copy);
	__s64 icrc = copy		    ? xrdma_icrc_of_copy(pkt, pkt->icrc_at)
		     : XRDMA_ICRC_IS_INLINE ? xrdma_icrc(&view, pkt, pkt->icrc_at)
					    : xrdma_icrc_here(ctx, pkt, pkt->icrc_at);
	struct xrdma_crc_source behind = {
		.bytes = view.bytes,
		.limit = view.limit,
		.end = pkt->icrc_at,
	};
	const __u32 *carried = xrdma_crc_next(&behind, sizeof(*carried));

	if (icrc == XRDMA_NO_ICRC || !carried)
		return XRDMA_V_TRUNCATED;
	return icrc == *carried ? XRDMA_V_OK : XRDMA_V_ICRC;
}

/*
 * Parse PKT from a frame of FRAME_LEN bytes, or from its COPY. The destination is checked first: a
 * packet for somebody else passes to the stack, whatever is wrong with it.
 */
static __always_inline enum xrdma_verdict xrdma_arrive_in(xrdma_ctx *ctx, struct xrdma_frame *copy,
							  __u32 frame_len, struct xrdma_pkt *pkt)
{
	struct xrdma_view view = xrdma_view_of(ctx, copy);
	enum xrdma_verdict whose;

	pkt->bth_at = 0;
	pkt->info.counter = XRDMA_OPCODE_COUNT; /* until the opcode is known */
	pkt->parsed = xrdma_parse_outer(view.bytes, view.limit, frame_len, pkt);
	XRDMA_FORGET();
	if (!pkt->bth_at)
		return pkt->parsed;
	if (pkt->parsed == XRDMA_V_OK) {
		view = xrdma_view_of(ctx, copy);
		pkt->parsed = xrdma_parse_transport(view.bytes, view.limit, pkt);
		XRDMA_FORGET();
	}
	pkt->vlans |= xrdma_frame_vlan(ctx);
	view = xrdma_view_of(ctx, NULL);
	whose = xrdma_device_check(view.bytes, view.limit, xrdma_frame_is_local(ctx), pkt);
	if (whose != XRDMA_V_OK)
		return whose;
	if (pkt->parsed != XRDMA_V_OK)
		return pkt->parsed;
	if (pkt->ip_checksum)
		return XRDMA_V_IPV4_CHECKSUM;
	XRDMA_FORGET();
	return xrdma_verify_icrc(ctx, copy, pkt);
}

#endif

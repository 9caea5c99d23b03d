/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The first stage: find the frame's packet, in whatever buffers its bytes are. */
#ifndef XRDMA_ARRIVE_ARRIVE_BPF_H
#define XRDMA_ARRIVE_ARRIVE_BPF_H

#include "arrive/super.bpf.h"

/*
 * Check a frame in several buffers: gather it in one. A frame in a single buffer is really too
 * short.
 */
XRDMA_VERIFIED_ONCE int xrdma_arrive_gathered(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	__u32 frame_len = xrdma_frame_len(ctx);
	__u64 last = (frame_len < XRDMA_FRAME_MAX ? frame_len : XRDMA_FRAME_MAX) - 1;

	if (!scratch || frame_len == xrdma_first_buffer(ctx) ||
	    !XRDMA_WITHIN(last, XRDMA_FRAME_MAX - 1) ||
	    !xrdma_frame_gather(ctx, scratch->frame.bytes, last + 1))
		return XRDMA_V_TRUNCATED;
	return xrdma_arrive_in(ctx, XRDMA_FRAME_IS_COPIED ? &scratch->frame : NULL, frame_len,
			       &scratch->pkt);
}

/* Returns whether VERDICT means that the packet is for the device. */
static __always_inline bool xrdma_is_ours(enum xrdma_verdict verdict)
{
	return verdict != XRDMA_V_NOT_ROCE && verdict != XRDMA_V_NOT_OURS &&
	       verdict != XRDMA_V_VLAN && verdict != XRDMA_V_OTHER_MAC;
}

/*
 * Check a new frame. A super packet is not a whole packet, even in a single buffer. A frame that
 * ends within its UDP header is not known to be for the device.
 */
static __always_inline enum xrdma_verdict xrdma_arrive_new(xrdma_ctx *ctx,
							   struct xrdma_scratch *scratch)
{
	struct xrdma_pkt *pkt = &scratch->pkt;
	enum xrdma_verdict verdict = xrdma_arrive_in(ctx, NULL, xrdma_first_buffer(ctx), pkt);
	bool is_super = xrdma_frame_segment(ctx);

	pkt->super_came = 0;
	if (verdict == XRDMA_V_TRUNCATED && !(is_super && pkt->bth_at))
		verdict = xrdma_arrive_gathered(ctx);
	if (!pkt->bth_at)
		return XRDMA_V_NOT_ROCE;
	if (is_super && verdict != XRDMA_V_OK && xrdma_is_ours(verdict))
		return xrdma_super_begin(ctx) ? xrdma_arrive_segment(ctx, scratch)
					      : XRDMA_V_TRUNCATED;
	return verdict;
}

/*
 * Run the stage. The packet is in the scratch memory then, and later stages read its fields again.
 */
static __always_inline enum xrdma_verdict xrdma_arrive(xrdma_ctx *ctx,
						       struct xrdma_scratch *scratch)
{
	enum xrdma_verdict verdict;

	if (XRDMA_HAS_SENDER && xrdma_super_is_resumed(&scratch->super))
		verdict = xrdma_arrive_segment(ctx, scratch);
	else
		verdict = xrdma_arrive_new(ctx, scratch);
	XRDMA_FORGET();
	return verdict;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The end of a super packet, whose segments are all done. The frame then is the sender of pending
 * responses, like the frame of a READ. For this it becomes the shortest packet that a queue pair
 * can get, because the sender uses only the addresses and the queue pair number of a packet.
 */
#ifndef XRDMA_RESPONDER_SUPER_END_BPF_H
#define XRDMA_RESPONDER_SUPER_END_BPF_H

#include "arrive/super.bpf.h"
#include "responder/next.bpf.h"

/* Transport headers of that packet. */
struct xrdma_shortest {
	struct xrdma_bth bth;
	struct xrdma_aeth aeth;
	__u32 icrc;
};

/* Turn the super packet's frame into that packet, not yet for any queue pair. */
XRDMA_VERIFIED_ONCE int xrdma_super_shorten(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	struct xrdma_super *super;
	struct xrdma_frame *frame;
	__u64 headers, last;

	if (!scratch)
		return false;
	super = &scratch->super;
	frame = &scratch->frame;
	super->index = 0;
	super->len = sizeof(struct xrdma_shortest);
	headers = super->headers;
	last = headers + super->len - 1;
	if (!xrdma_frame_load(ctx, 0, frame->bytes, XRDMA_SUPER_IPV6) ||
	    xrdma_segment_headers(frame, super, xrdma_frame_len(ctx)) != XRDMA_V_OK ||
	    !XRDMA_WITHIN(headers, XRDMA_SUPER_IPV6))
		return false;
	__builtin_memset(frame->bytes + headers, 0, sizeof(struct xrdma_shortest));
	return XRDMA_WITHIN(last, XRDMA_FRAME_MAX - 1) && xrdma_frame_become(ctx, 0, last + 1) &&
	       xrdma_frame_store(ctx, 0, frame->bytes, last + 1);
}

/* Address the frame, which is that packet, to queue pair QPN, and PKT, too. */
XRDMA_VERIFIED_ONCE int xrdma_super_address(xrdma_ctx *ctx, struct xrdma_pkt *pkt, __u32 headers,
					    __u32 qpn)
{
	const struct xrdma_bth bth = {
		.opcode = XRDMA_RC_ACK,
		.dest_qpn = bpf_htonl(qpn),
	};

	if (!pkt)
		return false;
	pkt->ip_at = ETH_HLEN;
	pkt->bth_at = headers;
	pkt->icrc_at = headers + offsetof(struct xrdma_shortest, icrc);
	pkt->dest_qpn = qpn;
	return xrdma_frame_store(ctx, headers, (void *)&bth, sizeof(bth)) &&
	       xrdma_seal(ctx, pkt, pkt->icrc_at);
}

/* Queue a copy of the frame, with its trailer, as the sender of its queue pair. */
static __always_inline bool xrdma_super_copy(xrdma_ctx *ctx, struct xrdma_trailer *trailer)
{
	__u32 len = xrdma_frame_len(ctx);

	if (!xrdma_frame_become(ctx, len, len + sizeof(*trailer)) ||
	    !xrdma_frame_store(ctx, len, trailer, sizeof(*trailer)))
		return false;
	xrdma_frame_resume_copy(ctx);
	return xrdma_frame_become(ctx, len + sizeof(*trailer), len);
}

/* The state that bpf_loop() hands to xrdma_super_end_step(). */
struct xrdma_super_end {
	xrdma_ctx *ctx;
	struct xrdma_scratch *scratch;
	struct xrdma_trailer trailer; /* of each frame */
	bool failed;
};

/*
 * Make a copy of the frame the sender of one queue pair, and the frame itself that of the last one.
 * bpf_loop() calls this function with INDEX counted up from 0, until it does not return 0.
 */
static long xrdma_super_end_step(__u64 index, void *data)
{
	struct xrdma_super_end *end = data;
	struct xrdma_super *super = &end->scratch->super;

	if (!XRDMA_WITHIN(index, XRDMA_SUPER_RUNS - 1) || index >= super->count)
		return 1;
	end->failed = !xrdma_super_address(end->ctx, &end->scratch->pkt, super->headers,
					   super->pending[index]) ||
		      (index + 1 < super->count && !xrdma_super_copy(end->ctx, &end->trailer));
	return end->failed;
}

/*
 * Make senders of the frame after all segments are done. If that fails, it returns false: the
 * responses stay pending, and the peers ask for them again.
 */
static __always_inline bool xrdma_super_end(xrdma_ctx *ctx, struct xrdma_scratch *scratch,
					    const struct xrdma_trailer *trailer)
{
	struct xrdma_super_end end = { .ctx = ctx, .scratch = scratch, .trailer = *trailer };

	if (!xrdma_super_shorten(ctx))
		return false;
	bpf_loop(XRDMA_SUPER_RUNS, xrdma_super_end_step, &end, 0);
	return !end.failed;
}

#endif

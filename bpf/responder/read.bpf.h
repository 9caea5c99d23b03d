/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Responses to READs and atomics (9.7.5.1.2): the request's frame gets the length of the response,
 * and is filled in.
 */
#ifndef XRDMA_RESPONDER_READ_BPF_H
#define XRDMA_RESPONDER_READ_BPF_H

#include "arrive/frame.bpf.h"
#include "memory/transfer.bpf.h"
#include "responder/resource.bpf.h"

/* Return the offset of the response's data, behind the AETH. Packets in the middle have no AETH. */
static __always_inline __u32 xrdma_response_data_at(const struct xrdma_pkt *pkt)
{
	return pkt->bth_at + sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth);
}

/* Return the number of pad bytes for LEN bytes of data. */
static __always_inline __u32 xrdma_pad_len(__u32 len)
{
	return -len & 3;
}

/* Return the offset of the ICRC in the single response to PKT. */
static __always_inline __u32 xrdma_response_icrc_at(const struct xrdma_pkt *pkt)
{
	__u32 len = xrdma_rd_atomic_len(pkt);

	return xrdma_response_data_at(pkt) + len + xrdma_pad_len(len);
}

/*
 * Extend the frame of PKT, in one buffer, by MORE bytes into the headroom, and move its headers
 * there.
 */
static __always_inline bool xrdma_response_begin_earlier(xrdma_ctx *ctx,
							 const struct xrdma_pkt *pkt, __s32 more)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	__u64 last = pkt->payload_at - 1;

	return scratch && XRDMA_WITHIN(last, XRDMA_HEADERS_MAX) &&
	       xrdma_frame_load(ctx, 0, scratch->frame.bytes, last + 1) &&
	       xrdma_frame_become(ctx, 0, more) &&
	       xrdma_frame_store(ctx, 0, scratch->frame.bytes, last + 1);
}

/*
 * Make the frame of PKT as long as its response. A longer frame in several buffers keeps its
 * length, and the response has a trailer. If it fails, it returns false, and the frame is
 * unchanged.
 */
XRDMA_VERIFIED_ONCE int xrdma_response_make_room(xrdma_ctx *ctx, const struct xrdma_pkt *pkt)
{
	__u32 had = xrdma_first_buffer(ctx);
	__s32 more;

	if (!pkt)
		return false;
	more = xrdma_response_icrc_at(pkt) + XRDMA_ICRC_LEN - xrdma_frame_len(ctx);
	if (xrdma_frame_resize(ctx, had, more) || more <= 0)
		return true;
	return !XRDMA_HAS_SENDER && xrdma_frame_len(ctx) == had &&
	       xrdma_response_begin_earlier(ctx, pkt, more);
}

/* Write the ICRC to offset AT of a frame in one buffer. */
static __always_inline bool xrdma_seal(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, __u64 at)
{
	const __s64 icrc = xrdma_icrc_here(ctx, pkt, at);
	const struct xrdma_view view = xrdma_view(ctx);
	__u32 *to;

	if (icrc == XRDMA_NO_ICRC || !XRDMA_WITHIN(at, XRDMA_FRAME_MAX - sizeof(*to)))
		return false;
	to = view.bytes + at;
	if ((void *)(to + 1) > view.limit)
		return false;
	*to = icrc;
	return true;
}

/* Write the ICRC of a frame in several buffers, by a copy of its bytes. */
XRDMA_VERIFIED_ONCE int xrdma_seal_copied(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
					  __u32 icrc_at)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	__u64 last = icrc_at - 1;
	__s64 found;
	__u32 icrc;

	if (!scratch || !XRDMA_WITHIN(last, XRDMA_FRAME_MAX - 1) ||
	    !xrdma_frame_load(ctx, 0, scratch->frame.bytes, last + 1))
		return false;
	found = xrdma_icrc_of_copy(pkt, icrc_at);
	icrc = found;
	return found != XRDMA_NO_ICRC && xrdma_frame_store(ctx, icrc_at, &icrc, sizeof(icrc));
}

/* Write the ICRC of a response to PKT. */
static __always_inline bool xrdma_response_seal(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						__u32 icrc_at)
{
	return xrdma_seal(ctx, pkt, icrc_at) ||
	       (XRDMA_FRAME_IS_COPIED && xrdma_seal_copied(ctx, pkt, icrc_at));
}

/* Copy the data of a READ into the frame, with pad bytes. */
static __always_inline bool xrdma_response_read(xrdma_ctx *ctx, const struct xrdma_target *to,
						const struct xrdma_plan *plan,
						const struct xrdma_plan_rows *rows)
{
	__u32 zero = 0, end = plan->transfer.at + plan->transfer.len;
	__u32 pad_len = xrdma_pad_len(plan->transfer.len);

	if (pad_len && !xrdma_frame_store(ctx, end + pad_len - sizeof(zero), &zero, sizeof(zero)))
		return false;
	return xrdma_transfer_move(ctx, XRDMA_OUT_OF_HEAP, to, &plan->transfer, &rows->chunk);
}

/* Write the AtomicAckETH. */
static __always_inline bool xrdma_response_atomic(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						  __u64 original)
{
	struct xrdma_atomicacketh ack = { .original = bpf_cpu_to_be64(original) };

	return xrdma_frame_store(ctx, xrdma_response_data_at(pkt), &ack, sizeof(ack));
}

/* Fill in everything behind the AETH. */
static __always_inline bool xrdma_response_fill(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						const struct xrdma_target *to,
						const struct xrdma_plan *plan,
						const struct xrdma_plan_rows *rows, __u64 original)
{
	bool filled = pkt->info.op == XRDMA_OP_READ ? xrdma_response_read(ctx, to, plan, rows)
						    : xrdma_response_atomic(ctx, pkt, original);

	return filled && xrdma_response_seal(ctx, pkt, xrdma_response_icrc_at(pkt));
}

#endif

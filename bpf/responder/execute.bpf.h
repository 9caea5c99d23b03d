/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The execute stage: copy bytes between frame and heap, as planned. */
#ifndef XRDMA_RESPONDER_EXECUTE_BPF_H
#define XRDMA_RESPONDER_EXECUTE_BPF_H

#include "memory/atomic.bpf.h"
#include "responder/grh.bpf.h"
#include "responder/read.bpf.h"

/*
 * Execute a READ or an atomic, if its response fits into the frame, or is pending. Set *ORIGINAL to
 * the former value of the word of an atomic, now or, for a duplicate, at the first execution. The
 * data of a READ are read later, when the response is written.
 */
static __always_inline enum xrdma_verdict
xrdma_execute_rd_atomic(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_plan *plan,
			const struct xrdma_plan_rows *rows, __u64 *original)
{
	bool pending = XRDMA_HAS_SENDER && plan->pending;

	if (!pending && !xrdma_response_make_room(ctx, pkt))
		return XRDMA_HAS_SENDER ? XRDMA_V_ROOM : XRDMA_V_DEFERRED;
	if (rows->again) {
		*original = XRDMA_READ(rows->again->original);
		return XRDMA_V_DUPLICATE;
	}
	return pkt->info.op == XRDMA_OP_READ ? XRDMA_V_OK
					     : xrdma_atomic(pkt, &rows->chunk, original);
}

/* Return the verdict on PKT, whose memory the application has removed since the check. */
static __always_inline enum xrdma_verdict xrdma_memory_lost(const struct xrdma_pkt *pkt)
{
	switch (pkt->info.op) {
	case XRDMA_OP_WRITE:
		return XRDMA_V_HEAP;
	case XRDMA_OP_SEND:
		return XRDMA_V_RECV_KEY;
	default:
		return XRDMA_V_RESPONSE_KEY;
	}
}

/* Store the result of an atomic in the payload, in the byte order of this machine. */
static __always_inline bool xrdma_original_to_payload(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						      const struct xrdma_plan *plan)
{
	__u64 original = pkt->original;

	return xrdma_frame_store(ctx, plan->transfer.at, &original, sizeof(original));
}

/* Copy the payload of PKT, a datagram, and the bytes before it to its receive. */
static __always_inline enum xrdma_verdict
xrdma_execute_datagram(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_target *to,
		       const struct xrdma_plan *plan, const struct xrdma_plan_rows *rows)
{
	bool is_moved;

	if (!xrdma_grh_write(ctx))
		return XRDMA_V_ROOM;
	is_moved = xrdma_transfer_move(ctx, XRDMA_INTO_HEAP, to, &plan->transfer, &rows->chunk);
	if (pkt->super_came && !xrdma_grh_restore(ctx))
		return XRDMA_V_ROOM;
	return is_moved ? XRDMA_V_OK : xrdma_memory_lost(pkt);
}

/* Execute PKT, which was checked. *ORIGINAL becomes the result of an atomic. */
static __always_inline enum xrdma_verdict
xrdma_execute(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_target *to,
	      const struct xrdma_plan *plan, const struct xrdma_plan_rows *rows, __u64 *original)
{
	if (xrdma_op_is_rd_atomic(pkt->info.op))
		return xrdma_execute_rd_atomic(ctx, pkt, plan, rows, original);
	if (pkt->info.op == XRDMA_OP_ATOMIC_ACK && !xrdma_original_to_payload(ctx, pkt, plan))
		return XRDMA_V_RESPONSE_BAD;
	if (pkt->info.headers & XRDMA_HDR_DETH)
		return xrdma_execute_datagram(ctx, pkt, to, plan, rows);
	return xrdma_transfer_move(ctx, XRDMA_INTO_HEAP, to, &plan->transfer, &rows->chunk)
		       ? XRDMA_V_OK
		       : xrdma_memory_lost(pkt);
}

#endif

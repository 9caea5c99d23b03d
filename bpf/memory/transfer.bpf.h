/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a packet carries, and the memory for it: all of that is checked before the first byte moves.
 * Almost always it is one chunk, which the check has found; else it is walked over.
 */
#ifndef XRDMA_MEMORY_TRANSFER_BPF_H
#define XRDMA_MEMORY_TRANSFER_BPF_H

#include "obj/plan.bpf.h"
#include "arrive/steer.bpf.h"
#include "memory/place.bpf.h"
#include "memory/walk.h"

/* A segment takes one, and one more where it passes from one element into the next. */
enum { XRDMA_WALK_STEPS = 2 * XRDMA_RECV_SGE_MAX };

/* As xrdma_walk_step(). */
XRDMA_VERIFIED_ONCE int xrdma_walk_next(struct xrdma_walk *walk)
{
	return walk ? xrdma_walk_step(walk) : XRDMA_V_HEAP;
}

static __always_inline bool xrdma_chunk_go(xrdma_ctx *ctx, __u32 move,
					   const struct xrdma_chunk *chunk, __u32 frame_at)
{
	switch (move) {
	case XRDMA_INTO_HEAP:
		return xrdma_chunk_store(ctx, chunk->element, chunk->at, frame_at, chunk->len);
	case XRDMA_OUT_OF_HEAP:
		return xrdma_chunk_load(ctx, chunk->element, chunk->at, frame_at, chunk->len);
	default:
		return true;
	}
}

/* Go all of WALK, whose bytes are in the frame from FRAME_AT on. MOVE: enum xrdma_move. */
XRDMA_VERIFIED_ONCE int xrdma_walk_move(xrdma_ctx *ctx, __u32 move, struct xrdma_walk *walk,
					__u32 frame_at)
{
	struct xrdma_chunk chunk;
	int verdict;

	if (!walk)
		return XRDMA_V_HEAP;
	for (int i = 0; i < XRDMA_WALK_STEPS && walk->left; i++) {
		verdict = xrdma_walk_next(walk);
		if (verdict != XRDMA_V_OK)
			return verdict;
		if (!walk->len)
			continue;
		if (!xrdma_heap_at(&walk->space, walk->heap_at, walk->len, &chunk))
			return XRDMA_V_HEAP;
		if (!xrdma_chunk_go(ctx, move, &chunk, frame_at))
			return XRDMA_V_TRUNCATED;
		frame_at = xrdma_unknown(frame_at + walk->len);
		move = xrdma_unknown(move);
	}
	return walk->left ? XRDMA_V_RECV_LENGTH : XRDMA_V_OK;
}

static __always_inline enum xrdma_verdict xrdma_transfer_walk(xrdma_ctx *ctx, enum xrdma_move move,
							      const struct xrdma_target *to,
							      const struct xrdma_transfer *transfer)
{
	struct xrdma_walk walk = {
		.space = to->space,
		.sges = transfer->sges,
		.access = { .pd = to->pd, .qpn = to->qpn, .rights = transfer->rights },
		.skip = transfer->skip,
		.left = transfer->len,
	};

	return xrdma_walk_move(ctx, move, &walk, transfer->at);
}

/*
 * Whether all of a transfer is in CHUNK, and not near its element's end: almost always.
 */
static __always_inline bool xrdma_transfer_is_plain(const struct xrdma_transfer *transfer,
						    const struct xrdma_chunk *chunk)
{
	return chunk->element && chunk->len == transfer->len &&
	       chunk->at <= XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX;
}

/*
 * XRDMA_V_OK: ACCESS, of which the transfer is the beginning, is allowed, and all of its memory is
 * there, of which CHUNK is the first.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check(xrdma_ctx *ctx, const struct xrdma_target *to,
		     const struct xrdma_access *access, const struct xrdma_transfer *transfer,
		     struct xrdma_chunk *chunk)
{
	enum xrdma_verdict verdict;
	__u64 heap_at;

	verdict = xrdma_translate(&to->space, access, &heap_at);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_heap_at(&to->space, heap_at, xrdma_piece(heap_at, transfer->len), chunk))
		return XRDMA_V_HEAP;
	if (xrdma_transfer_is_plain(transfer, chunk))
		return XRDMA_V_OK;
	return xrdma_transfer_walk(ctx, XRDMA_NOWHERE, to, transfer);
}

/*
 * The same for what a list of data segments names: almost always the first is long enough.
 * XRDMA_V_RECV_LENGTH: all of them are not.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check_list(xrdma_ctx *ctx, const struct xrdma_target *to,
			  const struct xrdma_transfer *transfer, struct xrdma_chunk *chunk)
{
	struct xrdma_access access = {
		.pd = to->pd,
		.qpn = to->qpn,
		.rights = transfer->rights,
		.len = transfer->len,
	};
	struct xrdma_sge sge;

	if (!transfer->len)
		return XRDMA_V_OK;
	if (!xrdma_sge_at(&to->space, &transfer->sges, 0, &sge))
		return XRDMA_V_RECV_LENGTH;
	if ((__u64)transfer->skip + transfer->len > sge.length)
		return xrdma_transfer_walk(ctx, XRDMA_NOWHERE, to, transfer);
	access.key = sge.lkey;
	access.va = sge.addr + transfer->skip;
	return xrdma_transfer_check(ctx, to, &access, transfer, chunk);
}

/* Move what was checked. False: something took its memory away since. */
static __always_inline bool xrdma_transfer_move(xrdma_ctx *ctx, enum xrdma_move move,
						const struct xrdma_target *to,
						const struct xrdma_transfer *transfer,
						const struct xrdma_chunk *chunk)
{
	if (!transfer->len)
		return true;
	if (!xrdma_transfer_is_plain(transfer, chunk))
		return xrdma_transfer_walk(ctx, move, to, transfer) == XRDMA_V_OK;
	if (move == XRDMA_OUT_OF_HEAP)
		return xrdma_chunk_load(ctx, chunk->element, chunk->at, transfer->at, chunk->len);
	return xrdma_copy_words(ctx, move, chunk, transfer->at) ||
	       xrdma_copy(ctx, move, chunk, transfer->at);
}

#endif

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

/* A segment takes one, and one to pass it. */
enum { XRDMA_WALK_CHECKS = 2 * XRDMA_RECV_SGE_MAX };

/* Entries of an mkey may have a byte each. */
enum { XRDMA_WALK_STEPS = XRDMA_MTU_MAX + XRDMA_RECV_SGE_MAX };

/* As xrdma_walk_check_step(). */
XRDMA_VERIFIED_ONCE int xrdma_walk_check_next(struct xrdma_walk *walk)
{
	return walk ? xrdma_walk_check_step(walk) : XRDMA_V_HEAP;
}

/* As xrdma_walk_step(). */
XRDMA_VERIFIED_ONCE int xrdma_walk_next(struct xrdma_walk *walk)
{
	return walk ? xrdma_walk_step(walk) : XRDMA_V_HEAP;
}

/* Whether all of WALK is allowed, and there. */
XRDMA_VERIFIED_ONCE int xrdma_walk_check(struct xrdma_walk *walk)
{
	int verdict = XRDMA_V_OK;

	if (!walk)
		return XRDMA_V_HEAP;
	for (int i = 0; i < XRDMA_WALK_CHECKS && walk->left && verdict == XRDMA_V_OK; i++)
		verdict = xrdma_walk_check_next(walk);
	return verdict == XRDMA_V_OK && walk->left ? XRDMA_V_RECV_LENGTH : verdict;
}

/* Bytes that move, one step of the walk after the other. */
struct xrdma_moving {
	xrdma_ctx *ctx;
	struct xrdma_walk *walk;
	__u32 move; /* enum xrdma_move */
	__u32 frame_at;
};

static __always_inline bool xrdma_chunk_go(xrdma_ctx *ctx, __u32 move,
					   const struct xrdma_chunk *chunk, __u32 frame_at)
{
	return move == XRDMA_OUT_OF_HEAP
		       ? xrdma_chunk_load(ctx, chunk->element, chunk->at, frame_at, chunk->len)
		       : xrdma_chunk_store(ctx, chunk->element, chunk->at, frame_at, chunk->len);
}

/* One step, as bpf_loop() wants it. Returns 0 to go on. */
static long xrdma_move_step(__u64 index, void *data)
{
	struct xrdma_moving *moving = data;
	struct xrdma_walk *walk = moving->walk;
	struct xrdma_chunk chunk;

	(void)index;
	if (!walk->left || xrdma_walk_next(walk) != XRDMA_V_OK)
		return 1;
	if (!walk->len)
		return 0;
	if (!xrdma_heap_at(&walk->to.space, walk->heap_at, walk->len, &chunk) ||
	    !xrdma_chunk_go(moving->ctx, moving->move, &chunk, moving->frame_at)) {
		walk->left += walk->len;
		return 1;
	}
	moving->frame_at = xrdma_unknown(moving->frame_at + walk->len);
	return 0;
}

/* It is too long for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_walk);
} xrdma_walks SEC(".maps");

/* A walk over the LEN bytes that begin with a transfer's; one at a time. */
static __always_inline struct xrdma_walk *
xrdma_walk_start(const struct xrdma_target *to, const struct xrdma_transfer *transfer, __u32 len)
{
	__u32 zero = 0;
	struct xrdma_walk *walk = bpf_map_lookup_elem(&xrdma_walks, &zero);

	if (!walk)
		return NULL;
	walk->to.space = to->space;
	walk->to.access.pd = to->pd;
	walk->to.access.qpn = to->qpn;
	walk->to.access.rights = transfer->rights;
	walk->sges = transfer->sges;
	walk->number = 0;
	walk->skip = transfer->skip;
	walk->left = len;
	return walk;
}

/* Whether the LEN bytes that begin with a transfer's are allowed, and there. */
static __always_inline enum xrdma_verdict
xrdma_transfer_check_walk(const struct xrdma_target *to, const struct xrdma_transfer *transfer,
			  __u32 len)
{
	return xrdma_walk_check(xrdma_walk_start(to, transfer, len));
}

static __always_inline bool xrdma_transfer_move_walk(xrdma_ctx *ctx, enum xrdma_move move,
						     const struct xrdma_target *to,
						     const struct xrdma_transfer *transfer)
{
	struct xrdma_walk *walk = xrdma_walk_start(to, transfer, transfer->len);
	struct xrdma_moving moving = { ctx, walk, move, transfer->at };

	if (!walk)
		return false;
	bpf_loop(XRDMA_WALK_STEPS, xrdma_move_step, &moving, 0);
	return !walk->left;
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

/* The same of ACCESS under an mkey: one entry may have all of the transfer. */
static __always_inline enum xrdma_verdict
xrdma_transfer_check_mkey(const struct xrdma_target *to, const struct xrdma_access *access,
			  const struct xrdma_transfer *transfer, struct xrdma_chunk *chunk)
{
	struct xrdma_walk *walk = xrdma_walk_start(to, transfer, transfer->len);
	enum xrdma_verdict verdict = xrdma_walk_next(walk);

	if (!walk || verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_heap_at(&to->space, walk->heap_at, walk->len, chunk))
		return XRDMA_V_HEAP;
	if (walk->len == access->len)
		return XRDMA_V_OK;
	return xrdma_transfer_check_walk(to, transfer, access->len);
}

/*
 * XRDMA_V_OK: ACCESS, of which the transfer is the beginning, is allowed, and all of its memory is
 * there, of which CHUNK is the first.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check(const struct xrdma_target *to, const struct xrdma_access *access,
		     const struct xrdma_transfer *transfer, struct xrdma_chunk *chunk)
{
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&to->space, access->key);
	enum xrdma_verdict verdict;
	__u64 heap_at;

	verdict = row ? xrdma_access_check(row, access, &heap_at) : XRDMA_V_KEY;
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return xrdma_transfer_check_mkey(to, access, transfer, chunk);
	if (!xrdma_heap_at(&to->space, heap_at, xrdma_piece(heap_at, transfer->len), chunk))
		return XRDMA_V_HEAP;
	if (xrdma_transfer_is_plain(transfer, chunk))
		return XRDMA_V_OK;
	return xrdma_transfer_check_walk(to, transfer, transfer->len);
}

/*
 * The same for what a list of data segments names: almost always the first is long enough.
 * XRDMA_V_RECV_LENGTH: all of them are not.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check_list(const struct xrdma_target *to, const struct xrdma_transfer *transfer,
			  struct xrdma_chunk *chunk)
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
		return xrdma_transfer_check_walk(to, transfer, transfer->len);
	access.key = sge.lkey;
	access.va = sge.addr + transfer->skip;
	return xrdma_transfer_check(to, &access, transfer, chunk);
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
		return xrdma_transfer_move_walk(ctx, move, to, transfer);
	if (move == XRDMA_OUT_OF_HEAP)
		return xrdma_chunk_load(ctx, chunk->element, chunk->at, transfer->at, chunk->len);
	return xrdma_copy_words(ctx, move, chunk, transfer->at) ||
	       xrdma_copy(ctx, move, chunk, transfer->at);
}

#endif

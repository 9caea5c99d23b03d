/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Transfers: the payload of a packet, and the memory for it. All of it is checked before the first
 * byte is copied. Nearly all transfers are one chunk, found by the check; others need a walk.
 */
#ifndef XRDMA_MEMORY_TRANSFER_BPF_H
#define XRDMA_MEMORY_TRANSFER_BPF_H

#include "obj/plan.bpf.h"
#include "arrive/steer.bpf.h"
#include "memory/place.bpf.h"
#include "memory/walk.h"

/* Limits of a walk. Entries of an mkey may have a byte each, and each segment is entered. */
enum { XRDMA_WALK_STEPS = XRDMA_PLACE_MAX + XRDMA_RECV_SGE_MAX, XRDMA_STEP_PIECES = 4 };

/* Per-CPU storage for a walk, which is too long for the stack. A run makes one walk at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_walk);
} xrdma_walks SEC(".maps");

static __always_inline struct xrdma_walk *xrdma_walk_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&xrdma_walks, &zero);
}

/* Begin a walk over LEN bytes from the start of a transfer. Returns NULL if there is no room. */
static __always_inline struct xrdma_walk *
xrdma_walk_start(const struct xrdma_target *to, const struct xrdma_transfer *transfer, __u32 len)
{
	struct xrdma_walk *walk = xrdma_walk_of_cpu();

	if (!walk)
		return NULL;
	walk->sges = transfer->sges;
	walk->number = 0;
	walk->skip = transfer->skip;
	walk->left = len;
	walk->here = 0;
	walk->to.space = to->space;
	walk->to.access.pd = to->pd;
	walk->to.access.qpn = to->qpn;
	walk->to.access.rights = transfer->rights;
	walk->to.is_paged = 0;
	return walk;
}

/* Call xrdma_walk_enter() as a function that is verified once. */
XRDMA_VERIFIED_ONCE int xrdma_walk_enter_next(struct xrdma_walk *walk)
{
	return walk ? xrdma_walk_enter(walk) : XRDMA_V_HEAP;
}

/* Returns whether the rest of WALK, which has entered its first segment, is allowed and exists. */
XRDMA_VERIFIED_ONCE int xrdma_walk_check_rest(struct xrdma_walk *walk)
{
	int verdict = XRDMA_V_OK;

	if (!walk)
		return XRDMA_V_HEAP;
	for (int i = 0; i < XRDMA_RECV_SGE_MAX && verdict == XRDMA_V_OK; i++) {
		xrdma_walk_pass(walk);
		if (!walk->left)
			return XRDMA_V_OK;
		verdict = xrdma_walk_enter_next(walk);
	}
	return verdict == XRDMA_V_OK ? XRDMA_V_RECV_LENGTH : verdict;
}

/* Copying along a walk, range by range. */
struct xrdma_moving {
	xrdma_ctx *ctx;
	struct xrdma_walk *walk;
	__u32 move; /* enum xrdma_direction */
};

static __always_inline bool xrdma_chunk_go(xrdma_ctx *ctx, __u32 move,
					   const struct xrdma_chunk *chunk, __u32 frame_at)
{
	return move == XRDMA_OUT_OF_HEAP
		       ? xrdma_chunk_load(ctx, chunk->element, chunk->at, frame_at, chunk->len)
		       : xrdma_chunk_store(ctx, chunk->element, chunk->at, frame_at, chunk->len);
}

/* Callback for bpf_loop(): enter a segment, and copy some ranges. Returns 0 to continue. */
static long xrdma_move_step(__u64 index, void *data)
{
	struct xrdma_moving *moving = data;
	struct xrdma_walk *walk = moving->walk;
	struct xrdma_heap_element *element = NULL;
	__u64 heap_at, number, last = 0;
	__u32 frame_at;

	(void)index;
	if (!walk->here && xrdma_walk_enter_next(walk) != XRDMA_V_OK)
		return 1;
	for (int i = 0; i < XRDMA_STEP_PIECES && walk->here; i++) {
		struct xrdma_chunk chunk;

		frame_at = walk->frame_at;
		chunk.len = xrdma_walk_take(walk, &heap_at);
		walk->frame_at = frame_at + chunk.len;
		heap_at = xrdma_heap_find(&walk->to.space, heap_at);
		number = heap_at >> XRDMA_HEAP_SHIFT;
		if (!element || number != last)
			element = xrdma_heap_element(&walk->to.space, number);
		last = number;
		chunk.element = element;
		chunk.at = heap_at & (XRDMA_HEAP_ELEMENT - 1);
		if (!element || !xrdma_chunk_go(moving->ctx, moving->move, &chunk, frame_at)) {
			walk->left = 1; /* not all is copied */
			return 1;
		}
	}
	return !walk->left;
}

/* Copy all of WALK. Returns whether that succeeded. */
XRDMA_VERIFIED_ONCE int xrdma_walk_move(xrdma_ctx *ctx, struct xrdma_walk *walk, __u32 move)
{
	struct xrdma_moving moving = { ctx, walk, move };

	if (!walk)
		return false;
	bpf_loop(XRDMA_WALK_STEPS, xrdma_move_step, &moving, 0);
	return !walk->left;
}

static __always_inline bool xrdma_transfer_move_walk(xrdma_ctx *ctx, enum xrdma_direction move,
						     const struct xrdma_target *to,
						     const struct xrdma_transfer *transfer)
{
	struct xrdma_walk *walk = transfer->is_entered
					  ? xrdma_walk_of_cpu()
					  : xrdma_walk_start(to, transfer, transfer->len);

	if (!walk)
		return false;
	if (transfer->is_entered)
		walk->here = walk->left = transfer->len;
	walk->frame_at = transfer->at;
	return xrdma_walk_move(ctx, walk, move);
}

/* Returns whether a transfer is one CHUNK, not near the end of its element, as nearly all are. */
static __always_inline bool xrdma_transfer_is_plain(const struct xrdma_transfer *transfer,
						    const struct xrdma_chunk *chunk)
{
	return chunk->element && chunk->len == transfer->len &&
	       chunk->at <= XRDMA_HEAP_ELEMENT - XRDMA_PLACE_MAX;
}

/*
 * Callback for bpf_loop(): check ranges, and send notices for missing pages. Returns 0 to continue.
 */
static long xrdma_look_step(__u64 index, void *data)
{
	struct xrdma_walk *walk = *(struct xrdma_walk **)data;
	__u64 heap_at;
	__u32 len;

	(void)index;
	if (!walk->here && xrdma_walk_enter_next(walk) != XRDMA_V_OK)
		return 1;
	if (walk->here) {
		len = xrdma_walk_take(walk, &heap_at);
		if (!xrdma_heap_has(&walk->to.space, heap_at, len))
			walk->verdict = xrdma_heap_miss(&walk->to.space, heap_at, len);
	}
	return !walk->left;
}

/*
 * Returns whether all ranges of WALK, which is allowed, exist. The middle of scattered memory may
 * be missing.
 */
XRDMA_VERIFIED_ONCE int xrdma_walk_look(struct xrdma_walk *walk)
{
	if (!walk)
		return XRDMA_V_HEAP;
	walk->verdict = XRDMA_V_OK;
	bpf_loop(XRDMA_WALK_STEPS, xrdma_look_step, &walk, 0);
	return walk->verdict;
}

/*
 * Check LEN bytes from the start of a transfer: they must be allowed and exist. If they are in one
 * segment, the walk has entered it. If the transfer is contiguous, CHUNK is set.
 */
static __always_inline enum xrdma_verdict xrdma_transfer_check_walk(const struct xrdma_target *to,
								    struct xrdma_transfer *transfer,
								    __u32 len,
								    struct xrdma_chunk *chunk)
{
	struct xrdma_walk *walk = xrdma_walk_start(to, transfer, len);
	enum xrdma_verdict verdict = xrdma_walk_enter_next(walk);
	__u64 heap_at;

	chunk->element = NULL;
	chunk->len = 0;
	if (!walk || verdict != XRDMA_V_OK)
		return verdict;
	if (walk->here < len) {
		verdict = xrdma_walk_check_rest(walk);
	} else {
		transfer->is_entered = true;
		chunk->len = xrdma_translation_next(&walk->to, transfer->len, &heap_at);
		if (chunk->len == transfer->len &&
		    !xrdma_heap_at(&to->space, heap_at, transfer->len, chunk) && !walk->to.is_paged)
			verdict = XRDMA_V_HEAP;
	}
	if (verdict != XRDMA_V_OK || !walk->to.is_paged || chunk->element)
		return verdict;
	transfer->is_entered = false;
	return xrdma_walk_look(xrdma_walk_start(to, transfer, transfer->len));
}

/*
 * Check ACCESS, an access of one segment at the begin of a transfer. ROW is the row that may have
 * the key of ACCESS, or NULL. After XRDMA_V_OK, either CHUNK is the whole transfer, or *LEN bytes
 * need a walk. For an mkey *LEN is the length of the access, because its entries may differ.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check_plain(const struct xrdma_target *to, const struct xrdma_access *access,
			   const struct xrdma_mkey_row *row, const struct xrdma_transfer *transfer,
			   struct xrdma_chunk *chunk, __u32 *len)
{
	enum xrdma_verdict verdict;
	__u64 heap_at;
	__u32 piece;

	verdict = row ? xrdma_access_check(row, access, &heap_at) : XRDMA_V_KEY;
	*len = access->len;
	if (verdict != XRDMA_V_OK || !xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return verdict;
	piece = xrdma_contiguous(heap_at, transfer->len);
	if (!xrdma_heap_at(&to->space, heap_at, piece, chunk))
		return xrdma_heap_miss(&to->space, heap_at, piece);
	*len = xrdma_transfer_is_plain(transfer, chunk) ? 0 : transfer->len;
	return XRDMA_V_OK;
}

/*
 * Check ACCESS, which begins with the transfer. After XRDMA_V_OK, all of its memory exists, and
 * CHUNK is its first range, if the transfer is plain. If IN_ONE, it has one segment, and ROW is the
 * row that may have its key.
 */
static __always_inline enum xrdma_verdict
xrdma_transfer_check(const struct xrdma_target *to, const struct xrdma_access *access,
		     const struct xrdma_mkey_row *row, bool in_one, struct xrdma_transfer *transfer,
		     struct xrdma_chunk *chunk)
{
	__u32 len = transfer->len;
	enum xrdma_verdict verdict =
		in_one ? xrdma_transfer_check_plain(to, access, row, transfer, chunk, &len)
		       : XRDMA_V_OK;

	if (verdict != XRDMA_V_OK || !len)
		return verdict;
	return xrdma_transfer_check_walk(to, transfer, len, chunk);
}

/*
 * Check an access to a list of data segments. The first one is long enough in nearly all cases.
 * Returns XRDMA_V_RECV_LENGTH if the whole list is too short.
 */
static __always_inline enum xrdma_verdict xrdma_transfer_check_list(const struct xrdma_target *to,
								    struct xrdma_transfer *transfer,
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
	access.key = sge.lkey;
	access.va = sge.addr + transfer->skip;
	return xrdma_transfer_check(to, &access, xrdma_mkey_at(&to->space, access.key),
				    (__u64)transfer->skip + transfer->len <= sge.length, transfer,
				    chunk);
}

/* Copy a checked transfer. Returns false if its memory has been removed since. */
static __always_inline bool xrdma_transfer_move(xrdma_ctx *ctx, enum xrdma_direction move,
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

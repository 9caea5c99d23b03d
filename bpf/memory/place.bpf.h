/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Copy bytes between the frame and a chunk of the heap, directly. */
#ifndef XRDMA_MEMORY_PLACE_BPF_H
#define XRDMA_MEMORY_PLACE_BPF_H

#include "lib/bounds.bpf.h"
#include "obj/space.h"
#include "arrive/buffer.bpf.h"

enum {
	XRDMA_PLACE_WORDS = 256,			 /* bytes */
	XRDMA_PLACE_MAX = XRDMA_GRH_LEN + XRDMA_MTU_MAX, /* bytes */
};

/* Direction of a copy. It is a constant for the compiler, except in walks. */
enum xrdma_direction {
	XRDMA_INTO_HEAP,
	XRDMA_OUT_OF_HEAP,
};

static __always_inline bool xrdma_move_bytes(xrdma_ctx *ctx, enum xrdma_direction move,
					     __u32 frame_at, void *bytes, __u32 len)
{
	return move == XRDMA_OUT_OF_HEAP ? xrdma_frame_store(ctx, frame_at, bytes, len)
					 : xrdma_frame_load(ctx, frame_at, bytes, len);
}

static __always_inline bool xrdma_is_word(const struct xrdma_chunk *chunk)
{
	return chunk->len == sizeof(__u64) && !(chunk->at & (sizeof(__u64) - 1));
}

/*
 * Copy an aligned word by one store or load, in whatever place and buffers it is, so that other
 * users of the memory see it as a whole. The helper that loads bytes may write single bytes.
 */
static __noinline bool xrdma_copy_word(xrdma_ctx *ctx, enum xrdma_direction move,
				       const struct xrdma_chunk *chunk, __u32 frame_at)
{
	__u64 at = chunk->at & (XRDMA_HEAP_ELEMENT - sizeof(__u64)), word = 0;
	__u64 *memory = (void *)chunk->element->bytes + at;

	if (move == XRDMA_OUT_OF_HEAP) {
		word = XRDMA_READ(*memory);
		return xrdma_move_bytes(ctx, move, frame_at, &word, sizeof(word));
	}
	if (!xrdma_move_bytes(ctx, move, frame_at, &word, sizeof(word)))
		return false;
	XRDMA_WRITE(*memory, word);
	return true;
}

static __always_inline bool xrdma_copy(xrdma_ctx *ctx, enum xrdma_direction move,
				       const struct xrdma_chunk *chunk, __u32 frame_at)
{
	__u64 at = chunk->at, last = chunk->len - 1;

	if (xrdma_is_word(chunk))
		return xrdma_copy_word(ctx, move, chunk, frame_at);
	return XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_PLACE_MAX) &&
	       XRDMA_WITHIN(last, XRDMA_PLACE_MAX - 1) &&
	       xrdma_move_bytes(ctx, move, frame_at, chunk->element->bytes + at, last + 1);
}

/*
 * Copy SIZE bytes, which are whole words. Returns false if the packet does not have all of them in
 * its first buffer.
 */
static __always_inline bool xrdma_copy_unit(const struct xrdma_view *view,
					    enum xrdma_direction move, __u8 *packet, __u8 *memory,
					    int size)
{
	if ((void *)(packet + size) > view->limit)
		return false;
	for (int i = 0; i < size; i += sizeof(__u64))
		if (move == XRDMA_OUT_OF_HEAP)
			*(__u64 *)(packet + i) = *(const __u64 *)(memory + i);
		else
			*(__u64 *)(memory + i) = *(const __u64 *)(packet + i);
	return true;
}

/*
 * Copy a payload of a few words, if it is in the first buffer. A call of the helper takes longer.
 * If the length is odd, the last word overlaps the one before it.
 */
static __always_inline bool xrdma_copy_words(xrdma_ctx *ctx, enum xrdma_direction move,
					     const struct xrdma_chunk *chunk, __u32 frame_at)
{
	enum { WORD = sizeof(__u64), BLOCK = 4 * WORD };
	__u64 at = chunk->at, from = frame_at, len = chunk->len, done = 0, last;
	struct xrdma_view view = xrdma_view(ctx);
	__u8 *packet, *memory;

	if (!XRDMA_WITHIN(len, XRDMA_PLACE_WORDS) || !XRDMA_AT_LEAST(len, WORD) ||
	    !XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_PLACE_MAX) ||
	    !XRDMA_WITHIN(from, XRDMA_HEADERS_MAX + XRDMA_MTU_MAX))
		return false;
	packet = view.bytes + from;
	memory = chunk->element->bytes + at;
	last = XRDMA_OPAQUE(len - WORD); /* before the verifier learns more about LEN */
	for (; done < XRDMA_PLACE_WORDS && done + BLOCK <= len; done += BLOCK)
		if (!xrdma_copy_unit(&view, move, packet + done, memory + done, BLOCK))
			return false;
	for (int i = 0; i < BLOCK / WORD && done + WORD <= len; i++, done += WORD)
		if (!xrdma_copy_unit(&view, move, packet + done, memory + done, WORD))
			return false;
	if (done == len)
		return true;
	return xrdma_copy_unit(&view, move, packet + last, memory + last, WORD);
}

/*
 * Copy near the end of an element. The verifier cannot see that AT + LEN fits, but it can for each
 * power of two.
 */
static __always_inline bool xrdma_copy_to_end(xrdma_ctx *ctx, enum xrdma_direction move,
					      const struct xrdma_chunk *chunk, __u32 frame_at)
{
	__u32 at = chunk->at, left = xrdma_unknown(chunk->len);

	if (xrdma_is_word(chunk))
		return xrdma_copy_word(ctx, move, chunk, frame_at);
	for (__u32 size = XRDMA_MTU_MAX; size; size >>= 1) {
		if (left & size) {
			if (at > XRDMA_HEAP_ELEMENT - size ||
			    !xrdma_move_bytes(ctx, move, frame_at, chunk->element->bytes + at,
					      size))
				return false;
			at += size;
			frame_at += size;
		}
		at = xrdma_unknown(at);
		frame_at = xrdma_unknown(frame_at);
		left = xrdma_unknown(left);
	}
	return true;
}

static __always_inline bool xrdma_chunk_move(xrdma_ctx *ctx, enum xrdma_direction move,
					     const struct xrdma_chunk *chunk, __u32 frame_at)
{
	if (!chunk->element)
		return false;
	if (chunk->at > XRDMA_HEAP_ELEMENT - XRDMA_PLACE_MAX)
		return xrdma_copy_to_end(ctx, move, chunk, frame_at);
	return xrdma_copy_words(ctx, move, chunk, frame_at) ||
	       xrdma_copy(ctx, move, chunk, frame_at);
}

XRDMA_VERIFIED_ONCE int xrdma_chunk_store(xrdma_ctx *ctx, struct xrdma_heap_element *element,
					  __u32 at, __u32 frame_at, __u32 len)
{
	const struct xrdma_chunk chunk = { .element = element, .at = at, .len = len };

	return xrdma_chunk_move(ctx, XRDMA_INTO_HEAP, &chunk, frame_at);
}

XRDMA_VERIFIED_ONCE int xrdma_chunk_load(xrdma_ctx *ctx, struct xrdma_heap_element *element,
					 __u32 at, __u32 frame_at, __u32 len)
{
	const struct xrdma_chunk chunk = { .element = element, .at = at, .len = len };

	return xrdma_chunk_move(ctx, XRDMA_OUT_OF_HEAP, &chunk, frame_at);
}

#endif

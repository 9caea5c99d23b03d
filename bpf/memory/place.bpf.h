/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stage 4: the payload goes from the packet straight into the heap, or for a READ from there into
 * the packet.
 */
#ifndef XRDMA_MEMORY_PLACE_BPF_H
#define XRDMA_MEMORY_PLACE_BPF_H

#include "lib/bounds.bpf.h"
#include "arrive/steer.bpf.h"

enum { XRDMA_PLACE_WORDS = 128 }; /* bytes */

/* Which direction the bytes go: known when the program is compiled. */
enum xrdma_direction {
	XRDMA_INTO_HEAP,
	XRDMA_OUT_OF_HEAP,
};

/* The part of a payload that lies in one element of the heap. */
struct xrdma_chunk {
	struct xrdma_heap_element *element;
	__u32 at;   /* in the element */
	__u32 from; /* in the frame */
	__u32 len;
};

static __always_inline bool xrdma_move(struct xdp_md *xdp, enum xrdma_direction direction,
				       __u32 from, void *bytes, __u32 len)
{
	return !(direction == XRDMA_OUT_OF_HEAP ? bpf_xdp_store_bytes(xdp, from, bytes, len)
						: bpf_xdp_load_bytes(xdp, from, bytes, len));
}

static __always_inline bool xrdma_is_word(const struct xrdma_chunk *chunk)
{
	return chunk->len == sizeof(__u64) && !(chunk->at & (sizeof(__u64) - 1));
}

/*
 * An aligned word, by one store or load, wherever it lies and in however many buffers the packet
 * is: whoever uses the memory meanwhile sees it whole. bpf_xdp_load_bytes may write it byte by
 * byte.
 */
static __noinline bool xrdma_copy_word(struct xdp_md *xdp, enum xrdma_direction direction,
				       const struct xrdma_chunk *chunk)
{
	__u64 at = chunk->at & (XRDMA_HEAP_ELEMENT - sizeof(__u64)), word = 0;
	__u64 *memory = (void *)chunk->element->bytes + at;

	if (direction == XRDMA_OUT_OF_HEAP) {
		word = XRDMA_READ(*memory);
		return xrdma_move(xdp, direction, chunk->from, &word, sizeof(word));
	}
	if (!xrdma_move(xdp, direction, chunk->from, &word, sizeof(word)))
		return false;
	XRDMA_WRITE(*memory, word);
	return true;
}

static __always_inline bool xrdma_copy(struct xdp_md *xdp, enum xrdma_direction direction,
				       const struct xrdma_chunk *chunk)
{
	__u64 at = chunk->at, last = chunk->len - 1;

	if (xrdma_is_word(chunk))
		return xrdma_copy_word(xdp, direction, chunk);
	return XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX) &&
	       XRDMA_WITHIN(last, XRDMA_MTU_MAX - 1) &&
	       xrdma_move(xdp, direction, chunk->from, chunk->element->bytes + at, last + 1);
}

/*
 * A payload of a few words, as far as the packet is in one buffer. A call of bpf_xdp_load_bytes
 * takes longer.
 */
static __always_inline bool xrdma_copy_words(struct xdp_md *xdp, enum xrdma_direction direction,
					     const struct xrdma_chunk *chunk)
{
	const void *limit = (void *)(long)xdp->data_end;
	__u64 at = chunk->at, from = chunk->from, done = 0;
	__u8 *packet, *memory;

	if (chunk->len > XRDMA_PLACE_WORDS ||
	    !XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX) ||
	    !XRDMA_WITHIN(from, XRDMA_HEADERS_MAX))
		return false;
	packet = (void *)(long)xdp->data + from;
	memory = chunk->element->bytes + at;
	for (; done < XRDMA_PLACE_WORDS && done + sizeof(__u64) <= chunk->len;
	     done += sizeof(__u64)) {
		if ((void *)(packet + done + sizeof(__u64)) > limit)
			return false;
		if (direction == XRDMA_OUT_OF_HEAP)
			*(__u64 *)(packet + done) = *(const __u64 *)(memory + done);
		else
			*(__u64 *)(memory + done) = *(const __u64 *)(packet + done);
	}
	for (int i = 0; i < (int)sizeof(__u64) && done < chunk->len; i++, done++) {
		if ((void *)(packet + done + 1) > limit)
			return false;
		if (direction == XRDMA_OUT_OF_HEAP)
			packet[done] = memory[done];
		else
			memory[done] = packet[done];
	}
	return true;
}

/*
 * Near the end of an element the verifier cannot see that AT + LEN fits, but it can for each power
 * of two.
 */
static __noinline bool xrdma_copy_to_end(struct xdp_md *xdp, enum xrdma_direction direction,
					 const struct xrdma_chunk *chunk)
{
	__u32 at = chunk->at, from = chunk->from, left = xrdma_unknown(chunk->len);

	if (xrdma_is_word(chunk))
		return xrdma_copy_word(xdp, direction, chunk);
	for (__u32 size = XRDMA_MTU_MAX; size; size >>= 1) {
		if (left & size) {
			if (at > XRDMA_HEAP_ELEMENT - size ||
			    !xrdma_move(xdp, direction, from, chunk->element->bytes + at, size))
				return false;
			at += size;
			from += size;
		}
		at = xrdma_unknown(at);
		from = xrdma_unknown(from);
		left = xrdma_unknown(left);
	}
	return true;
}

static __always_inline struct xrdma_heap_element *xrdma_heap_element(void *heap, __u64 index)
{
	__u32 key = index;

	return index > 0xffffffff ? NULL : bpf_map_lookup_elem(heap, &key);
}

/* A payload that lies in two elements: both are there before the first byte is written. */
static __noinline enum xrdma_verdict xrdma_place_split(struct xdp_md *xdp,
						       enum xrdma_direction direction,
						       struct xrdma_chunk *chunk, void *heap,
						       __u64 next)
{
	struct xrdma_chunk rest = {
		.element = xrdma_heap_element(heap, next),
		.len = chunk->at + chunk->len - XRDMA_HEAP_ELEMENT,
	};

	if (!rest.element)
		return XRDMA_V_HEAP;
	chunk->len -= rest.len;
	rest.from = chunk->from + chunk->len;
	return xrdma_copy_to_end(xdp, direction, chunk) && xrdma_copy(xdp, direction, &rest)
		       ? XRDMA_V_OK
		       : XRDMA_V_TRUNCATED;
}

/* XRDMA_V_HEAP: nothing was written. */
static __always_inline enum xrdma_verdict xrdma_place_at(struct xdp_md *xdp,
							 enum xrdma_direction direction, __u32 slot,
							 const struct xrdma_span *to)
{
	__u64 index = to->heap_at >> XRDMA_HEAP_SHIFT;
	struct xrdma_chunk chunk = {
		.at = to->heap_at & (XRDMA_HEAP_ELEMENT - 1),
		.from = to->from,
		.len = to->len,
	};
	void *heap = bpf_map_lookup_elem(&xrdma_heaps, &slot);
	bool placed;

	if (!chunk.len)
		return XRDMA_V_OK;
	if (!heap)
		return XRDMA_V_HEAP;
	chunk.element = xrdma_heap_element(heap, index);
	if (!chunk.element)
		return XRDMA_V_HEAP;
	if (chunk.at + chunk.len > XRDMA_HEAP_ELEMENT)
		return xrdma_place_split(xdp, direction, &chunk, heap, index + 1);
	if (chunk.at <= XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX)
		placed = xrdma_copy_words(xdp, direction, &chunk) ||
			 xrdma_copy(xdp, direction, &chunk);
	else
		placed = xrdma_copy_to_end(xdp, direction, &chunk);
	return placed ? XRDMA_V_OK : XRDMA_V_TRUNCATED;
}

static __always_inline enum xrdma_verdict
xrdma_place(struct xdp_md *xdp, const struct xrdma_pkt *pkt, const struct xrdma_target *to)
{
	struct xrdma_span all = {
		.heap_at = pkt->heap_at,
		.from = pkt->payload_at,
		.len = pkt->payload_len,
	};

	return xrdma_place_at(xdp, XRDMA_INTO_HEAP, to->slot, &all);
}

#endif

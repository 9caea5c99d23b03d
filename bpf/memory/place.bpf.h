/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stage 4: the payload goes from the packet straight into the heap, or with a READ the other way. */
#ifndef XRDMA_MEMORY_PLACE_BPF_H
#define XRDMA_MEMORY_PLACE_BPF_H

#include "lib/bounds.bpf.h"
#include "arrive/steer.bpf.h"

enum { XRDMA_PLACE_WORDS = 128 }; /* bytes */

/* Which way the bytes go: known when the program is compiled. */
enum xrdma_way {
	XRDMA_INTO_HEAP,
	XRDMA_OUT_OF_HEAP,
};

/* The part of a payload that lies in one element of the heap. */
struct xrdma_piece {
	struct xrdma_heap_element *element;
	__u32 at;   /* in the element */
	__u32 from; /* in the frame */
	__u32 len;
};

static __always_inline bool xrdma_move(struct xdp_md *xdp, enum xrdma_way way, __u32 from,
				       void *bytes, __u32 len)
{
	return !(way == XRDMA_OUT_OF_HEAP ? bpf_xdp_store_bytes(xdp, from, bytes, len)
					  : bpf_xdp_load_bytes(xdp, from, bytes, len));
}

static __always_inline bool xrdma_is_word(const struct xrdma_piece *piece)
{
	return piece->len == sizeof(__u64) && !(piece->at & (sizeof(__u64) - 1));
}

/*
 * An aligned word, by one store or load, wherever it lies and in however many pieces the packet is: whoever uses the memory
 * meanwhile sees it whole. bpf_xdp_load_bytes may write it byte by byte.
 */
static __noinline bool xrdma_copy_word(struct xdp_md *xdp, enum xrdma_way way,
				       const struct xrdma_piece *piece)
{
	__u64 at = piece->at & (XRDMA_HEAP_ELEMENT - sizeof(__u64)), word = 0;
	__u64 *memory = (void *)piece->element->bytes + at;

	if (way == XRDMA_OUT_OF_HEAP) {
		word = XRDMA_READ(*memory);
		return xrdma_move(xdp, way, piece->from, &word, sizeof(word));
	}
	if (!xrdma_move(xdp, way, piece->from, &word, sizeof(word)))
		return false;
	XRDMA_WRITE(*memory, word);
	return true;
}

static __always_inline bool xrdma_copy(struct xdp_md *xdp, enum xrdma_way way,
				       const struct xrdma_piece *piece)
{
	__u64 at = piece->at, last = piece->len - 1;

	if (xrdma_is_word(piece))
		return xrdma_copy_word(xdp, way, piece);
	return XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX) &&
	       XRDMA_WITHIN(last, XRDMA_MTU_MAX - 1) &&
	       xrdma_move(xdp, way, piece->from, piece->element->bytes + at, last + 1);
}

/* A payload of a few words, as far as the packet is in one piece. A call of bpf_xdp_load_bytes takes longer. */
static __always_inline bool xrdma_copy_words(struct xdp_md *xdp, enum xrdma_way way,
					     const struct xrdma_piece *piece)
{
	const void *limit = (void *)(long)xdp->data_end;
	__u64 at = piece->at, from = piece->from, done = 0;
	__u8 *packet, *memory;

	if (piece->len > XRDMA_PLACE_WORDS ||
	    !XRDMA_WITHIN(at, XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX) ||
	    !XRDMA_WITHIN(from, XRDMA_HEADERS_MAX))
		return false;
	packet = (void *)(long)xdp->data + from;
	memory = piece->element->bytes + at;
	for (; done < XRDMA_PLACE_WORDS && done + sizeof(__u64) <= piece->len;
	     done += sizeof(__u64)) {
		if ((void *)(packet + done + sizeof(__u64)) > limit)
			return false;
		if (way == XRDMA_OUT_OF_HEAP)
			*(__u64 *)(packet + done) = *(const __u64 *)(memory + done);
		else
			*(__u64 *)(memory + done) = *(const __u64 *)(packet + done);
	}
	for (int i = 0; i < (int)sizeof(__u64) && done < piece->len; i++, done++) {
		if ((void *)(packet + done + 1) > limit)
			return false;
		if (way == XRDMA_OUT_OF_HEAP)
			packet[done] = memory[done];
		else
			memory[done] = packet[done];
	}
	return true;
}

/* Near the end of an element the verifier cannot see that AT + LEN fits, but it can for each power of two. */
static __noinline bool xrdma_copy_to_end(struct xdp_md *xdp, enum xrdma_way way,
					 const struct xrdma_piece *piece)
{
	__u32 at = piece->at, from = piece->from, left = xrdma_unknown(piece->len);

	if (xrdma_is_word(piece))
		return xrdma_copy_word(xdp, way, piece);
	for (__u32 size = XRDMA_MTU_MAX; size; size >>= 1) {
		if (left & size) {
			if (at > XRDMA_HEAP_ELEMENT - size ||
			    !xrdma_move(xdp, way, from, piece->element->bytes + at, size))
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
static __noinline enum xrdma_verdict xrdma_place_split(struct xdp_md *xdp, enum xrdma_way way,
						       struct xrdma_piece *piece, void *heap,
						       __u64 next)
{
	struct xrdma_piece rest = {
		.element = xrdma_heap_element(heap, next),
		.len = piece->at + piece->len - XRDMA_HEAP_ELEMENT,
	};

	if (!rest.element)
		return XRDMA_V_HEAP;
	piece->len -= rest.len;
	rest.from = piece->from + piece->len;
	return xrdma_copy_to_end(xdp, way, piece) && xrdma_copy(xdp, way, &rest)
		       ? XRDMA_V_OK
		       : XRDMA_V_TRUNCATED;
}

/* XRDMA_V_HEAP: nothing was written. */
static __always_inline enum xrdma_verdict xrdma_place_at(struct xdp_md *xdp, enum xrdma_way way,
							 __u32 slot, const struct xrdma_range *to)
{
	__u64 index = to->heap_at >> XRDMA_HEAP_SHIFT;
	struct xrdma_piece piece = {
		.at = to->heap_at & (XRDMA_HEAP_ELEMENT - 1),
		.from = to->from,
		.len = to->len,
	};
	void *heap = bpf_map_lookup_elem(&xrdma_heaps, &slot);
	bool placed;

	if (!piece.len)
		return XRDMA_V_OK;
	if (!heap)
		return XRDMA_V_HEAP;
	piece.element = xrdma_heap_element(heap, index);
	if (!piece.element)
		return XRDMA_V_HEAP;
	if (piece.at + piece.len > XRDMA_HEAP_ELEMENT)
		return xrdma_place_split(xdp, way, &piece, heap, index + 1);
	if (piece.at <= XRDMA_HEAP_ELEMENT - XRDMA_MTU_MAX)
		placed = xrdma_copy_words(xdp, way, &piece) || xrdma_copy(xdp, way, &piece);
	else
		placed = xrdma_copy_to_end(xdp, way, &piece);
	return placed ? XRDMA_V_OK : XRDMA_V_TRUNCATED;
}

static __always_inline enum xrdma_verdict
xrdma_place(struct xdp_md *xdp, const struct xrdma_pkt *pkt, const struct xrdma_target *to)
{
	struct xrdma_range all = {
		.heap_at = pkt->heap_at,
		.from = pkt->payload_at,
		.len = pkt->payload_len,
	};

	return xrdma_place_at(xdp, XRDMA_INTO_HEAP, to->slot, &all);
}

#endif

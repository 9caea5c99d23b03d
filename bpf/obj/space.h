/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A context's keys and heap, and the data segments that name memory by them, as translation sees
 * them; for both sides. Each has its own struct xrdma_space, of the keys and the heap; struct
 * xrdma_sges, a list of data segments; struct xrdma_chunk, LEN bytes of the heap that are in one
 * piece. And functions, of which none trusts what it is given:
 *
 * xrdma_sge_at(): data segment NUMBER. False: SGES has no such.
 * xrdma_mkey_at(): the row that KEY has if it is a key, or NULL.
 * xrdma_layout_at(): row ROW of the layouts, or NULL.
 * xrdma_heap_find(): where HEAP_AT is, which may be XRDMA_PAGED: an address that no heap has, if
 * its page is not there.
 * xrdma_heap_holds_all(): whether the heap has the LEN bytes at HEAP_AT, which is not XRDMA_PAGED.
 * xrdma_heap_has(): whether the heap has the LEN bytes at HEAP_AT, of which there is one. Of memory
 * that is XRDMA_PAGED those at its ends say so; whether the others are there turns out piece by
 * piece.
 * xrdma_heap_miss(): what becomes of an access to such bytes, that are not there: XRDMA_V_HEAP. In
 * the program, if the process may have memory for them, it is asked for that, and it is noted; here
 * it is XRDMA_V_FAULT then.
 * xrdma_piece(): how many of the LEN bytes at HEAP_AT are in one piece, if they are there.
 * xrdma_heap_at(): the LEN bytes at HEAP_AT, which are in one piece. False: the heap has them not.
 */
#ifndef XRDMA_OBJ_SPACE_H
#define XRDMA_OBJ_SPACE_H

#ifdef __bpf__
#include "obj/space.bpf.h"
#else
#include "obj/access.h"

struct xrdma_space {
	const struct xrdma_mkey_row *mkeys;
	const struct xrdma_layout_row *layouts;
	__u8 *heap;
	const __u64 *heap_sizes; /* bytes, of its parts */
	__u32 mkey_mask;
	__u32 layout_rows;
	__u64 missed; /* set by xrdma_heap_miss() when the process is to be asked for it */
};

struct xrdma_sges {
	const struct xrdma_sge *list;
	__u32 count;
};

struct xrdma_chunk {
	__u8 *bytes;
	__u32 len;
};

static inline bool xrdma_sge_at(const struct xrdma_space *space, const struct xrdma_sges *sges,
				__u32 number, struct xrdma_sge *sge)
{
	(void)space;
	if (number >= sges->count)
		return false;
	*sge = sges->list[number];
	return true;
}

static inline const struct xrdma_mkey_row *xrdma_mkey_at(const struct xrdma_space *space, __u32 key)
{
	return &space->mkeys[xrdma_key_index(key, space->mkey_mask)];
}

static inline const struct xrdma_layout_row *xrdma_layout_at(const struct xrdma_space *space,
							     __u32 row)
{
	return row < space->layout_rows ? &space->layouts[row] : NULL;
}

static inline bool xrdma_heap_holds_all(const struct xrdma_space *space, __u64 heap_at, __u64 len)
{
	const __u64 in_part = (1ULL << XRDMA_HEAP_PART_SHIFT) - 1, last = heap_at + len - 1;
	__u64 part = heap_at >> XRDMA_HEAP_PART_SHIFT;

	if (last < heap_at || last >= XRDMA_HEAP_MAX)
		return false;
	while (part < last >> XRDMA_HEAP_PART_SHIFT)
		if (XRDMA_OBSERVE(space->heap_sizes[part++]) <= in_part)
			return false;
	return (last & in_part) < XRDMA_OBSERVE(space->heap_sizes[part]);
}

/* Return the page table word of PAGED. */
static inline __u64 xrdma_page_word(const struct xrdma_space *space, __u64 paged)
{
	__u64 at = (paged & ~XRDMA_PAGED) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT;

	return xrdma_heap_holds_all(space, at, sizeof(__u64))
		       ? XRDMA_READ(*(__u64 *)(space->heap + at))
		       : XRDMA_PAGE_NONE;
}

static inline __u64 xrdma_heap_find(const struct xrdma_space *space, __u64 heap_at)
{
	if (!(heap_at & XRDMA_PAGED))
		return heap_at;
	return (xrdma_page_word(space, heap_at) & ~(XRDMA_PAGE - 1ULL)) |
	       (heap_at & (XRDMA_PAGE - 1));
}

static inline __u32 xrdma_piece(__u64 heap_at, __u32 len)
{
	const __u32 left = XRDMA_PAGE - (heap_at & (XRDMA_PAGE - 1));

	return heap_at & XRDMA_PAGED && len > left ? left : len;
}

/* Whether the first and the last byte of scattered memory exist. */
static inline bool xrdma_heap_has(const struct xrdma_space *space, __u64 heap_at, __u64 len)
{
	const __u64 last = heap_at + len - 1;

	if (!(heap_at & XRDMA_PAGED))
		return xrdma_heap_holds_all(space, heap_at, len);
	return last >= heap_at && xrdma_heap_holds_all(space, xrdma_heap_find(space, heap_at), 1) &&
	       xrdma_heap_holds_all(space, xrdma_heap_find(space, last), 1);
}

static inline bool xrdma_page_is_asked(struct xrdma_space *space, __u64 heap_at)
{
	if (!(heap_at & XRDMA_PAGED) || xrdma_page_word(space, heap_at) != XRDMA_PAGE_ASK)
		return false;
	space->missed = heap_at;
	return true;
}

static inline enum xrdma_verdict xrdma_heap_miss(struct xrdma_space *space, __u64 heap_at,
						 __u64 len)
{
	return xrdma_page_is_asked(space, heap_at) || xrdma_page_is_asked(space, heap_at + len - 1)
		       ? XRDMA_V_FAULT
		       : XRDMA_V_HEAP;
}

static inline bool xrdma_heap_at(const struct xrdma_space *space, __u64 heap_at, __u32 len,
				 struct xrdma_chunk *chunk)
{
	heap_at = xrdma_heap_find(space, heap_at);
	if (!xrdma_heap_holds_all(space, heap_at, len))
		return false;
	chunk->bytes = space->heap + heap_at;
	chunk->len = len;
	return true;
}
#endif

#endif

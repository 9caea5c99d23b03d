/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Keys, heap and data segments of a context, for the translation of addresses; for both sides. Each
 * side defines these structs: xrdma_space, the keys and the heap; xrdma_sges, a list of data
 * segments; xrdma_chunk, LEN contiguous bytes of the heap. Each side also defines these functions.
 * None of them trusts its arguments.
 *
 * xrdma_sge_at(): get data segment NUMBER. Returns false if SGES has none.
 *
 * xrdma_mkey_at(): return the row for KEY, or NULL.
 *
 * xrdma_layout_at(): return row ROW of the layouts, or NULL.
 *
 * xrdma_heap_find(): return the place of HEAP_AT, which may be XRDMA_PAGED. If its page is missing,
 * the result is an address that no heap has.
 *
 * xrdma_heap_holds_all(): whether the heap has the LEN bytes at HEAP_AT, which is not XRDMA_PAGED.
 *
 * xrdma_heap_has(): whether the heap has the LEN bytes at HEAP_AT; LEN is not 0. For XRDMA_PAGED
 * memory only the first and the last page are checked; the walk checks the others.
 *
 * xrdma_heap_miss(): return the verdict for an access to missing bytes, XRDMA_V_HEAP. If the
 * process may have memory for them, the program sends a notice and records that, and user space
 * returns XRDMA_V_FAULT.
 *
 * xrdma_contiguous(): return how many of the LEN bytes at HEAP_AT, which exist, are contiguous.
 *
 * xrdma_heap_at(): get the LEN contiguous bytes at HEAP_AT. Returns false if the heap does not have
 * them.
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
	const __u64 *heap_sizes; /* bytes of each arena */
	__u32 mkey_mask;
	__u32 layout_rows;
	__u64 missed; /* set by xrdma_heap_miss(): page that the process must bring */
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
	const __u64 in_arena = (1ULL << XRDMA_HEAP_ARENA_SHIFT) - 1, last = heap_at + len - 1;
	__u64 arena = heap_at >> XRDMA_HEAP_ARENA_SHIFT;

	if (last < heap_at || last >= XRDMA_HEAP_MAX)
		return false;
	while (arena < last >> XRDMA_HEAP_ARENA_SHIFT)
		if (XRDMA_OBSERVE(space->heap_sizes[arena++]) <= in_arena)
			return false;
	return (last & in_arena) < XRDMA_OBSERVE(space->heap_sizes[arena]);
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

static inline __u32 xrdma_contiguous(__u64 heap_at, __u32 len)
{
	const __u32 left = XRDMA_PAGE - (heap_at & (XRDMA_PAGE - 1));

	return heap_at & XRDMA_PAGED && len > left ? left : len;
}

/* Returns whether the first and the last byte of scattered memory exist. */
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

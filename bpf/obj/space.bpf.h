/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The XDP program's implementation of space.h: a context's tables, found by its slot. */
#ifndef XRDMA_OBJ_SPACE_BPF_H
#define XRDMA_OBJ_SPACE_BPF_H

#include "lib/bounds.bpf.h"
#include "lib/order.h"
#include "obj/access.h"
#include "obj/notice.bpf.h"

struct xrdma_space {
	__u32 slot;
	__u32 mkey_mask;
	__u32 qpn; /* and PSN of the packet: the process may be asked for its memory */
	__u32 psn;
};

/*
 * A list of data segments: COUNT rows of the context's segments from ROW on; or ONLY, if ROW is 0.
 */
struct xrdma_sges {
	struct xrdma_sge only;
	__u32 row;
	__u32 count;
};

/*
 * LEN bytes within an element of the heap. The verifier must see that they do not reach beyond it.
 */
struct xrdma_chunk {
	struct xrdma_heap_element *element;
	__u32 at; /* offset in the element */
	__u32 len;
};

static __always_inline bool xrdma_sge_at(const struct xrdma_space *space,
					 const struct xrdma_sges *sges, __u32 number,
					 struct xrdma_sge *sge)
{
	const struct xrdma_sge *row;

	if (!sges->count) {
		*sge = sges->only;
		return number == 0;
	}
	row = number < sges->count ? xrdma_row(&xrdma_segments, space->slot, sges->row + number)
				   : NULL;
	if (!row)
		return false;
	sge->addr = XRDMA_READ(row->addr);
	sge->length = XRDMA_READ(row->length);
	sge->lkey = XRDMA_READ(row->lkey);
	return true;
}

static __always_inline struct xrdma_mkey_row *xrdma_mkey_at(const struct xrdma_space *space,
							    __u32 key)
{
	return xrdma_row(&xrdma_mkeys, space->slot, xrdma_key_index(key, space->mkey_mask));
}

/*
 * Return the key for KEY, which a peer used at a queue pair of protection domain PD, and which no
 * row has. If it is a user key of PD, return the key of its row, else KEY.
 */
XRDMA_VERIFIED_ONCE __u32 xrdma_key_meant(__u32 slot, __u32 pd, __u32 key)
{
	const struct xrdma_user_key asked = { .pd = pd, .key = key };
	void *user_keys = bpf_map_lookup_elem(&xrdma_user_keys, &slot);
	const __u32 *meant = user_keys ? bpf_map_lookup_elem(user_keys, &asked) : NULL;

	return meant ? *meant : key;
}

static __always_inline const struct xrdma_layout_row *
xrdma_layout_at(const struct xrdma_space *space, __u32 row)
{
	return xrdma_row(&xrdma_layouts, space->slot, row);
}

/* Return element NUMBER of the heap, or NULL. */
static __always_inline struct xrdma_heap_element *
xrdma_heap_element(const struct xrdma_space *space, __u64 number)
{
	const __u32 shift = XRDMA_HEAP_ARENA_SHIFT - XRDMA_HEAP_SHIFT, mask = (1 << shift) - 1;

	if (number >> shift >= XRDMA_HEAP_ARENAS)
		return NULL;
	return xrdma_row(&xrdma_heaps, space->slot * XRDMA_HEAP_ARENAS + (number >> shift),
			 number & mask);
}

/* Return the page table word of PAGED, an address in the context of SLOT. */
XRDMA_VERIFIED_ONCE __u64 xrdma_page_word(__u32 slot, __u64 paged)
{
	const struct xrdma_space space = { .slot = slot };
	__u64 at = (paged & ~XRDMA_PAGED) >> XRDMA_PAGE_SHIFT << XRDMA_PAGE_WORD_SHIFT;
	const struct xrdma_heap_element *element =
		xrdma_heap_element(&space, at >> XRDMA_HEAP_SHIFT);
	const __u64 *word;

	if (!element)
		return XRDMA_PAGE_NONE;
	word = (const void *)element->bytes + (at & (XRDMA_HEAP_ELEMENT - sizeof(*word)));
	return XRDMA_READ(*word);
}

/*
 * Number (xrdma_missed_by()) of the last packet on this CPU that missed pages and caused a
 * notice, or 0. The current packet has missed a page only if the number is its own.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} xrdma_missed SEC(".maps");

static __always_inline __u64 xrdma_missed_by(__u32 qpn, __u32 psn)
{
	return 1ULL << 63 | (__u64)qpn << 32 | psn;
}

/* Send a notice for the page in NOTICE, if the process may have memory for it. */
static __always_inline void xrdma_page_miss(__u32 slot, struct xrdma_notice *notice)
{
	__u32 zero = 0;
	__u64 *missed = bpf_map_lookup_elem(&xrdma_missed, &zero);

	if (!(notice->data & XRDMA_PAGED) ||
	    xrdma_page_word(slot, notice->data) != XRDMA_PAGE_ASK || !missed)
		return;
	*missed = xrdma_missed_by(notice->qpn, notice->psn);
	xrdma_notify(slot, notice);
}

/*
 * Send notices for the first and the last page of the LEN bytes at HEAP_AT, for packet PSN of queue
 * pair QPN.
 */
XRDMA_VERIFIED_ONCE int xrdma_pages_miss(__u32 slot, __u32 qpn, __u32 psn, __u64 heap_at, __u64 len)
{
	struct xrdma_notice notice = {
		.kind = XRDMA_NOTICE_MISSED,
		.qpn = qpn,
		.psn = psn,
		.data = heap_at,
	};

	xrdma_page_miss(slot, &notice);
	notice.data = heap_at + len - 1;
	if ((notice.data ^ heap_at) >> XRDMA_PAGE_SHIFT)
		xrdma_page_miss(slot, &notice);
	return 0;
}

static __always_inline enum xrdma_verdict xrdma_heap_miss(const struct xrdma_space *space,
							  __u64 heap_at, __u64 len)
{
	xrdma_pages_miss(space->slot, space->qpn, space->psn, heap_at, len);
	return XRDMA_V_HEAP;
}

static __always_inline __u64 xrdma_heap_find(const struct xrdma_space *space, __u64 heap_at)
{
	return __builtin_expect(!!(heap_at & XRDMA_PAGED), 0)
		       ? (xrdma_page_word(space->slot, heap_at) & ~(XRDMA_PAGE - 1ULL)) |
				 (heap_at & (XRDMA_PAGE - 1))
		       : heap_at;
}

/* Returns whether all elements of a contiguous range exist: they do if the last one does. */
static __always_inline bool xrdma_heap_holds_all(const struct xrdma_space *space, __u64 heap_at,
						 __u64 len)
{
	__u64 last = heap_at + len - 1;

	return last >= heap_at && xrdma_heap_element(space, last >> XRDMA_HEAP_SHIFT);
}

static __always_inline bool xrdma_heap_has(const struct xrdma_space *space, __u64 heap_at,
					   __u64 len)
{
	__u64 last = heap_at + len - 1;

	if (last < heap_at)
		return false;
	if (heap_at & XRDMA_PAGED &&
	    !xrdma_heap_element(space, xrdma_heap_find(space, heap_at) >> XRDMA_HEAP_SHIFT))
		return false;
	return xrdma_heap_element(space, xrdma_heap_find(space, last) >> XRDMA_HEAP_SHIFT);
}

static __always_inline __u32 xrdma_contiguous(__u64 heap_at, __u32 len)
{
	__u32 size = heap_at & XRDMA_PAGED ? XRDMA_PAGE : XRDMA_HEAP_ELEMENT;
	__u32 left = size - (heap_at & (size - 1));

	return len < left ? len : left;
}

static __always_inline bool xrdma_heap_at(const struct xrdma_space *space, __u64 heap_at, __u32 len,
					  struct xrdma_chunk *chunk)
{
	heap_at = xrdma_heap_find(space, heap_at);
	chunk->element = xrdma_heap_element(space, heap_at >> XRDMA_HEAP_SHIFT);
	chunk->at = heap_at & (XRDMA_HEAP_ELEMENT - 1);
	chunk->len = len;
	return chunk->element;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a key to memory; for both sides. The memory of a region or a window is one range of the
 * heap. The memory of an mkey is that of its layout's entries, one after the other, round after
 * round (mlx5dv_wr_mkey_configure(3)). The keys of the entries are looked up at each access. They
 * are keys of regions only, so no mkey leads to another.
 */
#ifndef XRDMA_MEMORY_LAYOUT_H
#define XRDMA_MEMORY_LAYOUT_H

#include "obj/space.h"
#include <xrdma/verdict.h>

#ifdef __bpf__
#include "lib/bounds.bpf.h"
#else
#define XRDMA_VERIFIED_ONCE static inline
#endif

/* Steps of the binary search for an entry. */
enum { XRDMA_LAYOUT_HALVINGS = 6 };
_Static_assert(1 << XRDMA_LAYOUT_HALVINGS == XRDMA_LAYOUT_ENTRIES_MAX, "one entry is left");

/*
 * Lower limit for the average length of repeated entries, in bytes. With one byte each, a packet
 * would take a program thousands of steps.
 */
enum { XRDMA_LAYOUT_AVERAGE_MIN = 4 };

/* Position of a byte in an mkey. */
struct xrdma_layout_position {
	__u64 round;
	__u64 at; /* in the round */
};

/* An entry that exists and allows the access. */
struct xrdma_placed_entry {
	__u64 heap_at; /* of its first byte, in round 0 */
	__u32 length;
	__u32 skip;
};

/* The region of the last entry. */
struct xrdma_entry_region {
	__u64 base;
	__u64 len;
	__u64 offset;
	__u32 key;
	__u32 known; /* 0: none yet */
};

/*
 * Translation of an access to memory. The access is checked as a whole, and then taken range by
 * range: AT, or BEGIN, NUMBER and BEHIND, point to the next range.
 */
struct xrdma_translation {
	struct xrdma_space space;
	struct xrdma_access access;
	__u64 at; /* address in the heap, or in the mkey */
	/* Fields of an mkey. A ROUND of 0 means that the access uses no mkey. */
	__u64 round;
	__u32 first;
	__u32 count;
	struct xrdma_layout_position begin, last;
	__u64 next_at; /* start of entry NEXT */
	__u32 next;
	__u32 number;
	__u32 behind;	/* bytes of entry NUMBER that are done */
	__u32 is_paged; /* some entry is XRDMA_PAGED */
	struct xrdma_entry_region region;
	struct xrdma_placed_entry entries[XRDMA_LAYOUT_ENTRIES_MAX]; /* entries of the access */
};

static __always_inline struct xrdma_layout_position
xrdma_layout_position(const struct xrdma_translation *t, __u64 offset)
{
	__u64 round = offset < t->round ? 0 : offset / t->round;

	return (struct xrdma_layout_position){ round, offset - round * t->round };
}

/* Find the last entry that begins at BEGIN or before it. */
XRDMA_VERIFIED_ONCE int xrdma_layout_seek(struct xrdma_translation *t)
{
	const struct xrdma_layout_row *row;
	__u32 count, half, number;
	__u64 at;

	if (!t)
		return XRDMA_V_LAYOUT;
	count = t->count;
	for (int i = 0; i < XRDMA_LAYOUT_HALVINGS && count > 1; i++) {
		half = count / 2;
		number = t->number + half;
		row = xrdma_layout_at(&t->space, t->first + number / XRDMA_LAYOUT_ROW);
		if (!row)
			return XRDMA_V_LAYOUT;
		at = XRDMA_READ(row->entries[number % XRDMA_LAYOUT_ROW].at);
		if (at <= t->begin.at) {
			t->number = number;
			t->next_at = at;
			count -= half;
		} else {
			count = half;
		}
	}
	return XRDMA_V_OK;
}

/*
 * Find the region with KEY, a local key. It must allow the process the access that the mkey allows
 * its user. All of it must exist, unless it is XRDMA_PAGED.
 */
XRDMA_VERIFIED_ONCE int xrdma_layout_enter(struct xrdma_translation *t, __u32 key)
{
	const __u32 changes = XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV | XRDMA_ACCESS_REMOTE_WRITE |
			      XRDMA_ACCESS_REMOTE_ATOMIC;
	const struct xrdma_mkey_row *row;
	struct xrdma_access access;

	if (!t)
		return XRDMA_V_LAYOUT;
	access = (struct xrdma_access){
		.key = key,
		.pd = t->access.pd,
		.qpn = t->access.qpn,
		.rights = XRDMA_ACCESS_LOCAL_READ |
			  (t->access.rights & changes ? XRDMA_ACCESS_LOCAL_WRITE : 0),
	};
	row = xrdma_mkey_at(&t->space, key);
	if (!row || xrdma_access_allowed(row, &access) != XRDMA_V_OK ||
	    !xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return XRDMA_V_LAYOUT_KEY;
	t->region.base = XRDMA_READ(row->base);
	t->region.len = XRDMA_READ(row->len);
	t->region.offset = XRDMA_READ(row->offset);
	t->region.key = key;
	t->region.known = 1;
	if (!(t->region.offset & XRDMA_PAGED))
		return xrdma_heap_holds_all(&t->space, t->region.offset, t->region.len)
			       ? XRDMA_V_OK
			       : XRDMA_V_HEAP;
	return xrdma_sum_leads_on(t->region.offset, t->region.offset + t->region.len)
		       ? XRDMA_V_OK
		       : XRDMA_V_LAYOUT_KEY;
}

/* Return the next entry. */
static __always_inline const struct xrdma_placed_entry *
xrdma_present_entry(const struct xrdma_translation *t)
{
	return &t->entries[t->number & (XRDMA_LAYOUT_ENTRIES_MAX - 1)];
}

/* Share of an access in an entry that begins at AT: from byte FROM in round FIRST up to byte TO. */
struct xrdma_slice {
	__u64 first, rounds; /* none, if ROUNDS is not more than FIRST */
	__u64 from, to;
};

static __always_inline struct xrdma_slice xrdma_layout_slice(const struct xrdma_translation *t,
							     __u64 at, __u32 length)
{
	struct xrdma_slice slice = { t->begin.round, t->last.round + 1, 0, length };

	if (at + length <= t->begin.at)
		slice.first++;
	else if (at < t->begin.at)
		slice.from = t->begin.at - at;
	if (at > t->last.at)
		slice.rounds--;
	else if (at + length > t->last.at)
		slice.to = t->last.at - at + 1;
	return slice;
}

/*
 * Check that ENTRY allows all of the access in it, in all rounds. It has NUMBER, and follows the
 * last one.
 */
static __always_inline enum xrdma_verdict
xrdma_layout_check_entry(struct xrdma_translation *t, const struct xrdma_layout_entry *entry,
			 __u32 number)
{
	struct xrdma_placed_entry *placed = &t->entries[number & (XRDMA_LAYOUT_ENTRIES_MAX - 1)];
	__u32 key = XRDMA_READ(entry->lkey), length = XRDMA_READ(entry->length);
	__u64 addr = XRDMA_READ(entry->addr), stride;
	struct xrdma_slice slice;
	int verdict;

	if (number >= t->count || !length || XRDMA_READ(entry->at) != t->next_at)
		return XRDMA_V_LAYOUT;
	if (!t->region.known || t->region.key != key) {
		verdict = xrdma_layout_enter(t, key);
		if (verdict != XRDMA_V_OK)
			return verdict;
	}
	placed->length = length;
	placed->skip = XRDMA_READ(entry->skip);
	placed->heap_at = t->region.offset + (addr - t->region.base);
	if (t->region.offset & XRDMA_PAGED)
		t->is_paged = 1;
	stride = (__u64)length + placed->skip;
	slice = xrdma_layout_slice(t, t->next_at, length);
	t->next_at += length;
	if (slice.first >= slice.rounds ||
	    xrdma_range_holds(t->region.base, t->region.len,
			      addr + slice.first * stride + slice.from,
			      (slice.rounds - 1 - slice.first) * stride + slice.to - slice.from))
		return XRDMA_V_OK;
	return XRDMA_V_LAYOUT_KEY;
}

/* Check the entries of a row, from the next entry on, up to byte END of the round. */
XRDMA_VERIFIED_ONCE int xrdma_layout_check_row(struct xrdma_translation *t, __u64 end)
{
	const struct xrdma_layout_row *row;
	int verdict = XRDMA_V_OK;
	__u32 number;

	if (!t)
		return XRDMA_V_LAYOUT;
	row = xrdma_layout_at(&t->space, t->first + t->next / XRDMA_LAYOUT_ROW);
	if (!row)
		return XRDMA_V_LAYOUT;
	for (int i = 0; i < XRDMA_LAYOUT_ROW && verdict == XRDMA_V_OK && t->next_at < end; i++) {
		number = t->next++;
		verdict = xrdma_layout_check_entry(t, &row->entries[number % XRDMA_LAYOUT_ROW],
						   number);
		if (t->next % XRDMA_LAYOUT_ROW == 0)
			break;
	}
	return verdict;
}

static __always_inline enum xrdma_verdict xrdma_layout_check_rows(struct xrdma_translation *t,
								  __u32 number, __u64 end)
{
	int verdict = XRDMA_V_OK;

	t->next = number;
	for (int i = 0; i < XRDMA_LAYOUT_ENTRIES_MAX / XRDMA_LAYOUT_ROW && t->next_at < end; i++) {
		verdict = xrdma_layout_check_row(t, end);
		if (verdict != XRDMA_V_OK)
			return verdict;
	}
	return t->next_at < end ? XRDMA_V_LAYOUT : XRDMA_V_OK;
}

/* Check all entries of the access; all entries of the layout, if the access has several rounds. */
static __always_inline enum xrdma_verdict xrdma_layout_check(struct xrdma_translation *t)
{
	int verdict;

	t->begin = xrdma_layout_position(t, t->at);
	t->last = xrdma_layout_position(t, t->begin.at + t->access.len - 1);
	t->last.round += t->begin.round;
	t->number = t->next_at = t->region.known = 0;
	if (t->begin.at && xrdma_layout_seek(t) != XRDMA_V_OK)
		return XRDMA_V_LAYOUT;
	t->behind = t->begin.at - t->next_at;
	if (t->begin.round == t->last.round) {
		verdict = xrdma_layout_check_rows(t, t->number, t->last.at + 1);
	} else if (t->round < t->count * XRDMA_LAYOUT_AVERAGE_MIN) {
		return XRDMA_V_LAYOUT;
	} else {
		t->next_at = 0;
		verdict = xrdma_layout_check_rows(t, 0, t->round);
	}
	if (verdict == XRDMA_V_OK && t->behind >= xrdma_present_entry(t)->length)
		verdict = XRDMA_V_LAYOUT;
	return verdict;
}

/* Translate the access that ROW, the row of an mkey, has allowed. */
static __always_inline enum xrdma_verdict xrdma_translate_mkey(struct xrdma_translation *t,
							       const struct xrdma_mkey_row *row)
{
	t->round = XRDMA_READ(row->round);
	t->first = XRDMA_READ(row->layout_first);
	t->count = XRDMA_READ(row->layout_count);
	if (!t->round || t->count - 1 >= XRDMA_LAYOUT_ENTRIES_MAX)
		return XRDMA_V_LAYOUT;
	return xrdma_layout_check(t);
}

/*
 * Translate an access of at least one byte. Returns XRDMA_V_OK if all of it is allowed and the
 * memory exists.
 */
static __always_inline enum xrdma_verdict xrdma_translate(struct xrdma_translation *t)
{
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&t->space, t->access.key);
	enum xrdma_verdict verdict =
		row ? xrdma_access_check(row, &t->access, &t->at) : XRDMA_V_KEY;

	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return XRDMA_READ(row->transform) ? XRDMA_V_TRANSFORM
						  : xrdma_translate_mkey(t, row);
	t->round = 0;
	return xrdma_heap_has(&t->space, t->at, t->access.len)
		       ? XRDMA_V_OK
		       : xrdma_heap_miss(&t->space, t->at, t->access.len);
}

/*
 * Return how many of up to MOST bytes of the checked access are contiguous, and their address in
 * *HEAP_AT.
 */
static __always_inline __u32 xrdma_translation_next(const struct xrdma_translation *t, __u32 most,
						    __u64 *heap_at)
{
	const struct xrdma_placed_entry *placed = xrdma_present_entry(t);

	*heap_at = t->at;
	if (t->round) {
		*heap_at = placed->heap_at + t->behind +
			   t->begin.round * ((__u64)placed->length + placed->skip);
		if (most > placed->length - t->behind)
			most = placed->length - t->behind;
	}
	return xrdma_contiguous(*heap_at, most);
}

/* Advance by LEN bytes within a range. */
static __always_inline void xrdma_translation_advance(struct xrdma_translation *t, __u32 len)
{
	t->at += len;
	t->behind += len;
	if (!t->round || t->behind < xrdma_present_entry(t)->length)
		return;
	t->behind = 0;
	if (++t->number == t->count) {
		t->number = 0;
		t->begin.round++;
	}
}

#endif

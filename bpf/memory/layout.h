/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a key to memory; for both sides. A region's or a window's is one piece of the heap. An
 * mkey's is what the entries of its layout name, one after the other, round after round
 * (mlx5dv_wr_mkey_configure(3)), by keys that are looked up at each access: of regions only, so
 * that no mkey leads to another.
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

/* Entries are looked for by halving. */
enum { XRDMA_LAYOUT_HALVINGS = 6 };
_Static_assert(1 << XRDMA_LAYOUT_HALVINGS == XRDMA_LAYOUT_ENTRIES_MAX, "one entry is left");

/* A byte of an mkey. */
struct xrdma_spot {
	__u64 round;
	__u64 at;     /* in that */
	__u32 number; /* of the entry that has it */
	__u32 reserved32;
};

/* An access, and the memory that it comes to. */
struct xrdma_translation {
	struct xrdma_space space;
	struct xrdma_access access;
	__u64 at; /* of the heap, or of the mkey */
	/* Of an mkey; a ROUND of 0: it is none. */
	__u64 round;
	__u32 first;
	__u32 count;
	struct xrdma_spot begin, last;
};

/* XRDMA_V_OK: the key allows the access. What it then comes to is looked at by the two below. */
static __always_inline enum xrdma_verdict xrdma_translate(struct xrdma_translation *t)
{
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&t->space, t->access.key);
	enum xrdma_verdict verdict =
		row ? xrdma_access_check(row, &t->access, &t->at) : XRDMA_V_KEY;

	if (verdict != XRDMA_V_OK)
		return verdict;
	t->round = 0;
	if (xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return XRDMA_V_OK;
	t->round = XRDMA_READ(row->round);
	t->first = XRDMA_READ(row->layout_first);
	t->count = XRDMA_READ(row->layout_count);
	return t->round && t->count - 1 < XRDMA_LAYOUT_ENTRIES_MAX ? XRDMA_V_OK : XRDMA_V_LAYOUT;
}

/* Find byte OFFSET of the mkey; whether there is such an entry is seen when it is read. */
XRDMA_VERIFIED_ONCE int xrdma_layout_seek(const struct xrdma_translation *t, __u64 offset,
					  struct xrdma_spot *spot)
{
	struct xrdma_layout_row entry;
	__u32 count, half;

	if (!t || !spot)
		return XRDMA_V_LAYOUT;
	spot->round = offset < t->round ? 0 : offset / t->round;
	spot->at = offset - spot->round * t->round;
	spot->number = 0;
	count = t->count;
	for (int i = 0; i < XRDMA_LAYOUT_HALVINGS && count > 1; i++) {
		half = count / 2;
		if (!xrdma_layout_at(&t->space, t->first + spot->number + half, &entry))
			return XRDMA_V_LAYOUT;
		if (entry.at <= spot->at) {
			spot->number += half;
			count -= half;
		} else {
			count = half;
		}
	}
	return XRDMA_V_OK;
}

/*
 * LEN bytes from VA on under the key of an entry, which is a local one: asked for what the process
 * must be allowed so that the mkey's user is.
 */
static __always_inline enum xrdma_verdict xrdma_layout_enter(const struct xrdma_translation *t,
							     __u32 key, __u64 va, __u64 len,
							     __u64 *heap_at)
{
	const __u32 changes =
		XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
	const struct xrdma_access access = {
		.key = key,
		.pd = t->access.pd,
		.qpn = t->access.qpn,
		.rights = XRDMA_ACCESS_LOCAL_READ |
			  (t->access.rights & changes ? XRDMA_ACCESS_LOCAL_WRITE : 0),
		.va = va,
		.len = len,
	};
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&t->space, key);

	if (!row || xrdma_access_check(row, &access, heap_at) != XRDMA_V_OK ||
	    !xrdma_mkey_is_direct(XRDMA_READ(row->kind)))
		return XRDMA_V_LAYOUT_KEY;
	return XRDMA_V_OK;
}

/* The first of the bytes that the access comes to: *LEN of them, from *HEAP_AT on. */
static __always_inline enum xrdma_verdict xrdma_translate_first(struct xrdma_translation *t,
								__u64 *heap_at, __u64 *len)
{
	struct xrdma_layout_row entry;
	enum xrdma_verdict verdict;
	__u64 behind;

	*heap_at = t->at;
	*len = t->access.len;
	if (!t->round)
		return XRDMA_V_OK;
	verdict = xrdma_layout_seek(t, t->at, &t->begin);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_layout_at(&t->space, t->first + t->begin.number, &entry))
		return XRDMA_V_LAYOUT;
	behind = t->begin.at - entry.at;
	if (behind >= entry.length)
		return XRDMA_V_LAYOUT;
	if (*len > entry.length - behind)
		*len = entry.length - behind;
	return xrdma_layout_enter(t, entry.lkey,
				  entry.addr + t->begin.round * ((__u64)entry.length + entry.skip) +
					  behind,
				  *len, heap_at);
}

/* Whether entry NUMBER allows all that the access has of it, in however many rounds. */
XRDMA_VERIFIED_ONCE int xrdma_layout_check_entry(const struct xrdma_translation *t, __u32 number)
{
	struct xrdma_layout_row entry;
	__u64 first, rounds, stride, from = 0, to, heap_at, len;
	enum xrdma_verdict verdict;

	if (!t || !xrdma_layout_at(&t->space, t->first + number, &entry) || !entry.length)
		return XRDMA_V_LAYOUT;
	first = t->begin.round;
	rounds = t->last.round + 1;
	to = entry.length;
	if (entry.at + entry.length <= t->begin.at)
		first++;
	else if (entry.at < t->begin.at)
		from = t->begin.at - entry.at;
	if (entry.at > t->last.at)
		rounds--;
	else if (entry.at + entry.length > t->last.at)
		to = t->last.at - entry.at + 1;
	if (first >= rounds)
		return XRDMA_V_OK;
	stride = (__u64)entry.length + entry.skip;
	len = (rounds - 1 - first) * stride + to - from;
	verdict = xrdma_layout_enter(t, entry.lkey, entry.addr + first * stride + from, len,
				     &heap_at);
	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_heap_has(&t->space, heap_at, len) ? XRDMA_V_OK : XRDMA_V_HEAP;
}

/* The same for all entries that it has something of. */
XRDMA_VERIFIED_ONCE int xrdma_layout_check(struct xrdma_translation *t)
{
	__u32 number = 0, end;
	int verdict;

	if (!t)
		return XRDMA_V_LAYOUT;
	end = t->count;
	verdict = xrdma_layout_seek(t, t->at, &t->begin);
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_layout_seek(t, t->at + t->access.len - 1, &t->last);
	if (verdict == XRDMA_V_OK && t->begin.round == t->last.round) {
		number = t->begin.number;
		end = t->last.number + 1;
	}
	for (int i = 0; i < XRDMA_LAYOUT_ENTRIES_MAX && verdict == XRDMA_V_OK && number < end; i++)
		verdict = xrdma_layout_check_entry(t, number++);
	return verdict;
}

/* XRDMA_V_OK: all of the access is allowed, and the memory is there. It has at least one byte. */
static __always_inline enum xrdma_verdict xrdma_translate_all(struct xrdma_translation *t)
{
	enum xrdma_verdict verdict = xrdma_translate(t);

	if (verdict != XRDMA_V_OK)
		return verdict;
	if (t->round)
		return xrdma_layout_check(t);
	return xrdma_heap_has(&t->space, t->at, t->access.len) ? XRDMA_V_OK : XRDMA_V_HEAP;
}

#endif

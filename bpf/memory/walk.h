/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From data segments to memory; for both sides. What a packet carries goes into or comes from the
 * memory that data segments name, and a walk goes over that. It is made twice: to check all of it
 * before the first byte moves, a segment a step; and to move it, each step within one segment, one
 * entry of an mkey and one piece of the heap.
 */
#ifndef XRDMA_MEMORY_WALK_H
#define XRDMA_MEMORY_WALK_H

#include "memory/layout.h"

struct xrdma_walk {
	struct xrdma_translation
		to; /* who asks for what; key and range are those of the last step */
	struct xrdma_sges sges;
	__u32 number;  /* of the data segment that the walk has come to */
	__u32 skip;    /* bytes of it, or of it and more, that are behind */
	__u32 left;    /* bytes before the walk */
	__u32 len;     /* bytes of the last step */
	__u64 heap_at; /* where they are, after xrdma_walk_step() */
};

/*
 * What the walk has of the segment that it has come to; no bytes, where that lies behind.
 * XRDMA_V_RECV_LENGTH: there are no more segments.
 */
static __always_inline enum xrdma_verdict xrdma_walk_enter(struct xrdma_walk *walk)
{
	struct xrdma_access *access = &walk->to.access;
	struct xrdma_sge sge;

	walk->len = 0;
	if (!xrdma_sge_at(&walk->to.space, &walk->sges, walk->number, &sge))
		return XRDMA_V_RECV_LENGTH;
	if (walk->skip >= sge.length) {
		walk->skip -= sge.length;
		walk->number++;
		access->len = 0;
		return XRDMA_V_OK;
	}
	access->key = sge.lkey;
	access->va = sge.addr + walk->skip;
	access->len = sge.length - walk->skip;
	if (access->len > walk->left)
		access->len = walk->left;
	return XRDMA_V_OK;
}

static __always_inline void xrdma_walk_advance(struct xrdma_walk *walk, __u32 len)
{
	walk->len = len;
	walk->skip += len;
	walk->left -= len;
}

/* A step over all of a segment. Else XRDMA_V_RECV_LENGTH, or what is wrong with its key. */
static __always_inline enum xrdma_verdict xrdma_walk_check_step(struct xrdma_walk *walk)
{
	enum xrdma_verdict verdict = xrdma_walk_enter(walk);

	if (verdict != XRDMA_V_OK || !walk->to.access.len)
		return verdict;
	verdict = xrdma_translate_all(&walk->to);
	if (verdict == XRDMA_V_OK)
		xrdma_walk_advance(walk, walk->to.access.len);
	return verdict;
}

/* A step to bytes that are in one piece. The same verdicts. */
static __always_inline enum xrdma_verdict xrdma_walk_step(struct xrdma_walk *walk)
{
	enum xrdma_verdict verdict = xrdma_walk_enter(walk);
	__u64 len;

	if (verdict != XRDMA_V_OK || !walk->to.access.len)
		return verdict;
	verdict = xrdma_translate(&walk->to);
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_translate_first(&walk->to, &walk->heap_at, &len);
	if (verdict == XRDMA_V_OK)
		xrdma_walk_advance(walk, xrdma_piece(walk->heap_at, len));
	return verdict;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Walks from data segments to memory; for both sides. The payload of a packet goes into memory of
 * data segments, or comes from there. A walk enters a segment and checks all of it, and then takes
 * ranges of it, or passes it. There are two walks: one to check everything before the first byte is
 * copied, and one to copy.
 */
#ifndef XRDMA_MEMORY_WALK_H
#define XRDMA_MEMORY_WALK_H

#include "memory/layout.h"

/* A walk. TO is large, so it is not set before a segment is entered. */
struct xrdma_walk {
	struct xrdma_sges sges;
	__u32 number;	/* of the next data segment */
	__u32 skip;	/* bytes to skip in the next segments */
	__u32 left;	/* bytes that are not entered yet */
	__u32 here;	/* bytes of the present segment */
	__u32 frame_at; /* offset in the frame, while copying */
	__u32 verdict;	/* result of checking its ranges */
	struct xrdma_translation
		to; /* the access; key and range are those of the present segment */
};

/*
 * Enter the next segment. HERE is 0 if all of it is skipped. Returns XRDMA_V_OK,
 * XRDMA_V_RECV_LENGTH if there are no more segments, or the verdict on the segment's key.
 */
static __always_inline enum xrdma_verdict xrdma_walk_enter(struct xrdma_walk *walk)
{
	struct xrdma_access *access = &walk->to.access;
	enum xrdma_verdict verdict;
	struct xrdma_sge sge;

	if (!xrdma_sge_at(&walk->to.space, &walk->sges, walk->number, &sge))
		return XRDMA_V_RECV_LENGTH;
	walk->number++;
	if (walk->skip >= sge.length) {
		walk->skip -= sge.length;
		return XRDMA_V_OK;
	}
	access->key = sge.lkey;
	access->va = sge.addr + walk->skip;
	access->len = sge.length - walk->skip;
	if (access->len > walk->left)
		access->len = walk->left;
	walk->skip = 0;
	verdict = xrdma_translate(&walk->to);
	if (verdict == XRDMA_V_OK)
		walk->here = access->len;
	return verdict;
}

/* Pass the rest of the present segment. */
static __always_inline void xrdma_walk_pass(struct xrdma_walk *walk)
{
	walk->left -= walk->here;
	walk->here = 0;
}

/* Take a range of the present segment. Returns its length, and its address in *HEAP_AT. */
static __always_inline __u32 xrdma_walk_take(struct xrdma_walk *walk, __u64 *heap_at)
{
	__u32 len = xrdma_translation_next(&walk->to, walk->here, heap_at);

	xrdma_translation_advance(&walk->to, len);
	walk->here -= len;
	walk->left -= len;
	return len;
}

#endif

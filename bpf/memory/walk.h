/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From data segments to memory; for both sides. What a packet carries goes into or comes from the
 * memory that data segments name, and a walk goes over that: it enters a segment, which is checked
 * as a whole then, and takes what it has of that piece by piece, or passes it. It is made twice: to
 * check all of it before the first byte moves, and once more to move it.
 */
#ifndef XRDMA_MEMORY_WALK_H
#define XRDMA_MEMORY_WALK_H

#include "memory/layout.h"

/* TO is not set before a segment is entered: it is large. */
struct xrdma_walk {
	struct xrdma_sges sges;
	__u32 number;	/* of the data segment that the walk enters next */
	__u32 skip;	/* bytes of it, or of it and more, that are behind */
	__u32 left;	/* bytes before the walk */
	__u32 here;	/* of the segment that it has entered */
	__u32 frame_at; /* where they are in the frame, as they move */
	__u32 verdict;	/* of looking at its pieces */
	struct xrdma_translation
		to; /* who asks for what; key and range are those of that segment */
};

/*
 * Enter the next segment; of one that lies behind nothing is HERE. Returns XRDMA_V_OK,
 * XRDMA_V_RECV_LENGTH: there are no more segments, or what is wrong with the segment's key.
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

/* Take all that is here. */
static __always_inline void xrdma_walk_pass(struct xrdma_walk *walk)
{
	walk->left -= walk->here;
	walk->here = 0;
}

/* Take a piece of what is here: *HEAP_AT is where it is. Returns how many bytes it has. */
static __always_inline __u32 xrdma_walk_take(struct xrdma_walk *walk, __u64 *heap_at)
{
	__u32 len = xrdma_translation_piece(&walk->to, walk->here, heap_at);

	xrdma_translation_advance(&walk->to, len);
	walk->here -= len;
	walk->left -= len;
	return len;
}

#endif

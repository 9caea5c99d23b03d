/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From keys to memory; for both sides. What a packet carries goes into or comes from the memory
 * that data segments name, and a walk goes over that a step at a time, each within one segment and
 * one piece of the heap. It is made twice: to the end, so that all of it is checked before the
 * first byte moves, and once more to move it.
 */
#ifndef XRDMA_MEMORY_WALK_H
#define XRDMA_MEMORY_WALK_H

#include "obj/space.h"
#include <xrdma/verdict.h>

struct xrdma_walk {
	struct xrdma_space space;
	struct xrdma_sges sges;
	struct xrdma_access
		access; /* who asks for what; key and range are those of the last step */
	__u32 number;	/* of the data segment that the walk has come to */
	__u32 skip;	/* bytes of it, or of it and more, that are behind */
	__u32 left;	/* bytes before the walk */
	__u32 len;	/* bytes of the last step */
	__u64 heap_at;	/* where they are, if the heap has them */
};

/* XRDMA_V_OK: SPACE allows the access, which begins at *HEAP_AT, if the heap has that. */
static __always_inline enum xrdma_verdict
xrdma_translate(const struct xrdma_space *space, const struct xrdma_access *access, __u64 *heap_at)
{
	const struct xrdma_mkey_row *row = xrdma_mkey_at(space, access->key);

	return row ? xrdma_access_check(row, access, heap_at) : XRDMA_V_KEY;
}

/*
 * Take a step, of no bytes where the walk passes a segment that lies behind. XRDMA_V_RECV_LENGTH:
 * there are no more segments. Else what is wrong with the segment's key.
 */
static __always_inline enum xrdma_verdict xrdma_walk_step(struct xrdma_walk *walk)
{
	struct xrdma_access *access = &walk->access;
	enum xrdma_verdict verdict;
	struct xrdma_sge sge;

	walk->len = 0;
	if (!xrdma_sge_at(&walk->space, &walk->sges, walk->number, &sge))
		return XRDMA_V_RECV_LENGTH;
	if (walk->skip < sge.length) {
		access->key = sge.lkey;
		access->va = sge.addr + walk->skip;
		access->len = sge.length - walk->skip;
		if (access->len > walk->left)
			access->len = walk->left;
		verdict = xrdma_translate(&walk->space, access, &walk->heap_at);
		if (verdict != XRDMA_V_OK)
			return verdict;
		walk->len = xrdma_piece(walk->heap_at, access->len);
		walk->skip += walk->len;
		walk->left -= walk->len;
	}
	if (walk->skip >= sge.length) {
		walk->skip -= sge.length;
		walk->number++;
	}
	return XRDMA_V_OK;
}

#endif

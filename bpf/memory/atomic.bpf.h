/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Atomics. CPU instructions on the heap itself execute them, so they are atomic to the target's
 * threads as well (9.4.5).
 */
#ifndef XRDMA_MEMORY_ATOMIC_BPF_H
#define XRDMA_MEMORY_ATOMIC_BPF_H

#include "obj/space.h"
#include "wire/packet.h"
#include <xrdma/verdict.h>

/*
 * Execute the atomic of PKT on the aligned word at CHUNK, and store its former value in *ORIGINAL.
 */
static __always_inline enum xrdma_verdict
xrdma_atomic(const struct xrdma_pkt *pkt, const struct xrdma_chunk *chunk, __u64 *original)
{
	__u64 at = chunk->at & (XRDMA_HEAP_ELEMENT - sizeof(__u64));
	__u64 *word;

	if (!chunk->element)
		return XRDMA_V_HEAP;
	word = (void *)chunk->element->bytes + at;
	*original = pkt->info.op == XRDMA_OP_CMP_SWAP
			    ? __sync_val_compare_and_swap(word, pkt->compare, pkt->swap_add)
			    : __sync_fetch_and_add(word, pkt->swap_add);
	return XRDMA_V_OK;
}

#endif

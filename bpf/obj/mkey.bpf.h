/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A context's key table. */
#ifndef XRDMA_OBJ_MKEY_BPF_H
#define XRDMA_OBJ_MKEY_BPF_H

#include "obj/access.h"
#include "obj/maps.bpf.h"

static __always_inline enum xrdma_verdict
xrdma_mkey_check(__u32 slot, __u32 mask, const struct xrdma_access *access, __u64 *heap_at)
{
	__u32 index = xrdma_key_index(access->key, mask);
	const struct xrdma_mkey_row *row = xrdma_row(&xrdma_mkeys, slot, index);

	return row ? xrdma_access_check(row, access, heap_at) : XRDMA_V_KEY;
}

/* The row of the key that a SEND invalidates, or NULL: the peer may not. */
static __always_inline struct xrdma_mkey_row *xrdma_mkey_to_invalidate(__u32 slot,
								       const struct xrdma_pkt *pkt)
{
	const struct xrdma_access access = {
		.key = pkt->invalidate_key,
		.pd = pkt->pd,
		.qpn = pkt->dest_qpn,
	};
	struct xrdma_mkey_row *row =
		xrdma_row(&xrdma_mkeys, slot, xrdma_key_index(access.key, pkt->mkey_mask));

	return row && xrdma_access_invalidates(row, &access) ? row : NULL;
}

#endif

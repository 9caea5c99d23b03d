/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A context's key table. */
#ifndef XRDMA_OBJ_MKEY_BPF_H
#define XRDMA_OBJ_MKEY_BPF_H

#include "lib/access.bpf.h"
#include "maps.bpf.h"

static __always_inline enum xrdma_verdict
xrdma_mkey_check(__u32 slot, __u32 mask, const struct xrdma_access *access, __u64 *heap_at)
{
	__u32 index = xrdma_key_index(access->key, mask);
	const struct xrdma_mkey_row *row = xrdma_row(&xrdma_mkeys, slot, index);

	return row ? xrdma_access_check(row, access, heap_at) : XRDMA_V_KEY;
}

#endif

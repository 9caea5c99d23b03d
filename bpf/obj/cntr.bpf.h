/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counters of what peers have written, which rows of keys name. */
#ifndef XRDMA_OBJ_CNTR_BPF_H
#define XRDMA_OBJ_CNTR_BPF_H

#include "lib/bounds.bpf.h"
#include "lib/order.h"
#include "obj/space.h"

/* What counts for KEY, which a row has: 0, if nothing does. */
XRDMA_VERIFIED_ONCE __u32 xrdma_cntr_of(__u32 slot, __u32 mkey_mask, __u32 key)
{
	const struct xrdma_space space = { .slot = slot, .mkey_mask = mkey_mask };
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&space, key);

	return row ? XRDMA_READ(row->cntr) : 0;
}

/* Who sees that it was counted sees what was written before. CNTR is of xrdma_cntr_of(). */
XRDMA_VERIFIED_ONCE int xrdma_cntr_count(__u32 slot, __u32 cntr)
{
	struct xrdma_cntr_row *row = xrdma_row(&xrdma_cntrs, slot, cntr - 1);

	if (row)
		XRDMA_ADD(row->value, 1);
	return 0;
}

#endif

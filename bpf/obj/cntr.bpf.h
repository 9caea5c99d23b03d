/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counters of what peers have written, which rows of keys name. */
#ifndef XRDMA_OBJ_CNTR_BPF_H
#define XRDMA_OBJ_CNTR_BPF_H

#include "lib/bounds.bpf.h"
#include "lib/order.h"
#include "obj/space.h"

/*
 * Counter CNTR of the context in SLOT, which the row of a key names, counts a write. Whoever sees
 * the new value sees what was written before it.
 */
XRDMA_VERIFIED_ONCE int xrdma_cntr_count(__u32 slot, __u32 cntr)
{
	struct xrdma_cntr_row *row = xrdma_row(&xrdma_cntrs, slot, cntr - 1);

	if (row)
		XRDMA_ADD(row->value, 1);
	return 0;
}

#endif

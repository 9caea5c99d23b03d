/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counters of peers' writes, named in rows of keys. */
#ifndef XRDMA_OBJ_CNTR_BPF_H
#define XRDMA_OBJ_CNTR_BPF_H

#include "lib/bounds.bpf.h"
#include "lib/order.h"
#include "obj/space.h"

/*
 * Count a write in counter CNTR of the context in SLOT. A reader of the new value sees all bytes
 * written before.
 */
XRDMA_VERIFIED_ONCE int xrdma_cntr_count(__u32 slot, __u32 cntr)
{
	struct xrdma_cntr_row *row = xrdma_row(&xrdma_cntrs, slot, cntr - 1);

	if (row)
		XRDMA_ADD(row->value, 1);
	return 0;
}

#endif

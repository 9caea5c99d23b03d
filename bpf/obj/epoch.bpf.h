/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Epochs of program runs, for revocation. A run enters before it reads a context's rows, and leaves
 * when it is done. Both additions return the old value, so they are full barriers: a row read after
 * xrdma_epoch_enter() cannot have been read before.
 */
#ifndef XRDMA_OBJ_EPOCH_BPF_H
#define XRDMA_OBJ_EPOCH_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

static __always_inline struct xrdma_epoch *xrdma_epoch_enter(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct xrdma_epoch *epoch = bpf_map_lookup_elem(&xrdma_epochs, &cpu);

	if (epoch)
		XRDMA_ADD(epoch->entered, 1);
	return epoch;
}

static __always_inline void xrdma_epoch_leave(struct xrdma_epoch *epoch)
{
	XRDMA_ADD(epoch->left, 1);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A queue pair's row: taking it for one run. */
#ifndef XRDMA_OBJ_QP_BPF_H
#define XRDMA_OBJ_QP_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

enum { XRDMA_QP_SPINS = 128 };

/*
 * A flow's source port pins it to one CPU, so this is almost always free. It is a row of the
 * application's: one that never lets go harms itself only.
 */
static __always_inline bool xrdma_qp_take(struct xrdma_qp_row *qp)
{
	for (int i = 0; i < XRDMA_QP_SPINS; i++)
		if (!__sync_val_compare_and_swap(&qp->resp.busy, 0, 1))
			return true;
	return false;
}

/* What the run wrote is seen before the row is free. */
static __always_inline void xrdma_qp_release(struct xrdma_qp_row *qp)
{
	XRDMA_PUBLISH(qp->resp.busy, 0);
}

#endif

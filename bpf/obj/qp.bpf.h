/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A queue pair's row: lock and unlock it. */
#ifndef XRDMA_OBJ_QP_BPF_H
#define XRDMA_OBJ_QP_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

/* Spins for the lock, about the time of a few packets: XRDMA_V_BUSY costs the peer a timeout. */
enum { XRDMA_QP_SPINS = 512 };

static __always_inline bool xrdma_qp_try(struct xrdma_qp_row *qp)
{
	return __sync_val_compare_and_swap(&qp->resp.lock, XRDMA_QP_LOCK_FREE,
					   XRDMA_QP_LOCK_TAKEN) == XRDMA_QP_LOCK_FREE;
}

struct xrdma_qp_waiting {
	struct xrdma_qp_row *qp;
	bool taken;
};

/* Callback for bpf_loop(). Returns 0 to continue the loop. */
static long xrdma_qp_try_again(__u64 index, void *data)
{
	struct xrdma_qp_waiting *waiting = data;

	(void)index;
	waiting->taken = xrdma_qp_try(waiting->qp);
	return waiting->taken;
}

/* Wait until row INDEX of context SLOT is unlocked, and lock it. Returns whether it is locked. */
XRDMA_VERIFIED_ONCE int xrdma_qp_wait(__u32 slot, __u32 index)
{
	struct xrdma_qp_waiting waiting = { xrdma_row(&xrdma_qps, slot, index), false };

	if (!waiting.qp || XRDMA_READ(waiting.qp->resp.lock) != XRDMA_QP_LOCK_TAKEN)
		return false;
	bpf_loop(XRDMA_QP_SPINS, xrdma_qp_try_again, &waiting, 0);
	if (!waiting.taken)
		__sync_val_compare_and_swap(&waiting.qp->resp.lock, XRDMA_QP_LOCK_TAKEN,
					    XRDMA_QP_LOCK_TAKEN_LONG);
	return waiting.taken;
}

/*
 * Lock QP. A flow's source port pins it to one CPU, and a veth pair to the sending CPU, so the lock
 * is nearly always free. The row is the application's: if it claims forever that the queue pair is
 * locked, only one packet waits for it.
 */
static __always_inline bool xrdma_qp_take(struct xrdma_qp_row *qp, __u32 slot, __u32 index)
{
	return xrdma_qp_try(qp) || xrdma_qp_wait(slot, index);
}

/* Unlock QP. All that the run wrote is visible before. */
static __always_inline void xrdma_qp_release(struct xrdma_qp_row *qp)
{
	XRDMA_PUBLISH(qp->resp.lock, XRDMA_QP_LOCK_FREE);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A queue pair's row: taking it for one run, and moving its responder on. */
#ifndef XRDMA_OBJ_QP_BPF_H
#define XRDMA_OBJ_QP_BPF_H

#include "lib/order.h"
#include "wire/psn.h"
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

/* A full barrier: what the run wrote is seen before the row is free. */
static __always_inline void xrdma_qp_release(struct xrdma_qp_row *qp)
{
	__u32 before = __sync_lock_test_and_set(&qp->resp.busy, 0);

	asm volatile("" ::"r"(before) : "memory");
}

/* What the next packet of the message in progress goes on from. */
static __always_inline void xrdma_qp_keep(struct xrdma_responder *resp, const struct xrdma_pkt *pkt)
{
	XRDMA_WRITE(resp->op, pkt->info.op);
	XRDMA_WRITE(resp->done, pkt->done + pkt->payload_len);
	if (pkt->info.op == XRDMA_OP_SEND) {
		XRDMA_WRITE(resp->rqe, pkt->rqe);
		return;
	}
	XRDMA_WRITE(resp->key, pkt->key);
	XRDMA_WRITE(resp->va, pkt->va + pkt->payload_len);
	XRDMA_WRITE(resp->left, pkt->length - pkt->payload_len);
}

/* The request at the expected PSN has been carried out. */
static __always_inline void xrdma_qp_advance(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt)
{
	struct xrdma_responder *resp = &qp->resp;

	XRDMA_WRITE(resp->psn, xrdma_psn_add(pkt->psn, 1));
	XRDMA_WRITE(resp->waiting, 0);
	if (pkt->info.position & XRDMA_POSITION_LAST) {
		XRDMA_WRITE(resp->op, XRDMA_OP_NONE);
		XRDMA_WRITE(resp->msn, xrdma_psn_add(XRDMA_READ(resp->msn), 1));
	} else {
		xrdma_qp_keep(resp, pkt);
	}
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Find the queue pair of a destination QPN, and check that the packet may reach it (IBA 9.6.1). */
#ifndef XRDMA_ARRIVE_STEER_BPF_H
#define XRDMA_ARRIVE_STEER_BPF_H

#include "obj/device.bpf.h"
#include "obj/qp.bpf.h"
#include "obj/space.h"

enum {
	XRDMA_PKEY_MASK = 0x7fff,
	XRDMA_PKEY_FULL_MEMBER = 0x8000,
};

/* Destination of a packet. */
struct xrdma_target {
	struct xrdma_qp_row *qp;
	struct xrdma_space space; /* memory of its context */
	__u32 qpn;
	__u32 pd;
	__u32 uses; /* XRDMA_USES_* of the context */
	/*
	 * Time since the context was PAUSED, in ns; 0: it is not paused. A run does not use the
	 * memory and keys of a paused context; it reads only the queue pair's row.
	 */
	__u64 paused_for;
};

/* Returns whether two partition keys match: all do, unless both are limited members (10.9.3). */
static __always_inline bool xrdma_pkey_match(__u16 a, __u16 b)
{
	return !((a ^ b) & XRDMA_PKEY_MASK) && ((a | b) & XRDMA_PKEY_FULL_MEMBER);
}

static __always_inline bool xrdma_op_is_response(__u8 op)
{
	return op == XRDMA_OP_ACK || op == XRDMA_OP_READ_RESPONSE || op == XRDMA_OP_ATOMIC_ACK;
}

/*
 * Returns whether a queue pair in STATE receives: a responder from RTR on, a requester from RTS on,
 * neither in ERR (10.3.1).
 */
static __always_inline bool xrdma_qp_receives(const struct xrdma_qp_row *qp, __u8 state, __u8 op)
{
	if (state >= XRDMA_QPS_ERR || XRDMA_READ(qp->resp.error) || XRDMA_READ(qp->req.error))
		return false;
	return state >= (xrdma_op_is_response(op) ? XRDMA_QPS_RTS : XRDMA_QPS_RTR);
}

/* Returns whether PKT has the addresses and ports of the connection of QP, if it has one. */
static __always_inline bool xrdma_is_of_peer(const struct xrdma_pkt *pkt,
					     const struct xrdma_qp_row *qp)
{
	__u32 sport = xrdma_op_is_response(pkt->info.op) ? XRDMA_READ(qp->req.peer_sport)
							 : XRDMA_READ(qp->resp.peer_sport);

	if (!xrdma_service_is(pkt->opcode, XRDMA_SERVICE_CONNECTED))
		return true;
	return xrdma_addr_equal(qp->peer_addr, pkt->saddr) &&
	       xrdma_addr_equal(qp->addr, pkt->daddr) &&
	       (!sport || sport == XRDMA_SPORT_ANY || sport == bpf_ntohs(pkt->udp_sport));
}

/* Check PKT against QP, which is locked: a run on another CPU may have stopped it just before. */
static __always_inline enum xrdma_verdict xrdma_steer_qp(const struct xrdma_pkt *pkt,
							 const struct xrdma_qp_row *qp)
{
	__u8 state = XRDMA_OBSERVE(qp->state);

	if (state == XRDMA_QPS_RESET)
		return XRDMA_V_QPN;
	if (!xrdma_qp_receives(qp, state, pkt->info.op))
		return XRDMA_V_QP_STATE;
	if (XRDMA_READ(qp->transport) != XRDMA_OPCODE_TRANSPORT(pkt->opcode))
		return XRDMA_V_TRANSPORT;
	if (!xrdma_is_of_peer(pkt, qp))
		return XRDMA_V_SOURCE;
	if (!xrdma_pkey_match(XRDMA_READ(qp->pkey), pkt->pkey))
		return XRDMA_V_PKEY;
	if (pkt->info.headers & XRDMA_HDR_DETH && XRDMA_READ(qp->qkey) != pkt->qkey)
		return XRDMA_V_QKEY;
	return XRDMA_V_OK;
}

/*
 * Find the destination of PKT and lock its queue pair. After XRDMA_V_OK, TO is set, and the queue
 * pair is locked until xrdma_qp_release().
 */
static __always_inline enum xrdma_verdict xrdma_steer_take(const struct xrdma_pkt *pkt,
							   struct xrdma_target *to)
{
	__u32 slot = pkt->dest_qpn >> XRDMA_QPN_INDEX_BITS;
	__u32 index = pkt->dest_qpn & (XRDMA_QP_ROWS_MAX - 1);
	struct xrdma_context_row *context = bpf_map_lookup_elem(&xrdma_contexts, &slot);
	void *qps = bpf_map_lookup_elem(&xrdma_qps, &slot);
	struct xrdma_qp_row *qp;
	__u32 state;

	if (!context || !qps)
		return XRDMA_V_CONTEXT;
	state = XRDMA_OBSERVE(context->state);
	if (state != XRDMA_CONTEXT_ALIVE && state != XRDMA_CONTEXT_PAUSED)
		return XRDMA_V_CONTEXT;
	qp = bpf_map_lookup_elem(qps, &index);
	if (!qp)
		return XRDMA_V_QPN;
	if (!xrdma_qp_take(qp, slot, index))
		return XRDMA_V_BUSY;
	to->qp = qp;
	to->qpn = pkt->dest_qpn;
	to->pd = XRDMA_READ(qp->pd);
	to->space.slot = slot;
	to->space.mkey_mask = context->mkey_mask;
	to->space.qpn = pkt->dest_qpn;
	to->space.psn = pkt->psn;
	if (xrdma_op_is_response(pkt->info.op))
		to->space.psn |= XRDMA_OF_RESPONSE;
	to->uses = context->uses;
	to->paused_for = 0;
	if (state == XRDMA_CONTEXT_PAUSED)
		to->paused_for = (bpf_ktime_get_ns() - XRDMA_READ(context->paused_since)) ?: 1;
	return XRDMA_V_OK;
}

/* Find the destination of PKT, count this run into the epoch, and lock the queue pair. */
static __always_inline enum xrdma_verdict xrdma_steer(const struct xrdma_pkt *pkt,
						      struct xrdma_target *to)
{
	enum xrdma_verdict verdict = xrdma_steer_take(pkt, to);

	if (verdict != XRDMA_V_OK)
		return verdict;
	verdict = xrdma_steer_qp(pkt, to->qp);
	if (verdict != XRDMA_V_OK)
		xrdma_qp_release(to->qp);
	return verdict;
}

#endif

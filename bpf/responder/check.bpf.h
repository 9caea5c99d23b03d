/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stage 3: every refusal of a request, before the first byte is written, in the order of 9.7.4.1:
 * PSN, opcode sequence, opcode, length, receive, key.
 */
#ifndef XRDMA_RESPONDER_CHECK_BPF_H
#define XRDMA_RESPONDER_CHECK_BPF_H

#include "wire/psn.h"
#include "obj/mkey.bpf.h"
#include "obj/cq.bpf.h"
#include "memory/atomic.bpf.h"
#include "memory/translate.bpf.h"
#include "arrive/steer.bpf.h"

/*
 * The PSN of a request (9.7.4.1.2). What is ahead is reported once, until the expected one is done
 * (9.7.5.2).
 */
static __always_inline enum xrdma_verdict xrdma_check_psn(const struct xrdma_pkt *pkt,
							  const struct xrdma_responder *resp)
{
	__s32 order = xrdma_psn_cmp(pkt->psn, XRDMA_READ(resp->psn));

	if (order == 0)
		return XRDMA_V_OK;
	if (order < 0)
		return XRDMA_V_DUPLICATE;
	return XRDMA_READ(resp->waiting) ? XRDMA_V_PSN_WAITING : XRDMA_V_PSN_AHEAD;
}

/* FIRST and ONLY stand between messages; MIDDLE and LAST continue one of their own kind. */
static __always_inline bool xrdma_in_order(const struct xrdma_pkt *pkt, __u8 under_way)
{
	if (pkt->info.position & XRDMA_POSITION_FIRST)
		return under_way == XRDMA_OP_NONE;
	return under_way == pkt->info.op;
}

/*
 * A message has as many bytes as its RETH says, and its last packet is the one that completes it.
 */
static __always_inline bool xrdma_message_adds_up(const struct xrdma_pkt *pkt)
{
	if (pkt->length > XRDMA_MESSAGE_MAX)
		return false;
	if (pkt->info.position & XRDMA_POSITION_LAST)
		return pkt->payload_len == pkt->length;
	return pkt->payload_len < pkt->length;
}

/*
 * A WRITE of no bytes names no memory, and its key is not looked at (9.7.4.1: zero-length
 * requests).
 */
static __always_inline enum xrdma_verdict
xrdma_check_key(struct xrdma_pkt *pkt, const struct xrdma_target *to, __u32 rights)
{
	struct xrdma_access access = {
		.key = pkt->key,
		.pd = pkt->pd,
		.qpn = pkt->dest_qpn,
		.rights = rights,
		.va = pkt->va,
		.len = pkt->length,
	};

	if (!pkt->length)
		return XRDMA_V_OK;
	return xrdma_mkey_check(to->slot, pkt->mkey_mask, &access, &pkt->heap_at);
}

/* The receive that the message of PKT takes: TAKES says that it did not before. */
static __always_inline enum xrdma_verdict xrdma_check_receive(struct xrdma_pkt *pkt,
							      struct xrdma_target *to, bool takes)
{
	struct xrdma_queue_row *rq = xrdma_queue(to->slot, XRDMA_READ(to->qp->rq), XRDMA_QUEUE_RQ);
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (!rq)
		return XRDMA_V_RNR;
	if (takes) {
		to->rq = rq;
		verdict = xrdma_rq_next(rq, pkt);
	} else {
		pkt->rqe = XRDMA_READ(to->qp->resp.rqe);
	}
	xrdma_rq_find(rq, pkt);
	return verdict;
}

/* The last packet of a message that took a receive completes it. Nothing is refused after this. */
static __always_inline enum xrdma_verdict xrdma_check_completion(struct xrdma_pkt *pkt,
								 struct xrdma_target *to)
{
	if (!(pkt->info.position & XRDMA_POSITION_LAST))
		return XRDMA_V_OK;
	return xrdma_cq_reserve(pkt, to->slot, XRDMA_READ(to->qp->recv_cq), &to->cqe);
}

static __always_inline enum xrdma_verdict xrdma_check_write(struct xrdma_pkt *pkt,
							    struct xrdma_target *to)
{
	bool completes = pkt->info.headers & XRDMA_HDR_IMMDT;
	struct xrdma_responder *resp = &to->qp->resp;
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (!(pkt->info.position & XRDMA_POSITION_FIRST)) {
		pkt->key = XRDMA_READ(resp->key);
		pkt->va = XRDMA_READ(resp->va);
		pkt->length = XRDMA_READ(resp->left);
	}
	if (!(XRDMA_READ(to->qp->access) & XRDMA_ACCESS_REMOTE_WRITE))
		return XRDMA_V_QP_ACCESS;
	if (!xrdma_message_adds_up(pkt))
		return XRDMA_V_LENGTH;
	if (completes)
		verdict = xrdma_check_receive(pkt, to, true);
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_check_key(pkt, to, XRDMA_ACCESS_REMOTE_WRITE);
	return verdict == XRDMA_V_OK && completes ? xrdma_check_completion(pkt, to) : verdict;
}

/* The memory that a READ or an atomic names, if the queue pair allows such. */
static __always_inline enum xrdma_verdict
xrdma_check_rd_atomic(struct xrdma_pkt *pkt, const struct xrdma_target *to, __u32 right)
{
	struct xrdma_span span = { .len = pkt->length };
	enum xrdma_verdict verdict;

	if (!(XRDMA_READ(to->qp->access) & right))
		return XRDMA_V_QP_ACCESS;
	if (!XRDMA_READ(to->qp->max_dest_rd_atomic))
		return XRDMA_V_RD_ATOMIC;
	verdict = xrdma_check_key(pkt, to, right);
	span.heap_at = pkt->heap_at;
	if (verdict == XRDMA_V_OK && span.len && !xrdma_heap_has(to->slot, &span))
		verdict = XRDMA_V_HEAP;
	return verdict;
}

/* One that is longer than a packet is not supported yet. */
static __always_inline enum xrdma_verdict xrdma_check_read(struct xrdma_pkt *pkt,
							   const struct xrdma_target *to)
{
	if (pkt->length > XRDMA_MESSAGE_MAX)
		return XRDMA_V_LENGTH;
	if (pkt->again && !xrdma_resource_find(to->qp))
		return XRDMA_V_NOT_KEPT;
	if (pkt->length > XRDMA_READ(to->qp->mtu) || pkt->length > XRDMA_MTU_MAX)
		return XRDMA_V_OPCODE;
	return xrdma_check_rd_atomic(pkt, to, XRDMA_ACCESS_REMOTE_READ);
}

/* The word is where it is aligned, in the peer's count (9.4.5) and in ours. */
static __always_inline enum xrdma_verdict xrdma_check_atomic(struct xrdma_pkt *pkt,
							     const struct xrdma_target *to)
{
	const __u64 low_bits = sizeof(__u64) - 1;
	enum xrdma_verdict verdict;

	pkt->length = sizeof(__u64);
	if (pkt->again)
		return xrdma_resource_find(to->qp) ? XRDMA_V_OK : XRDMA_V_NOT_KEPT;
	if (pkt->va & low_bits)
		return XRDMA_V_MISALIGNED;
	verdict = xrdma_check_rd_atomic(pkt, to, XRDMA_ACCESS_REMOTE_ATOMIC);
	return verdict == XRDMA_V_OK && pkt->heap_at & low_bits ? XRDMA_V_MISALIGNED : verdict;
}

static __always_inline enum xrdma_verdict xrdma_check_send(struct xrdma_pkt *pkt,
							   struct xrdma_target *to)
{
	enum xrdma_verdict verdict =
		xrdma_check_receive(pkt, to, pkt->info.position & XRDMA_POSITION_FIRST);

	if (verdict == XRDMA_V_OK)
		verdict = xrdma_check_memory(pkt, to);
	if (verdict == XRDMA_V_OK && pkt->info.headers & XRDMA_HDR_IETH) {
		to->invalidated = xrdma_mkey_to_invalidate(to->slot, pkt);
		verdict = to->invalidated ? XRDMA_V_OK : XRDMA_V_INVALIDATE;
	}
	return verdict == XRDMA_V_OK ? xrdma_check_completion(pkt, to) : verdict;
}

static __always_inline bool xrdma_op_is_served(__u8 op)
{
	return op == XRDMA_OP_WRITE || op == XRDMA_OP_SEND || xrdma_op_is_rd_atomic(op);
}

/*
 * A duplicate of a READ that is kept is carried out again, so all but its PSN is looked at
 * (9.7.5.1.2); that of an atomic is replied to with the result that was kept.
 */
static __always_inline enum xrdma_verdict xrdma_check_request(struct xrdma_pkt *pkt,
							      struct xrdma_target *to)
{
	struct xrdma_responder *resp = &to->qp->resp;
	enum xrdma_verdict verdict = xrdma_check_psn(pkt, resp);

	pkt->again = verdict == XRDMA_V_DUPLICATE;
	if (pkt->again && xrdma_op_is_rd_atomic(pkt->info.op))
		verdict = XRDMA_V_OK;
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_op_is_served(pkt->info.op))
		return XRDMA_V_OPCODE;
	if (!pkt->again && !xrdma_in_order(pkt, XRDMA_READ(resp->op)))
		return XRDMA_V_OPCODE_ORDER;
	verdict = xrdma_check_length(pkt, XRDMA_READ(to->qp->mtu));
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (pkt->info.op == XRDMA_OP_READ)
		return xrdma_check_read(pkt, to);
	if (xrdma_op_is_rd_atomic(pkt->info.op))
		return xrdma_check_atomic(pkt, to);
	pkt->spans = 1;
	pkt->done = pkt->info.position & XRDMA_POSITION_FIRST ? 0 : XRDMA_READ(resp->done);
	if (pkt->info.op == XRDMA_OP_SEND)
		return xrdma_check_send(pkt, to);
	return xrdma_check_write(pkt, to);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * All refusals of a request, before anything is changed, in the order of 9.7.4.1: PSN, opcode
 * sequence, opcode, length, receive, key and memory. A request that is not refused becomes a plan.
 */
#ifndef XRDMA_RESPONDER_CHECK_BPF_H
#define XRDMA_RESPONDER_CHECK_BPF_H

#include "obj/rq.bpf.h"
#include "obj/cq.bpf.h"
#include "responder/order.bpf.h"
#include "responder/check_key.bpf.h"
#include "responder/handover.bpf.h"
#include "responder/pause.bpf.h"
#include "responder/reply.bpf.h"

/*
 * Returns whether the length of PKT fits its message: a message has the length in its RETH, and its
 * last packet completes it. LEFT is the rest of the message.
 */
static __always_inline bool xrdma_message_adds_up(const struct xrdma_pkt *pkt, __u32 left)
{
	if (left > XRDMA_MESSAGE_MAX)
		return false;
	if (pkt->info.position & XRDMA_POSITION_LAST)
		return pkt->payload_len == left;
	return pkt->payload_len < left;
}

/* Return the queue pair's receive queue, or NULL. */
static __always_inline struct xrdma_queue_row *xrdma_rq_of(const struct xrdma_target *to)
{
	return xrdma_queue(to->space.slot, XRDMA_READ(to->qp->rq), XRDMA_QUEUE_RQ);
}

/*
 * Claim a receive from a queue that several queue pairs share. The queue pair keeps the claim until
 * a message is complete: if this packet is refused later, its next message uses the receive.
 */
static __always_inline enum xrdma_verdict xrdma_check_claim(const struct xrdma_target *to,
							    struct xrdma_plan *plan)
{
	__u32 claim = XRDMA_READ(to->qp->resp.claim);
	enum xrdma_verdict verdict = XRDMA_V_OK;

	plan->rqe = claim - 1;
	if (!claim)
		verdict = xrdma_rq_claim(to->space.slot, XRDMA_READ(to->qp->rq), &plan->rqe);
	if (verdict == XRDMA_V_OK)
		XRDMA_WRITE(to->qp->resp.claim, plan->rqe + 1);
	return verdict;
}

/* Check that the message gets a receive of RQ. */
static __always_inline enum xrdma_verdict xrdma_check_receive(const struct xrdma_target *to,
							      struct xrdma_queue_row *rq,
							      struct xrdma_plan *plan,
							      struct xrdma_plan_rows *rows)
{
	if (!rq)
		return XRDMA_V_RNR;
	if (__builtin_expect(!XRDMA_READ(rq->ring), 1)) {
		rows->rq = rq;
		return xrdma_rq_next(rq, &plan->rqe);
	}
	return xrdma_check_claim(to, plan);
}

/*
 * Reserve a completion for the last packet of a message with a receive. This is the last possible
 * refusal.
 */
static __always_inline enum xrdma_verdict xrdma_check_completion(const struct xrdma_pkt *pkt,
								 const struct xrdma_target *to,
								 struct xrdma_plan *plan,
								 struct xrdma_plan_rows *rows)
{
	if (!(pkt->info.position & XRDMA_POSITION_LAST))
		return XRDMA_V_OK;
	return xrdma_cq_reserve(to->space.slot, XRDMA_READ(to->qp->recv_cq), &rows->cqe,
				&plan->sequence);
}

static __always_inline enum xrdma_verdict xrdma_check_write(const struct xrdma_pkt *pkt,
							    const struct xrdma_target *to,
							    struct xrdma_plan *plan,
							    struct xrdma_plan_rows *rows)
{
	bool completes = pkt->info.headers & XRDMA_HDR_IMMDT;
	const struct xrdma_responder *resp = &to->qp->resp;
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (!(pkt->info.position & XRDMA_POSITION_FIRST)) {
		plan->key = XRDMA_READ(resp->key);
		plan->va = XRDMA_READ(resp->va);
		plan->left = XRDMA_READ(resp->left);
	}
	if (!(XRDMA_READ(to->qp->access) & XRDMA_ACCESS_REMOTE_WRITE))
		return XRDMA_V_QP_ACCESS;
	if (!xrdma_message_adds_up(pkt, plan->left))
		return XRDMA_V_LENGTH;
	if (completes)
		verdict = xrdma_check_receive(to, xrdma_rq_of(to), plan, rows);
	if (verdict == XRDMA_V_OK)
		verdict = xrdma_check_key(to, plan, rows, XRDMA_ACCESS_REMOTE_WRITE);
	return verdict == XRDMA_V_OK && completes ? xrdma_check_completion(pkt, to, plan, rows)
						  : verdict;
}

/* Returns whether the peer has its maximum of READs and atomics outstanding. */
static __always_inline bool xrdma_has_enough(const struct xrdma_qp_row *qp)
{
	__u8 most = XRDMA_READ(qp->max_dest_rd_atomic);

	return !most || (XRDMA_READ(qp->resp.pending) && XRDMA_READ(qp->respq.fresh) >= most);
}

/*
 * Check the key of a READ or an atomic, if the queue pair allows these, and LEN bytes of the memory
 * for the first response.
 */
static __always_inline enum xrdma_verdict
xrdma_check_rd_atomic(const struct xrdma_pkt *pkt, const struct xrdma_target *to,
		      struct xrdma_plan *plan, struct xrdma_plan_rows *rows, __u32 right, __u32 len)
{
	if (!(XRDMA_READ(to->qp->access) & right))
		return XRDMA_V_QP_ACCESS;
	if (!plan->again && xrdma_has_enough(to->qp))
		return XRDMA_V_RD_ATOMIC;
	plan->transfer.at = xrdma_response_data_at(pkt);
	plan->transfer.len = len;
	return xrdma_check_key(to, plan, rows, right);
}

/* Returns whether PKT, a duplicate, repeats a request with a responder resource. */
static __always_inline bool xrdma_check_repeated(const struct xrdma_pkt *pkt,
						 const struct xrdma_target *to,
						 struct xrdma_plan *plan,
						 struct xrdma_plan_rows *rows)
{
	__s32 found = xrdma_resource_find(to->qp, pkt);

	if (found < 0)
		return false;
	plan->kept = found & (XRDMA_RD_ATOMIC_MAX - 1);
	rows->again = &to->qp->resource[plan->kept];
	return true;
}

static __always_inline void xrdma_plan_pending(const struct xrdma_pkt *pkt, struct xrdma_plan *plan,
					       bool pending)
{
	plan->pending = pending || pkt->super_came;
	if (plan->pending)
		plan->came = pkt->super_came ?: bpf_ktime_get_ns();
}

/*
 * Plan the responses to the READ of PLAN: their number, and whether they are pending. Returns the
 * bytes of the first one.
 */
XRDMA_VERIFIED_ONCE __u32 xrdma_plan_responses(const struct xrdma_pkt *pkt,
					       const struct xrdma_qp_row *qp,
					       struct xrdma_plan *plan)
{
	__u32 mtu;

	if (!pkt || !qp || !plan)
		return 0;
	mtu = XRDMA_READ(qp->mtu);
	plan->psns = xrdma_response_packets(plan->left, mtu);
	xrdma_plan_pending(pkt, plan,
			   plan->psns > 1 || plan->again || XRDMA_READ(qp->resp.pending));
	return plan->left < mtu ? plan->left : mtu;
}

/*
 * Check a READ. The key must allow all of it, and the memory for the first response must exist. XDP
 * defers a READ that needs more frames than its own.
 */
static __always_inline enum xrdma_verdict xrdma_check_read(const struct xrdma_pkt *pkt,
							   const struct xrdma_target *to,
							   struct xrdma_plan *plan,
							   struct xrdma_plan_rows *rows)
{
	__u32 len = plan->left;

	if (len > XRDMA_MESSAGE_MAX)
		return XRDMA_V_LENGTH;
	if (plan->again && !xrdma_check_repeated(pkt, to, plan, rows))
		return XRDMA_V_NOT_KEPT;
	if (XRDMA_HAS_SENDER)
		len = xrdma_plan_responses(pkt, to->qp, plan);
	if (len > XRDMA_READ(to->qp->mtu) || len > XRDMA_MTU_MAX)
		return XRDMA_HAS_SENDER ? XRDMA_V_OPCODE : XRDMA_V_DEFERRED;
	return xrdma_check_rd_atomic(pkt, to, plan, rows, XRDMA_ACCESS_REMOTE_READ, len);
}

/* Check an atomic. The word must be aligned, in the peer's addresses (9.4.5) and in ours. */
static __always_inline enum xrdma_verdict xrdma_check_atomic(const struct xrdma_pkt *pkt,
							     const struct xrdma_target *to,
							     struct xrdma_plan *plan,
							     struct xrdma_plan_rows *rows)
{
	const __u64 low_bits = sizeof(__u64) - 1;
	enum xrdma_verdict verdict;

	plan->left = sizeof(__u64);
	if (XRDMA_HAS_SENDER)
		xrdma_plan_pending(pkt, plan, XRDMA_READ(to->qp->resp.pending));
	if (plan->again)
		return xrdma_check_repeated(pkt, to, plan, rows) ? XRDMA_V_OK : XRDMA_V_NOT_KEPT;
	if (plan->va & low_bits)
		return XRDMA_V_MISALIGNED;
	verdict =
		xrdma_check_rd_atomic(pkt, to, plan, rows, XRDMA_ACCESS_REMOTE_ATOMIC, plan->left);
	if (verdict == XRDMA_V_OK &&
	    (rows->chunk.at & low_bits || rows->chunk.len != sizeof(__u64)))
		return XRDMA_V_MISALIGNED;
	return verdict;
}

/*
 * Check the key that PKT invalidates. A key that is FREE stays unchanged: its window may be bound
 * again meanwhile, under another key.
 */
static __always_inline enum xrdma_verdict xrdma_check_invalidate(const struct xrdma_pkt *pkt,
								 const struct xrdma_target *to,
								 struct xrdma_plan_rows *rows)
{
	const struct xrdma_access access = {
		.key = pkt->invalidate_key,
		.pd = to->pd,
		.qpn = to->qpn,
		.rights = XRDMA_ACCESS_REMOTE_INVALIDATE,
	};
	struct xrdma_mkey_row *row = xrdma_mkey_at(&to->space, access.key);
	__u8 state = row ? xrdma_access_invalidates(row, &access) : XRDMA_MKEY_STATE_INVALID;

	if (state == XRDMA_MKEY_STATE_VALID)
		rows->invalidated = row;
	return state == XRDMA_MKEY_STATE_INVALID ? XRDMA_V_INVALIDATE : XRDMA_V_OK;
}

/*
 * Check the memory of a receive for one packet. Write access to it is a local right (10.6.3). A
 * SEND of no bytes takes a receive of any length, and its keys are not checked.
 */
static __always_inline enum xrdma_verdict xrdma_check_send_memory(const struct xrdma_queue_row *rq,
								  const struct xrdma_target *to,
								  struct xrdma_plan *plan,
								  struct xrdma_plan_rows *rows)
{
	struct xrdma_transfer *transfer = &plan->transfer;
	enum xrdma_verdict verdict;

	transfer->rights = XRDMA_ACCESS_RECV;
	transfer->skip = plan->done;
	xrdma_rq_sges(rq, plan->rqe, &transfer->sges);
	if ((__u64)plan->done + transfer->len > XRDMA_MESSAGE_MAX)
		return XRDMA_V_LENGTH;
	verdict = xrdma_transfer_check_list(to, transfer, &rows->chunk);
	return verdict == XRDMA_V_OK || verdict == XRDMA_V_RECV_LENGTH ? verdict : XRDMA_V_RECV_KEY;
}

static __always_inline enum xrdma_verdict xrdma_check_send(const struct xrdma_pkt *pkt,
							   const struct xrdma_target *to,
							   struct xrdma_plan *plan,
							   struct xrdma_plan_rows *rows)
{
	struct xrdma_queue_row *rq = xrdma_rq_of(to);
	enum xrdma_verdict verdict = xrdma_check_receive(to, rq, plan, rows);

	if (verdict == XRDMA_V_OK)
		verdict = xrdma_check_send_memory(rq, to, plan, rows);
	if (verdict == XRDMA_V_OK && pkt->info.headers & XRDMA_HDR_IETH)
		verdict = xrdma_check_invalidate(pkt, to, rows);
	return verdict == XRDMA_V_OK ? xrdma_check_completion(pkt, to, plan, rows) : verdict;
}

static __always_inline bool xrdma_op_is_served(__u8 op)
{
	return op == XRDMA_OP_WRITE || op == XRDMA_OP_SEND || xrdma_op_is_rd_atomic(op);
}

/* Plan the copy of the payload of PKT and, for a datagram, of the bytes before it. */
static __always_inline void xrdma_plan_payload(const struct xrdma_pkt *pkt,
					       struct xrdma_transfer *transfer)
{
	const __u32 before = pkt->info.headers & XRDMA_HDR_DETH ? XRDMA_GRH_LEN : 0;

	transfer->at = pkt->payload_at - before;
	transfer->len = pkt->payload_len + before;
}

/* Check everything that depends on the opcode, and set PLAN from the packet. */
static __always_inline enum xrdma_verdict xrdma_check_op(const struct xrdma_pkt *pkt,
							 const struct xrdma_target *to,
							 struct xrdma_plan *plan,
							 struct xrdma_plan_rows *rows)
{
	const struct xrdma_responder *resp = &to->qp->resp;
	enum xrdma_verdict verdict;

	if (!xrdma_op_is_served(pkt->info.op))
		return XRDMA_V_OPCODE;
	if (!plan->again && !xrdma_in_order(pkt, XRDMA_READ(resp->op)))
		return XRDMA_V_OPCODE_ORDER;
	verdict = xrdma_check_length(pkt, XRDMA_READ(to->qp->mtu));
	if (verdict != XRDMA_V_OK)
		return verdict;
	plan->key = pkt->key;
	plan->va = pkt->va;
	plan->left = pkt->length;
	plan->psns = 1;
	if (pkt->info.op == XRDMA_OP_READ)
		return xrdma_check_read(pkt, to, plan, rows);
	if (xrdma_op_is_rd_atomic(pkt->info.op))
		return xrdma_check_atomic(pkt, to, plan, rows);
	xrdma_plan_payload(pkt, &plan->transfer);
	plan->done = pkt->info.position & XRDMA_POSITION_FIRST ? 0 : XRDMA_READ(resp->done);
	return pkt->info.op == XRDMA_OP_SEND ? xrdma_check_send(pkt, to, plan, rows)
					     : xrdma_check_write(pkt, to, plan, rows);
}

/*
 * Return the final verdict on PKT, a duplicate of a READ or an atomic, which VERDICT has refused.
 * An error in it harms nobody: it came late, and its memory may be gone. A READ that is repeated
 * because a page was missing is not such a duplicate: if the process has no memory for that page,
 * it is refused like a first request.
 */
XRDMA_VERIFIED_ONCE int xrdma_refuse_again(const struct xrdma_qp_row *qp,
					   const struct xrdma_pkt *pkt, __u32 verdict)
{
	if (!qp || !pkt || verdict == XRDMA_V_NOT_KEPT)
		return XRDMA_V_NOT_KEPT;
	return XRDMA_READ(qp->resp.unbacked) == (XRDMA_UNBACKED | pkt->psn) ? verdict
									    : XRDMA_V_GONE;
}

/*
 * Check a duplicate. A READ with a resource is executed again, so everything but its PSN is checked
 * (9.7.5.1.2). An atomic is answered with the result in its resource.
 */
static __always_inline enum xrdma_verdict
xrdma_check_request(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_target *to,
		    struct xrdma_plan *plan, struct xrdma_plan_rows *rows)
{
	enum xrdma_verdict verdict;

	__builtin_memset(plan, 0, sizeof(*plan));
	if (xrdma_is_handed_over(to->qp))
		return XRDMA_V_DEFERRED;
	if (xrdma_is_reliable(pkt) && !xrdma_reply_fits(ctx, pkt))
		return XRDMA_V_ROOM;
	verdict = xrdma_check_psn(pkt, to->qp);
	plan->again = verdict == XRDMA_V_DUPLICATE && xrdma_op_is_rd_atomic(pkt->info.op);
	if (verdict != XRDMA_V_OK && !plan->again)
		return verdict;
	if (to->paused_for)
		return plan->again ? XRDMA_V_GONE : xrdma_pause_verdict(to->paused_for);
	plan->fills = XRDMA_READ(to->qp->resp.waiting);
	verdict = xrdma_check_op(pkt, to, plan, rows);
	if (!XRDMA_HAS_SENDER && verdict == XRDMA_V_DEFERRED)
		return XRDMA_V_DEFERRED;
	return plan->again && verdict != XRDMA_V_OK ? xrdma_refuse_again(to->qp, pkt, verdict)
						    : verdict;
}

#endif

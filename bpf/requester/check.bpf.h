/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The check of a response to our own requests: an acknowledgement, or data of a READ or an atomic.
 * A response stands for all requests before it, up to the oldest READ or atomic whose response has
 * not come, or not all of it (9.7.5.1). The check changes nothing. Its plan has the PSN up to which
 * requests are acknowledged. Its verdict is the kind of the response: XRDMA_V_ACKED for an
 * acknowledgement, XRDMA_V_NAKED for a NAK, XRDMA_V_RESPONSE_AHEAD for a gap before the response,
 * XRDMA_V_OK for data that the execute stage places.
 */
#ifndef XRDMA_REQUESTER_CHECK_BPF_H
#define XRDMA_REQUESTER_CHECK_BPF_H

#include "wire/parse.h"
#include "wire/psn.h"
#include "obj/peer.bpf.h"
#include "obj/plan.bpf.h"
#include "memory/transfer.bpf.h"

/* Returns whether a READ or an atomic waits for its response. *OLDEST is the first one. */
static __always_inline bool xrdma_oldest_rd_atomic(const struct xrdma_qp_row *qp,
						   const struct xrdma_rd_atomic **oldest)
{
	__u32 number = XRDMA_READ(qp->req.rd_atomics_done);

	*oldest = &qp->rd_atomic[number % XRDMA_RD_ATOMIC_MAX];
	return number != XRDMA_OBSERVE(qp->rd_atomics);
}

static __always_inline bool xrdma_is_ack(const struct xrdma_pkt *pkt)
{
	return (pkt->syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_ACK;
}

/*
 * Returns whether SYNDROME is a NAK: codes up to REMOTE_OPERATION exist for RC, and RNR NAKs with
 * any timer (9.7.5.2).
 */
static __always_inline bool xrdma_is_nak(__u8 syndrome)
{
	return (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK ||
	       (syndrome >= XRDMA_AETH_NAK_PSN_SEQ && syndrome <= XRDMA_AETH_NAK_REMOTE_OPERATION);
}

/* Check PKT, an acknowledgement or a NAK. A NAK acknowledges the requests before its PSN. */
static __always_inline enum xrdma_verdict xrdma_check_ack(const struct xrdma_pkt *pkt,
							  struct xrdma_plan *plan)
{
	if (xrdma_is_ack(pkt)) {
		plan->acked = xrdma_psn_add(pkt->psn, 1);
		return XRDMA_V_ACKED;
	}
	plan->acked = pkt->psn;
	return xrdma_is_nak(pkt->syndrome) ? XRDMA_V_NAKED : XRDMA_V_SYNDROME;
}

/*
 * Returns whether PKT is the packet of the response to RD_ATOMIC that has its PSN, in length and
 * position (9.7.5.1.2). TRANSFER gets the place of its data. A packet that is first in its response
 * may be any one: a repeated request starts there.
 */
static __always_inline bool xrdma_is_part(const struct xrdma_pkt *pkt,
					  const struct xrdma_qp_row *qp,
					  const struct xrdma_rd_atomic *rd_atomic,
					  struct xrdma_transfer *transfer)
{
	__u32 number = (pkt->psn - XRDMA_READ(rd_atomic->psn)) & XRDMA_PSN_MASK;
	__u32 mtu = XRDMA_READ(qp->mtu), length = XRDMA_READ(rd_atomic->length);
	__u64 before = (__u64)number * mtu;
	bool is_last = before + mtu >= length;

	if ((number && before >= length) ||
	    is_last != !!(pkt->info.position & XRDMA_POSITION_LAST) ||
	    (!number && !(pkt->info.position & XRDMA_POSITION_FIRST)))
		return false;
	transfer->skip = before;
	return transfer->len == (is_last ? length - before : mtu);
}

/*
 * Check if PKT is the expected response to RD_ATOMIC, and plan where its payload goes. The result
 * of an atomic precedes the payload, which is empty. Returns XRDMA_V_OK if it is.
 */
static __always_inline enum xrdma_verdict xrdma_check_data(const struct xrdma_pkt *pkt,
							   const struct xrdma_qp_row *qp,
							   const struct xrdma_rd_atomic *rd_atomic,
							   struct xrdma_plan *plan)
{
	bool has_ack = pkt->info.headers & XRDMA_HDR_AETH;
	struct xrdma_transfer *transfer = &plan->transfer;

	__builtin_memset(transfer, 0, sizeof(*transfer));
	transfer->at = pkt->payload_at;
	transfer->len = pkt->payload_len;
	transfer->rights = XRDMA_ACCESS_READ;
	transfer->sges.row = XRDMA_READ(rd_atomic->first);
	transfer->sges.count = XRDMA_READ(rd_atomic->num_sge);
	if (pkt->info.op == XRDMA_OP_ATOMIC_ACK) {
		transfer->len = sizeof(pkt->original);
		transfer->at = pkt->payload_at - sizeof(pkt->original);
	}
	if (pkt->info.op != XRDMA_READ(rd_atomic->response) || (has_ack && !xrdma_is_ack(pkt)) ||
	    !xrdma_is_part(pkt, qp, rd_atomic, transfer))
		return XRDMA_V_RESPONSE_BAD;
	plan->acked = xrdma_psn_add(pkt->psn, 1);
	return XRDMA_V_OK;
}

/* Return the PSN of the next response to OLDEST: its first one, or the one after those received. */
static __always_inline __u32 xrdma_next_psn(const struct xrdma_requester *req,
					    const struct xrdma_rd_atomic *oldest)
{
	__u32 acked = XRDMA_READ(req->acked_psn), first = XRDMA_READ(oldest->psn);

	return xrdma_psn_cmp(acked, first) > 0 ? acked : first;
}

/* Return XRDMA_V_OK if PKT responds to a request that was sent and is not acknowledged yet. */
static __always_inline enum xrdma_verdict xrdma_check_acked_psn(const struct xrdma_pkt *pkt,
								const struct xrdma_qp_row *qp)
{
	if (xrdma_psn_cmp(pkt->psn, XRDMA_READ(qp->sent_psn)) >= 0)
		return XRDMA_V_ACK_UNSENT;
	if (xrdma_psn_cmp(pkt->psn, XRDMA_READ(qp->req.acked_psn)) < 0)
		return XRDMA_V_ACK_OLD;
	return xrdma_strays_are_storm(&qp->req.strays) ? XRDMA_V_STORM : XRDMA_V_OK;
}

/* Return the verdict on PKT as far as it does not depend on memory. */
XRDMA_VERIFIED_ONCE int xrdma_plan_response(const struct xrdma_pkt *pkt,
					    const struct xrdma_qp_row *qp, struct xrdma_plan *plan)
{
	const struct xrdma_rd_atomic *oldest;
	enum xrdma_verdict verdict;
	__s32 order = -1;
	bool data;

	if (!pkt || !qp || !plan)
		return XRDMA_V_RESPONSE;
	data = pkt->info.op != XRDMA_OP_ACK;
	if (xrdma_check_length(pkt, 0) != XRDMA_V_OK)
		return XRDMA_V_RESPONSE_LENGTH;
	verdict = xrdma_check_acked_psn(pkt, qp);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (xrdma_oldest_rd_atomic(qp, &oldest)) {
		plan->acked = xrdma_next_psn(&qp->req, oldest);
		order = xrdma_psn_cmp(pkt->psn, plan->acked);
	}
	if (order > 0 || (order == 0 && !data && xrdma_is_ack(pkt)))
		return XRDMA_V_RESPONSE_AHEAD;
	if (!data)
		return xrdma_check_ack(pkt, plan);
	return order == 0 ? xrdma_check_data(pkt, qp, oldest, plan) : XRDMA_V_RESPONSE;
}

/* Return XRDMA_V_OK if PKT has data, and their memory may be written. */
static __always_inline enum xrdma_verdict xrdma_check_response(const struct xrdma_pkt *pkt,
							       const struct xrdma_target *to,
							       struct xrdma_plan *plan,
							       struct xrdma_plan_rows *rows)
{
	enum xrdma_verdict verdict;

	if (to->paused_for && pkt->info.op != XRDMA_OP_ACK)
		return XRDMA_V_PAUSED_LOST;
	verdict = xrdma_plan_response(pkt, to->qp, plan);
	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_transfer_check_list(to, &plan->transfer, &rows->chunk) == XRDMA_V_OK
		       ? XRDMA_V_OK
		       : XRDMA_V_RESPONSE_KEY;
}

#endif

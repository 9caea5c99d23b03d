/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Responses to our own requests: acknowledgements, and data of READs and atomics. A
 * response stands for all requests before it, up to the oldest READ or atomic whose response has
 * not come, or not all of it (9.7.5.1).
 */
#ifndef XRDMA_REQUESTER_RESPONSE_BPF_H
#define XRDMA_REQUESTER_RESPONSE_BPF_H

#include "wire/parse.h"
#include "wire/psn.h"
#include "obj/cq.bpf.h"
#include "obj/peer.bpf.h"
#include "memory/transfer.bpf.h"

/* Whether a READ or an atomic waits for its response; *OLDEST is the first. */
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

/* NAK codes up to REMOTE_OPERATION exist for RC; RNR NAKs of any timer (9.7.5.2). */
static __always_inline bool xrdma_is_nak(__u8 syndrome)
{
	return (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK ||
	       (syndrome >= XRDMA_AETH_NAK_PSN_SEQ && syndrome <= XRDMA_AETH_NAK_REMOTE_OPERATION);
}

/*
 * PKT says that everything before PSN is acknowledged, and data that were asked for are in place.
 */
static __always_inline void xrdma_move_on(const struct xrdma_pkt *pkt, struct xrdma_requester *req,
					  __u32 psn)
{
	xrdma_learn_sport(&req->peer_sport, pkt);
	xrdma_strays_forget(&req->strays);
	XRDMA_WRITE(req->waiting, 0);
	XRDMA_PUBLISH(req->acked_psn, psn);
}

/*
 * RNR NAKs apart: requests in flight behind the one that was not received are missed by NAKs of
 * their own.
 */
static __always_inline void xrdma_tell_nak(struct xrdma_requester *req, __u8 syndrome, __u32 psn)
{
	bool rnr = (syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK;
	struct xrdma_nak *nak = rnr ? &req->rnr_nak : &req->nak;

	XRDMA_WRITE(nak->last, (__u32)syndrome << 24 | psn);
	XRDMA_PUBLISH(nak->count, XRDMA_READ(nak->count) + 1);
}

static __always_inline enum xrdma_verdict xrdma_take_ack(const struct xrdma_pkt *pkt,
							 struct xrdma_requester *req)
{
	if (xrdma_is_ack(pkt)) {
		XRDMA_WRITE(req->msn, pkt->msn);
		xrdma_move_on(pkt, req, xrdma_psn_add(pkt->psn, 1));
		return XRDMA_V_ACKED;
	}
	if (!xrdma_is_nak(pkt->syndrome))
		return XRDMA_V_SYNDROME;
	xrdma_move_on(pkt, req, pkt->psn);
	xrdma_tell_nak(req, pkt->syndrome, pkt->psn);
	return XRDMA_V_NAKED;
}

/*
 * As if the peer had asked for PSN again, once for each that is lost: more follows it that comes
 * ahead as well.
 */
static __always_inline enum xrdma_verdict xrdma_miss(struct xrdma_requester *req, __u32 psn)
{
	XRDMA_PUBLISH(req->acked_psn, psn);
	if (!XRDMA_READ(req->waiting)) {
		XRDMA_WRITE(req->waiting, 1);
		xrdma_tell_nak(req, XRDMA_AETH_NAK_PSN_SEQ, psn);
	}
	return XRDMA_V_RESPONSE_AHEAD;
}

/*
 * What an atomic found becomes the payload, in the order of this machine, in which memory has it.
 */
static __always_inline bool xrdma_original_to_payload(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						      struct xrdma_transfer *transfer)
{
	__u64 original = pkt->original;

	transfer->len = sizeof(original);
	transfer->at = pkt->payload_at - sizeof(original);
	return xrdma_frame_store(ctx, transfer->at, &original, sizeof(original));
}

/*
 * Whether PKT is the response of its PSN to RD_ATOMIC, as long as that is and last if that is
 * (9.7.5.1.2); TRANSFER learns where it goes. First is any from which was asked again.
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

/* XRDMA_V_OK: the payload is that of the response to RD_ATOMIC, and is to be placed. */
static __always_inline enum xrdma_verdict
xrdma_plan_data(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_qp_row *qp,
		const struct xrdma_rd_atomic *rd_atomic, struct xrdma_transfer *transfer)
{
	bool has_ack = pkt->info.headers & XRDMA_HDR_AETH;

	__builtin_memset(transfer, 0, sizeof(*transfer));
	transfer->at = pkt->payload_at;
	transfer->len = pkt->payload_len;
	transfer->rights = XRDMA_ACCESS_READ;
	transfer->sges.row = XRDMA_READ(rd_atomic->first);
	transfer->sges.count = XRDMA_READ(rd_atomic->num_sge);
	if (pkt->info.op != XRDMA_READ(rd_atomic->response) || (has_ack && !xrdma_is_ack(pkt)) ||
	    (pkt->info.op == XRDMA_OP_ATOMIC_ACK &&
	     !xrdma_original_to_payload(ctx, pkt, transfer)) ||
	    !xrdma_is_part(pkt, qp, rd_atomic, transfer))
		return XRDMA_V_RESPONSE_BAD;
	return XRDMA_V_OK;
}

/* The PSN of the next response to OLDEST: its first, or behind those that have come. */
static __always_inline __u32 xrdma_next_psn(const struct xrdma_requester *req,
					    const struct xrdma_rd_atomic *oldest)
{
	__u32 acked = XRDMA_READ(req->acked_psn), first = XRDMA_READ(oldest->psn);

	return xrdma_psn_cmp(acked, first) > 0 ? acked : first;
}

/* XRDMA_V_OK: PKT is the response to a request that is not acknowledged yet. */
static __always_inline enum xrdma_verdict xrdma_check_acked_psn(const struct xrdma_pkt *pkt,
								struct xrdma_qp_row *qp)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;

	if (xrdma_psn_cmp(pkt->psn, XRDMA_READ(qp->sent_psn)) >= 0)
		verdict = XRDMA_V_ACK_UNSENT;
	else if (xrdma_psn_cmp(pkt->psn, XRDMA_READ(qp->req.acked_psn)) < 0)
		verdict = XRDMA_V_ACK_OLD;
	else if (xrdma_strays_are_storm(&qp->req.strays))
		return XRDMA_V_STORM;
	if (verdict != XRDMA_V_OK)
		xrdma_strays_add(&qp->req.strays);
	return verdict;
}

/* XRDMA_V_OK: there is a payload to be placed, and TRANSFER says where. */
XRDMA_VERIFIED_ONCE int xrdma_plan_response(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
					    struct xrdma_qp_row *qp,
					    struct xrdma_transfer *transfer)
{
	const struct xrdma_rd_atomic *oldest;
	enum xrdma_verdict verdict;
	struct xrdma_requester *req;
	bool data;
	__s32 order = -1;
	__u32 next = 0;

	if (!pkt || !qp || !transfer)
		return XRDMA_V_RESPONSE;
	req = &qp->req;
	data = pkt->info.op != XRDMA_OP_ACK;
	if (xrdma_check_length(pkt, 0) != XRDMA_V_OK)
		return XRDMA_V_RESPONSE_LENGTH;
	verdict = xrdma_check_acked_psn(pkt, qp);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (xrdma_oldest_rd_atomic(qp, &oldest)) {
		next = xrdma_next_psn(req, oldest);
		order = xrdma_psn_cmp(pkt->psn, next);
	}
	if (order > 0 || (order == 0 && !data && xrdma_is_ack(pkt)))
		return xrdma_miss(req, next);
	if (!data)
		return xrdma_take_ack(pkt, req);
	return order == 0 ? xrdma_plan_data(ctx, pkt, qp, oldest, transfer) : XRDMA_V_RESPONSE;
}

/* XRDMA_V_OK: it can be, too. */
static __always_inline enum xrdma_verdict
xrdma_check_response(xrdma_ctx *ctx, const struct xrdma_pkt *pkt, const struct xrdma_target *to,
		     struct xrdma_transfer *transfer, struct xrdma_chunk *chunk)
{
	enum xrdma_verdict verdict;

	if (to->paused_for && pkt->info.op != XRDMA_OP_ACK)
		return XRDMA_V_PAUSED_LOST;
	verdict = xrdma_plan_response(ctx, pkt, to->qp, transfer);
	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_transfer_check_list(to, transfer, chunk) == XRDMA_V_OK ? XRDMA_V_OK
									    : XRDMA_V_RESPONSE_KEY;
}

/* Whether PKT, with this verdict, has moved the requester on, by more than a part of a READ. */
static __always_inline bool xrdma_is_news(const struct xrdma_pkt *pkt, enum xrdma_verdict verdict)
{
	switch (verdict) {
	case XRDMA_V_PLACED:
		return pkt->info.position & XRDMA_POSITION_LAST;
	case XRDMA_V_ACKED:
	case XRDMA_V_NAKED:
	case XRDMA_V_RESPONSE_AHEAD:
	case XRDMA_V_RESPONSE_BAD:
	case XRDMA_V_RESPONSE_KEY:
		return true;
	default:
		return false;
	}
}

/*
 * After the payload was placed, or not, as VERDICT says. The queue pair is let go, and whoever
 * polls is told.
 */
static __always_inline enum xrdma_verdict xrdma_commit_response(const struct xrdma_pkt *pkt,
								const struct xrdma_target *to,
								enum xrdma_verdict verdict)
{
	struct xrdma_requester *req = &to->qp->req;

	switch (verdict) {
	case XRDMA_V_OK:
		if (pkt->info.headers & XRDMA_HDR_AETH)
			XRDMA_WRITE(req->msn, pkt->msn);
		if (pkt->info.position & XRDMA_POSITION_LAST)
			XRDMA_WRITE(req->rd_atomics_done, XRDMA_READ(req->rd_atomics_done) + 1);
		xrdma_move_on(pkt, req, xrdma_psn_add(pkt->psn, 1));
		verdict = XRDMA_V_PLACED;
		break;
	case XRDMA_V_RESPONSE_BAD:
	case XRDMA_V_RESPONSE_KEY:
		XRDMA_WRITE(req->acked_psn, pkt->psn);
		XRDMA_PUBLISH(req->error, verdict);
		break;
	default:
		break;
	}
	xrdma_qp_release(to->qp);
	if (xrdma_is_news(pkt, verdict))
		xrdma_cq_tell(to->space.slot, XRDMA_READ(to->qp->send_cq), to->qpn);
	return verdict;
}

#endif

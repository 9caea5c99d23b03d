/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The order of requests: the PSN, and the opcode within a message. */
#ifndef XRDMA_RESPONDER_ORDER_BPF_H
#define XRDMA_RESPONDER_ORDER_BPF_H

#include "obj/peer.bpf.h"
#include "wire/opcode.h"
#include "wire/psn.h"
#include "xrdma/abi/context.h"

static __always_inline bool xrdma_is_reliable(const struct xrdma_pkt *pkt)
{
	return xrdma_service_is(pkt->opcode, XRDMA_SERVICE_RELIABLE);
}

/*
 * Returns whether PKT begins a message of an unreliable service. Such a packet may have any PSN,
 * and a message that is not complete ends without a completion (IBA 9.8.2.2, 9.8.3.2).
 */
static __always_inline bool xrdma_begins_anew(const struct xrdma_pkt *pkt)
{
	return pkt->info.position & XRDMA_POSITION_FIRST && !xrdma_is_reliable(pkt);
}

/*
 * Check the PSN of a request (IBA 9.7.4.1.2). If the service is reliable, a PSN that is ahead is
 * reported once, until the request with the expected one is done (9.7.5.2).
 */
static __always_inline enum xrdma_verdict xrdma_check_psn(const struct xrdma_pkt *pkt,
							  const struct xrdma_qp_row *qp)
{
	const struct xrdma_responder *resp = &qp->resp;
	__s32 order = xrdma_psn_cmp(pkt->psn, XRDMA_READ(resp->psn));

	if (xrdma_begins_anew(pkt))
		return XRDMA_V_OK;
	if (order == 0)
		return xrdma_strays_are_storm(&qp->respq.strays) ? XRDMA_V_STORM : XRDMA_V_OK;
	if (order < 0)
		return XRDMA_V_DUPLICATE;
	return XRDMA_READ(resp->waiting) ? XRDMA_V_PSN_WAITING : XRDMA_V_PSN_AHEAD;
}

/*
 * Check the opcode sequence (IBA 9.7.4.1): FIRST and ONLY come between messages, MIDDLE and LAST
 * continue a message of their own operation.
 */
static __always_inline bool xrdma_in_order(const struct xrdma_pkt *pkt, __u8 under_way)
{
	if (pkt->info.position & XRDMA_POSITION_FIRST)
		return under_way == XRDMA_OP_NONE || xrdma_begins_anew(pkt);
	return under_way == pkt->info.op;
}

#endif

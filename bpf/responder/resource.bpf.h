/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Responder resources: the last READs and atomics of a queue pair's peer. The result of an atomic
 * is kept, because a duplicate is answered with it and never executed again (9.4.5, 9.7.5.1.3).
 * READs are kept, too. Otherwise anyone who knows an old PSN could try out keys by READs that look
 * like duplicates.
 */
#ifndef XRDMA_RESPONDER_RESOURCE_BPF_H
#define XRDMA_RESPONDER_RESOURCE_BPF_H

#include "lib/bounds.bpf.h"
#include "obj/access.h"
#include "wire/packet.h"

/* Requests whose response has data from memory. */
/* Return the bytes of memory that such a request needs. */
static __always_inline __u32 xrdma_rd_atomic_len(const struct xrdma_pkt *pkt)
{
	return pkt->info.op == XRDMA_OP_READ ? pkt->length : sizeof(__u64);
}

/*
 * Return the number of packets in a response of LENGTH bytes. All but the last have MTU bytes
 * (9.7.3.1).
 */
static __always_inline __u32 xrdma_response_packets(__u32 length, __u32 mtu)
{
	return length > mtu ? (length - 1) / mtu + 1 : 1;
}

static __always_inline __u8 xrdma_resource_op(const struct xrdma_resource *resource)
{
	return XRDMA_READ(resource->op_msn) >> 24;
}

/*
 * Returns whether PKT asks for a part of the request in MADE. Nothing else is a duplicate, whatever
 * its PSN is.
 */
XRDMA_VERIFIED_ONCE int xrdma_resource_matches(const struct xrdma_resource *made,
					       const struct xrdma_pkt *pkt, __u32 mtu)
{
	__u32 length, len, before;

	if (!made || !pkt)
		return false;
	length = XRDMA_READ(made->length);
	len = xrdma_rd_atomic_len(pkt);
	before = (pkt->psn - XRDMA_READ(made->psn)) & XRDMA_PSN_MASK;
	return xrdma_resource_op(made) == pkt->info.op && XRDMA_READ(made->key) == pkt->key &&
	       before + xrdma_response_packets(len, mtu) <= xrdma_response_packets(length, mtu) &&
	       xrdma_range_holds(XRDMA_READ(made->va), length, pkt->va, len);
}

/* Return the index of QP's resource that PKT duplicates, or -1. */
XRDMA_VERIFIED_ONCE int xrdma_resource_find(const struct xrdma_qp_row *qp,
					    const struct xrdma_pkt *pkt)
{
	__u32 kept, mtu;

	if (!qp || !pkt)
		return -1;
	kept = XRDMA_READ(qp->resp.resources);
	mtu = XRDMA_READ(qp->mtu);
	for (__u32 i = 0; i < XRDMA_RD_ATOMIC_MAX && i < kept; i++)
		if (xrdma_resource_matches(&qp->resource[i], pkt, mtu))
			return i;
	return -1;
}

/*
 * Keep PKT, which was executed with the result ORIGINAL, as a resource. When all resources are in
 * use, the count goes on from XRDMA_RD_ATOMIC_MAX, so that it always tells which are valid.
 */
XRDMA_VERIFIED_ONCE int xrdma_resource_keep(struct xrdma_qp_row *qp, const struct xrdma_pkt *pkt,
					    __u64 original)
{
	struct xrdma_resource *resource;
	__u32 number, next;

	if (!qp || !pkt)
		return 0;
	number = XRDMA_READ(qp->resp.resources);
	next = number + 1;
	resource = &qp->resource[number % XRDMA_RD_ATOMIC_MAX];
	resource->original = original;
	resource->va = pkt->va;
	resource->key = pkt->key;
	resource->length = xrdma_rd_atomic_len(pkt);
	resource->psn = pkt->psn;
	resource->op_msn = (__u32)pkt->info.op << 24 | (XRDMA_READ(qp->resp.msn) & XRDMA_PSN_MASK);
	XRDMA_WRITE(qp->resp.resources,
		    next < 2 * XRDMA_RD_ATOMIC_MAX ? next : XRDMA_RD_ATOMIC_MAX);
	return 0;
}

#endif

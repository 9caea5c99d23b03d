/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The bytes before the payload in the receive of a datagram (A17.4.5.2): the IPv6 header, or 20
 * zeros and the IPv4 header. They are written into the frame before the payload, whose headers are
 * not needed any more, so that both are copied at once.
 */
#ifndef XRDMA_RESPONDER_GRH_BPF_H
#define XRDMA_RESPONDER_GRH_BPF_H

#include "arrive/buffer.bpf.h"
#include "obj/scratch.bpf.h"

/* Read the IP header of the scratch memory's packet to the end of GRH, which is zero. */
static __always_inline bool xrdma_grh_read(xrdma_ctx *ctx, const struct xrdma_scratch *scratch,
					   __u8 *grh)
{
	const __u32 unused = XRDMA_GRH_LEN - sizeof(struct iphdr);
	const bool is_ipv4 = scratch->pkt.ip_version == 4;

	if (!scratch->pkt.super_came)
		return is_ipv4 ? xrdma_frame_load(ctx, scratch->pkt.ip_at, grh + unused,
						  sizeof(struct iphdr))
			       : xrdma_frame_load(ctx, scratch->pkt.ip_at, grh, XRDMA_GRH_LEN);
	if (is_ipv4) /* a segment has an IP header of its own in the scratch memory */
		__builtin_memcpy(grh + unused, scratch->frame.bytes + ETH_HLEN,
				 sizeof(struct iphdr));
	else
		__builtin_memcpy(grh, scratch->frame.bytes + ETH_HLEN, XRDMA_GRH_LEN);
	return true;
}

/*
 * Write the bytes of the scratch memory's packet into the frame. Those of a super packet are saved:
 * its next segment needs them.
 */
XRDMA_VERIFIED_ONCE int xrdma_grh_write(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	__u8 grh[XRDMA_GRH_LEN] = {};
	__u32 at;

	if (!scratch)
		return false;
	at = scratch->pkt.payload_at - XRDMA_GRH_LEN;
	if (scratch->pkt.super_came && !xrdma_frame_load(ctx, at, scratch->saved, XRDMA_GRH_LEN))
		return false;
	return xrdma_grh_read(ctx, scratch, grh) && xrdma_frame_store(ctx, at, grh, XRDMA_GRH_LEN);
}

/* Write the saved bytes of a super packet back into its frame. */
XRDMA_VERIFIED_ONCE int xrdma_grh_restore(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();

	return scratch && xrdma_frame_store(ctx, scratch->pkt.payload_at - XRDMA_GRH_LEN,
					    scratch->saved, XRDMA_GRH_LEN);
}

#endif

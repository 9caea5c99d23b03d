/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Packets of netdevs without a link layer (tun, WireGuard, IP in IPv4). The kernel passes them
 * without an Ethernet header. RoCE packets get a header of zeros, which is also the MAC address of
 * such a netdev, so that the stages handle one kind of frame. The kernel removes the header when
 * the frame leaves by such a netdev, goes to its ingress (bpf_redirect()), or passes.
 */
#ifndef XRDMA_ARRIVE_L3_BPF_H
#define XRDMA_ARRIVE_L3_BPF_H

#include "arrive/hook_tc.bpf.h"
#include "wire/ip.h"

/* Return the offset of the UDP header, or 0 if there is none. */
static __always_inline __u32 xrdma_l3_udp_at(xrdma_ctx *ctx)
{
	struct ipv6hdr ipv6;
	struct iphdr ipv4;

	if (ctx->protocol == bpf_htons(ETH_P_IP))
		return xrdma_frame_load(ctx, 0, &ipv4, sizeof(ipv4)) && ipv4.protocol == IPPROTO_UDP
			       ? ipv4.ihl * 4
			       : 0;
	return ctx->protocol == bpf_htons(ETH_P_IPV6) &&
			       xrdma_frame_load(ctx, 0, &ipv6, sizeof(ipv6)) &&
			       ipv6.nexthdr == IPPROTO_UDP
		       ? sizeof(ipv6)
		       : 0;
}

static __always_inline bool xrdma_l3_is_roce(xrdma_ctx *ctx)
{
	__u32 at = xrdma_l3_udp_at(ctx);
	struct udphdr udp;

	return at && xrdma_frame_load(ctx, at, &udp, sizeof(udp)) &&
	       udp.dest == bpf_htons(XRDMA_UDP_PORT);
}

/* Prepend a zeroed Ethernet header to the packet. Returns false if there is no room for it. */
static __always_inline bool xrdma_l3_add_ethernet(xrdma_ctx *ctx)
{
	struct ethhdr eth = { .h_proto = ctx->protocol };

	return !bpf_skb_change_head(ctx, sizeof(eth), 0) &&
	       xrdma_frame_store(ctx, 0, &eth, sizeof(eth));
}

#endif

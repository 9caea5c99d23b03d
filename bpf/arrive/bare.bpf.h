/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Packets of netdevs that have no link layer (tun, WireGuard, IP in IPv4): the kernel hands them on
 * as they are. Those that may be ours get an Ethernet header of zeros, as is the address of such a
 * netdev, so that the stages know one kind of frame. The kernel takes it off where a frame leaves
 * by such a netdev or goes to its ingress (bpf_redirect()), and before it hands one on that passes.
 */
#ifndef XRDMA_ARRIVE_BARE_BPF_H
#define XRDMA_ARRIVE_BARE_BPF_H

#include "arrive/hook_tc.bpf.h"
#include "wire/ip.h"

/* Where the UDP header is. 0: there is none. */
static __always_inline __u32 xrdma_bare_udp_at(xrdma_ctx *ctx)
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

static __always_inline bool xrdma_bare_is_roce(xrdma_ctx *ctx)
{
	__u32 at = xrdma_bare_udp_at(ctx);
	struct udphdr udp;

	return at && xrdma_frame_load(ctx, at, &udp, sizeof(udp)) &&
	       udp.dest == bpf_htons(XRDMA_UDP_PORT);
}

/* Prepend a zeroed Ethernet header to the packet. Returns false if there is no room for it. */
static __always_inline bool xrdma_bare_dress(xrdma_ctx *ctx)
{
	struct ethhdr eth = { .h_proto = ctx->protocol };

	return !bpf_skb_change_head(ctx, sizeof(eth), 0) &&
	       xrdma_frame_store(ctx, 0, &eth, sizeof(eth));
}

#endif

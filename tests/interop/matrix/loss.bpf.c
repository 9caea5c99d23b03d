// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Drop RoCE packets at random, in both directions of a netdev. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { ROCE_PORT = 4791 };

/* Number of packets lost of 1000 RoCE packets, in each direction. */
__u32 lost_per_mille;
__u64 packets[2], lost[2];

static __always_inline bool is_roce(const void *begin, const void *end)
{
	const struct ethhdr *eth = begin;
	const struct iphdr *ipv4 = (const void *)(eth + 1);
	const struct ipv6hdr *ipv6 = (const void *)(eth + 1);
	const struct udphdr *udp;

	if ((const void *)(ipv6 + 1) > end)
		return false;
	if (eth->h_proto == bpf_htons(ETH_P_IP) && ipv4->protocol == IPPROTO_UDP)
		udp = (const void *)(ipv4 + 1);
	else if (eth->h_proto == bpf_htons(ETH_P_IPV6) && ipv6->nexthdr == IPPROTO_UDP)
		udp = (const void *)(ipv6 + 1);
	else
		return false;
	return (const void *)(udp + 1) <= end && udp->dest == bpf_htons(ROCE_PORT);
}

static __always_inline bool is_lost(const void *begin, const void *end, int way)
{
	if (!is_roce(begin, end))
		return false;
	__sync_fetch_and_add(&packets[way], 1);
	if (bpf_get_prandom_u32() % 1000 >= lost_per_mille)
		return false;
	__sync_fetch_and_add(&lost[way], 1);
	return true;
}

SEC("xdp.frags")
int loss_in(struct xdp_md *xdp)
{
	return is_lost((void *)(long)xdp->data, (void *)(long)xdp->data_end, 0) ? XDP_DROP
										: XDP_PASS;
}

SEC("tc")
int loss_out(struct __sk_buff *skb)
{
	return is_lost((void *)(long)skb->data, (void *)(long)skb->data_end, 1) ? TC_ACT_SHOT
										: TC_ACT_OK;
}

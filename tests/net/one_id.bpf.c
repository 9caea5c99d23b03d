// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Set the identification of RoCE packets of IPv4 that a netdev receives to 0, as if another netdev
 * had segmented messages without incrementing it.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <stddef.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tc")
int one_id(struct __sk_buff *skb)
{
	struct iphdr ip;

	if (skb->protocol != bpf_htons(ETH_P_IP) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN, &ip, sizeof(ip)) || ip.protocol != IPPROTO_UDP)
		return TC_ACT_OK;
	bpf_l3_csum_replace(skb, ETH_HLEN + offsetof(struct iphdr, check), ip.id, 0, sizeof(ip.id));
	ip.id = 0;
	bpf_skb_store_bytes(skb, ETH_HLEN + offsetof(struct iphdr, id), &ip.id, sizeof(ip.id), 0);
	return TC_ACT_OK;
}

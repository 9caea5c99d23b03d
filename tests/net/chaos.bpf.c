// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Damage the RoCE packets that a netdev sends. Of 100 packets, on average one is lost, one is sent
 * twice, and one has a flipped bit anywhere, also in the Ethernet and IP headers. A super packet
 * counts as one packet.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <stddef.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { ROCE_PORT = 4791, AGAIN = 0x2a /* mark of a packet that is sent again */ };

static __always_inline bool is_roce(struct __sk_buff *skb)
{
	bool ipv4 = skb->protocol == bpf_htons(ETH_P_IP);
	__u32 ip = sizeof(struct ethhdr), udp = ip;
	__u8 protocol;
	__be16 port;

	udp += ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	ip += ipv4 ? offsetof(struct iphdr, protocol) : offsetof(struct ipv6hdr, nexthdr);
	return !bpf_skb_load_bytes(skb, ip, &protocol, sizeof(protocol)) &&
	       protocol == IPPROTO_UDP &&
	       !bpf_skb_load_bytes(skb, udp + offsetof(struct udphdr, dest), &port, sizeof(port)) &&
	       port == bpf_htons(ROCE_PORT);
}

static __always_inline void turn_bit(struct __sk_buff *skb)
{
	__u32 at = bpf_get_prandom_u32() % skb->len;
	__u8 byte;

	if (bpf_skb_load_bytes(skb, at, &byte, sizeof(byte)))
		return;
	byte ^= 1 << (bpf_get_prandom_u32() & 7);
	bpf_skb_store_bytes(skb, at, &byte, sizeof(byte), 0);
}

SEC("tc")
int chaos_out(struct __sk_buff *skb)
{
	if (skb->mark == AGAIN || !is_roce(skb))
		return TC_ACT_OK;
	switch (bpf_get_prandom_u32() % 100) {
	case 0:
		return TC_ACT_SHOT;
	case 1:
		skb->mark = AGAIN;
		bpf_clone_redirect(skb, skb->ifindex, 0);
		break;
	case 2:
		turn_bit(skb);
	}
	return TC_ACT_OK;
}

/*
 * Program for the other end of a veth pair. A native XDP program can send by a veth netdev only if
 * its peer has an XDP program, too.
 */
SEC("xdp.frags")
int chaos_in(struct xdp_md *xdp)
{
	(void)xdp;
	return XDP_PASS;
}

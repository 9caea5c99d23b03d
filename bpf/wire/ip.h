/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Parser for the layers below InfiniBand: Ethernet, VLAN tags, IPv4 or IPv6, UDP port 4791. */
#ifndef XRDMA_WIRE_IP_H
#define XRDMA_WIRE_IP_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "wire/packet.h"
#include <xrdma/verdict.h>

enum {
	XRDMA_VLAN_TAGS_MAX = 2,
	XRDMA_VLAN_LEN = 4,
	XRDMA_VLAN_ID_MASK = 0xfff,
	XRDMA_IPV4_FRAG_OFFSET = 0x1fff,
	XRDMA_IPV4_MORE_FRAGMENTS = 0x2000,
};

/* IPv6 fragment header (RFC 8200, 4.5). */
struct xrdma_ipv6_fragment {
	__u8 nexthdr;
	__u8 reserved;
	__be16 offset; /* in units of 8 bytes, from bit 3 up */
	__be32 id;
};

/*
 * Position of the parser. It takes headers one after the other, never beyond the offset END or
 * beyond LIMIT.
 */
struct xrdma_cursor {
	const void *bytes;
	const void *limit;
	__u32 at;
	__u32 end;
};

/*
 * Return the LEN bytes at the cursor, and move it behind them. Returns NULL if the frame has fewer.
 */
static __always_inline const void *xrdma_take(struct xrdma_cursor *cursor, __u32 len)
{
	__u32 at = cursor->at;
	const void *header = cursor->bytes + at;

	if (at > XRDMA_HEADERS_MAX - len || at + len > cursor->end || header + len > cursor->limit)
		return NULL;
	cursor->at = at + len;
	return header;
}

static __always_inline void xrdma_map_ipv4(__be32 *addr, __be32 ipv4)
{
	addr[0] = 0;
	addr[1] = 0;
	addr[2] = bpf_htonl(0xffff);
	addr[3] = ipv4;
}

static __always_inline bool xrdma_is_mapped(const __be32 *addr)
{
	return !(addr[0] | addr[1]) && addr[2] == bpf_htonl(0xffff);
}

/* Return the one's complement sum of two 16-bit words (RFC 1071). It is 0 only if both are. */
static __always_inline __u16 xrdma_sum_add(__u16 sum, __u16 word)
{
	__u32 both = sum + word;

	return both + (both >> 16);
}

static __always_inline __u16 xrdma_sum_sub(__u16 sum, __u16 word)
{
	return xrdma_sum_add(sum, ~word);
}

/*
 * Return the one's complement sum of an IPv4 header without options: 0 if its checksum is right
 * (RFC 1071).
 */
static __always_inline __u16 xrdma_ipv4_sum(const struct iphdr *hdr)
{
	const __u32 *words = (const void *)hdr;
	__u64 sum = 0;

	for (int i = 0; i < 5; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* Result of checking the IP header. It is kept until the UDP port shows whether it matters. */
struct xrdma_ip_result {
	__u8 protocol;
	bool fragment;
	bool options;
	__u32 end; /* end of the IP packet in the frame */
};

static __always_inline enum xrdma_verdict
xrdma_parse_ipv4(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt, struct xrdma_ip_result *ip)
{
	const struct iphdr *hdr = xrdma_take(cursor, sizeof(*hdr));
	__u16 frag;

	if (!hdr)
		return XRDMA_V_TRUNCATED;
	frag = bpf_ntohs(hdr->frag_off);
	if (hdr->version != 4 || hdr->ihl < 5)
		return XRDMA_V_NOT_ROCE;
	if (frag & XRDMA_IPV4_FRAG_OFFSET)
		return XRDMA_V_NOT_ROCE; /* without a UDP header it may be anything */
	ip->protocol = hdr->protocol;
	ip->fragment = frag & XRDMA_IPV4_MORE_FRAGMENTS;
	ip->options = hdr->ihl > 5;
	ip->end = pkt->ip_at + bpf_ntohs(hdr->tot_len);
	cursor->at += (hdr->ihl - 5) * 4;
	pkt->ip_version = 4;
	pkt->ip_checksum = xrdma_ipv4_sum(hdr);
	pkt->tclass = hdr->tos;
	xrdma_map_ipv4(pkt->saddr, hdr->saddr);
	xrdma_map_ipv4(pkt->daddr, hdr->daddr);
	return XRDMA_V_OK;
}

/*
 * Parse an IPv6 header. Packets with extension headers other than a fragment header pass to the
 * stack, because RoCE v2 has none. So does a packet to an IPv4-mapped address, which would be
 * mistaken for one to the IPv4 address. No host sends such packets (RFC 4291, 2.5.5.2), and Linux
 * drops them.
 */
static __always_inline enum xrdma_verdict
xrdma_parse_ipv6(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt, struct xrdma_ip_result *ip)
{
	const struct ipv6hdr *hdr = xrdma_take(cursor, sizeof(*hdr));
	const struct xrdma_ipv6_fragment *frag;

	if (!hdr)
		return XRDMA_V_TRUNCATED;
	if (hdr->version != 6 || xrdma_is_mapped((const void *)&hdr->daddr))
		return XRDMA_V_NOT_ROCE;
	ip->protocol = hdr->nexthdr;
	ip->fragment = hdr->nexthdr == IPPROTO_FRAGMENT;
	ip->options = false;
	ip->end = cursor->at + bpf_ntohs(hdr->payload_len);
	pkt->ip_version = 6;
	pkt->ip_checksum = 0;
	pkt->tclass = hdr->priority << 4 | hdr->flow_lbl[0] >> 4;
	__builtin_memcpy(pkt->saddr, &hdr->saddr, sizeof(pkt->saddr));
	__builtin_memcpy(pkt->daddr, &hdr->daddr, sizeof(pkt->daddr));
	if (!ip->fragment)
		return XRDMA_V_OK;
	frag = xrdma_take(cursor, sizeof(*frag));
	if (!frag)
		return XRDMA_V_TRUNCATED;
	if (bpf_ntohs(frag->offset) >> 3)
		return XRDMA_V_NOT_ROCE;
	ip->protocol = frag->nexthdr;
	return XRDMA_V_OK;
}

static __always_inline enum xrdma_verdict
xrdma_parse_ip(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt, struct xrdma_ip_result *ip)
{
	const struct ethhdr *eth = xrdma_take(cursor, sizeof(*eth));
	const __be16 *tag;
	__be16 proto;

	if (!eth)
		return XRDMA_V_TRUNCATED;
	proto = eth->h_proto;
	pkt->vlans = 0;
	for (int i = 0; i < XRDMA_VLAN_TAGS_MAX; i++) {
		if (proto != bpf_htons(ETH_P_8021Q) && proto != bpf_htons(ETH_P_8021AD))
			break;
		tag = xrdma_take(cursor, XRDMA_VLAN_LEN);
		if (!tag)
			return XRDMA_V_TRUNCATED;
		pkt->vlans |= bpf_ntohs(tag[0]) & XRDMA_VLAN_ID_MASK;
		proto = tag[1];
	}
	pkt->ip_at = cursor->at;
	if (proto == bpf_htons(ETH_P_IP))
		return xrdma_parse_ipv4(cursor, pkt, ip);
	if (proto == bpf_htons(ETH_P_IPV6))
		return xrdma_parse_ipv6(cursor, pkt, ip);
	return XRDMA_V_NOT_ROCE;
}

static __always_inline enum xrdma_verdict xrdma_parse_udp(struct xrdma_cursor *cursor,
							  struct xrdma_pkt *pkt,
							  const struct xrdma_ip_result *ip)
{
	__u32 at = cursor->at;
	const struct udphdr *udp;

	if (ip->protocol != IPPROTO_UDP)
		return XRDMA_V_NOT_ROCE;
	udp = xrdma_take(cursor, sizeof(*udp));
	if (!udp)
		return XRDMA_V_TRUNCATED;
	if (udp->dest != bpf_htons(XRDMA_UDP_PORT))
		return XRDMA_V_NOT_ROCE;
	pkt->bth_at = cursor->at;
	if (ip->fragment)
		return XRDMA_V_FRAGMENT;
	if (ip->options)
		return XRDMA_V_IPV4_OPTIONS;
	if (ip->end > pkt->frame_len)
		return XRDMA_V_TRUNCATED;
	if (ip->end > cursor->end)
		return XRDMA_V_OVERSIZED;
	if (at + bpf_ntohs(udp->len) != ip->end ||
	    ip->end < cursor->at + sizeof(struct xrdma_bth) + XRDMA_ICRC_LEN)
		return XRDMA_V_UDP_LENGTH;
	pkt->udp_sport = udp->source;
	pkt->udp_rest = udp->check ? xrdma_sum_sub(udp->check, udp->len) : 0;
	pkt->icrc_at = ip->end - XRDMA_ICRC_LEN;
	cursor->end = pkt->icrc_at;
	return XRDMA_V_OK;
}

#endif

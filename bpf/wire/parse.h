/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stage 1: from a frame to an xrdma_pkt. Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP 4791, BTH
 * and the extended headers of its opcode. The same source serves the XDP program and user space.
 */
#ifndef XRDMA_WIRE_PARSE_H
#define XRDMA_WIRE_PARSE_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "wire/opcode.h"
#include "wire/packet.h"
#include <xrdma/verdict.h>

enum {
	XRDMA_VLAN_TAGS_MAX = 2,
	XRDMA_VLAN_LEN = 4,
	XRDMA_IPV4_FRAG_OFFSET = 0x1fff,
	XRDMA_IPV4_MORE_FRAGMENTS = 0x2000,
};

/* IPv6 fragment header (RFC 8200, 4.5). */
struct xrdma_ipv6_fragment {
	__u8 nexthdr;
	__u8 reserved;
	__be16 offset; /* in units of 8 bytes from bit 3 up */
	__be32 id;
};

/*
 * Where reading stands: headers are taken one after the other, never past the offset END, nor past
 * LIMIT.
 */
struct xrdma_cursor {
	const void *bytes;
	const void *limit;
	__u32 at;
	__u32 end;
};

/* The LEN bytes at the cursor, which moves past them; NULL when the frame has less. */
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

/*
 * The one's complement sum of an IPv4 header without options: 0 when its checksum is right (RFC
 * 1071).
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

/* What the IP header said, kept until the UDP port shows that it matters. */
struct xrdma_ip_result {
	__u8 protocol;
	bool fragment;
	bool options;
	__u32 end; /* of the IP packet in the frame */
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
		return XRDMA_V_NOT_ROCE; /* without a UDP header nothing says that it is ours */
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

/* Extension headers other than a fragment's are left to the stack: RoCE v2 uses none. */
static __always_inline enum xrdma_verdict
xrdma_parse_ipv6(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt, struct xrdma_ip_result *ip)
{
	const struct ipv6hdr *hdr = xrdma_take(cursor, sizeof(*hdr));
	const struct xrdma_ipv6_fragment *frag;

	if (!hdr)
		return XRDMA_V_TRUNCATED;
	if (hdr->version != 6)
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
	for (int i = 0; i < XRDMA_VLAN_TAGS_MAX; i++) {
		if (proto != bpf_htons(ETH_P_8021Q) && proto != bpf_htons(ETH_P_8021AD))
			break;
		tag = xrdma_take(cursor, XRDMA_VLAN_LEN);
		if (!tag)
			return XRDMA_V_TRUNCATED;
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
	pkt->icrc_at = ip->end - XRDMA_ICRC_LEN;
	cursor->end = pkt->icrc_at;
	return XRDMA_V_OK;
}

static __always_inline enum xrdma_verdict xrdma_parse_bth(struct xrdma_cursor *cursor,
							  struct xrdma_pkt *pkt)
{
	const struct xrdma_bth *bth;
	__u32 qpn, psn;

	pkt->bth_at = cursor->at;
	bth = xrdma_take(cursor, sizeof(*bth));
	if (!bth)
		return XRDMA_V_SHORT;
	qpn = bpf_ntohl(bth->dest_qpn);
	psn = bpf_ntohl(bth->psn);
	pkt->opcode = bth->opcode;
	pkt->info = xrdma_opcodes[bth->opcode];
	pkt->bth_flags = bth->flags;
	pkt->pad_len = (bth->flags & XRDMA_BTH_PAD_MASK) >> XRDMA_BTH_PAD_SHIFT;
	pkt->pkey = bpf_ntohs(bth->pkey);
	pkt->dest_qpn = qpn & XRDMA_QPN_MASK;
	pkt->fecn = qpn & XRDMA_BTH_FECN;
	pkt->becn = qpn & XRDMA_BTH_BECN;
	pkt->psn = psn & XRDMA_PSN_MASK;
	pkt->ack_req = psn & XRDMA_BTH_ACKREQ;
	return bth->flags & XRDMA_BTH_VERSION_MASK ? XRDMA_V_BTH_VERSION : XRDMA_V_OK;
}

static __always_inline bool xrdma_parse_datagram(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	const struct xrdma_deth *deth = xrdma_take(cursor, sizeof(*deth));

	if (!deth)
		return false;
	pkt->qkey = bpf_ntohl(deth->qkey);
	pkt->src_qpn = bpf_ntohl(deth->src_qpn) & XRDMA_QPN_MASK;
	return true;
}

static __always_inline bool xrdma_parse_flush(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	const struct xrdma_feth *feth = xrdma_take(cursor, sizeof(*feth));

	if (!feth)
		return false;
	pkt->flush_type = bpf_ntohl(feth->type);
	return true;
}

static __always_inline bool xrdma_parse_rdma(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	const struct xrdma_reth *reth = xrdma_take(cursor, sizeof(*reth));

	if (!reth)
		return false;
	pkt->va = bpf_be64_to_cpu(reth->va);
	pkt->key = bpf_ntohl(reth->rkey);
	pkt->length = bpf_ntohl(reth->length);
	return true;
}

static __always_inline bool xrdma_parse_atomic(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	const struct xrdma_atomiceth *atomic = xrdma_take(cursor, sizeof(*atomic));

	if (!atomic)
		return false;
	pkt->va = bpf_be64_to_cpu(atomic->va);
	pkt->key = bpf_ntohl(atomic->rkey);
	pkt->swap_add = bpf_be64_to_cpu(atomic->swap_add);
	pkt->compare = bpf_be64_to_cpu(atomic->compare);
	return true;
}

static __always_inline bool xrdma_parse_ack(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	const struct xrdma_aeth *aeth = xrdma_take(cursor, sizeof(*aeth));
	__u32 word;

	if (!aeth)
		return false;
	word = bpf_ntohl(aeth->syndrome_msn);
	pkt->syndrome = word >> 24;
	pkt->msn = word & XRDMA_PSN_MASK;
	return true;
}

static __always_inline bool xrdma_parse_atomic_ack(struct xrdma_cursor *cursor,
						   struct xrdma_pkt *pkt)
{
	const struct xrdma_atomicacketh *ack = xrdma_take(cursor, sizeof(*ack));

	if (!ack)
		return false;
	pkt->original = bpf_be64_to_cpu(ack->original);
	return true;
}

static __always_inline bool xrdma_parse_immediate(struct xrdma_cursor *cursor,
						  struct xrdma_pkt *pkt)
{
	const struct xrdma_immdt *immdt = xrdma_take(cursor, sizeof(*immdt));

	if (!immdt)
		return false;
	pkt->imm = immdt->data;
	return true;
}

static __always_inline bool xrdma_parse_invalidate(struct xrdma_cursor *cursor,
						   struct xrdma_pkt *pkt)
{
	const struct xrdma_ieth *ieth = xrdma_take(cursor, sizeof(*ieth));

	if (!ieth)
		return false;
	pkt->invalidate_key = bpf_ntohl(ieth->rkey);
	return true;
}

/* The extended headers stand in the order of their bits. */
static __always_inline bool xrdma_parse_extended(struct xrdma_cursor *cursor, struct xrdma_pkt *pkt)
{
	__u16 set = pkt->info.headers;

	return (!(set & XRDMA_HDR_DETH) || xrdma_parse_datagram(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_FETH) || xrdma_parse_flush(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_RETH) || xrdma_parse_rdma(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_ATOMICETH) || xrdma_parse_atomic(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_AETH) || xrdma_parse_ack(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_ATOMICACKETH) || xrdma_parse_atomic_ack(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_IMMDT) || xrdma_parse_immediate(cursor, pkt)) &&
	       (!(set & XRDMA_HDR_IETH) || xrdma_parse_invalidate(cursor, pkt));
}

/*
 * What stands between the headers and the ICRC is payload and pad bytes, together a multiple of
 * four (9.4.2).
 */
static __always_inline enum xrdma_verdict xrdma_parse_payload(struct xrdma_cursor *cursor,
							      struct xrdma_pkt *pkt)
{
	__u32 padded = cursor->end - cursor->at;

	pkt->payload_at = cursor->at;
	pkt->payload_len = 0;
	if (padded % 4)
		return XRDMA_V_SHORT;
	if (pkt->info.op == XRDMA_OP_NONE)
		return XRDMA_V_OK; /* nobody knows where its headers end */
	if (padded < pkt->pad_len)
		return XRDMA_V_SHORT;
	pkt->payload_len = padded - pkt->pad_len;
	return XRDMA_V_OK;
}

/*
 * Fill PKT from the FRAME_LEN bytes of a frame at BYTES. Nothing at or behind LIMIT is read, so a
 * header there counts as missing.
 *
 * Returns XRDMA_V_OK when PKT is complete: an opcode that is not assigned is complete with info.op
 * XRDMA_OP_NONE, because the reply to it depends on the queue pair (9.7.4.1.5). From
 * XRDMA_V_BTH_VERSION on, the fields of the BTH are set as well. Neither the ICRC nor the length
 * rules of the opcode are checked here.
 */
static __always_inline enum xrdma_verdict xrdma_parse(const void *bytes, const void *limit,
						      __u32 frame_len, struct xrdma_pkt *pkt)
{
	struct xrdma_cursor cursor = {
		.bytes = bytes,
		.limit = limit,
		.end = frame_len < XRDMA_FRAME_MAX ? frame_len : XRDMA_FRAME_MAX,
	};
	struct xrdma_ip_result ip;
	enum xrdma_verdict verdict;

	pkt->frame_len = frame_len;
	verdict = xrdma_parse_ip(&cursor, pkt, &ip);
	if (verdict != XRDMA_V_OK)
		return verdict;
	verdict = xrdma_parse_udp(&cursor, pkt, &ip);
	if (verdict != XRDMA_V_OK)
		return verdict;
	verdict = xrdma_parse_bth(&cursor, pkt);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_parse_extended(&cursor, pkt))
		return XRDMA_V_SHORT;
	return xrdma_parse_payload(&cursor, pkt);
}

/*
 * The length rules of an opcode (9.7.4.1.6): FIRST and MIDDLE fill the path MTU and need no pad,
 * LAST has at least one byte, packets without payload have none. MTU 0: not known, any path MTU
 * will do.
 */
static __always_inline enum xrdma_verdict xrdma_check_length(const struct xrdma_pkt *pkt, __u32 mtu)
{
	__u32 len = pkt->payload_len, max = mtu ? mtu : XRDMA_MTU_MAX;

	switch (pkt->info.payload) {
	case XRDMA_PAYLOAD_SOME:
		return len >= 1 && len <= max ? XRDMA_V_OK : XRDMA_V_LENGTH;
	case XRDMA_PAYLOAD_ANY:
		return len <= max ? XRDMA_V_OK : XRDMA_V_LENGTH;
	}
	if (pkt->pad_len)
		return XRDMA_V_PAD;
	switch (pkt->info.payload) {
	case XRDMA_PAYLOAD_NONE:
		return len == 0 ? XRDMA_V_OK : XRDMA_V_LENGTH;
	case XRDMA_PAYLOAD_8:
		return len == 8 ? XRDMA_V_OK : XRDMA_V_LENGTH;
	case XRDMA_PAYLOAD_16:
		return len == 16 ? XRDMA_V_OK : XRDMA_V_LENGTH;
	}
	if (mtu)
		return len == mtu ? XRDMA_V_OK : XRDMA_V_LENGTH;
	return len >= XRDMA_MTU_MIN && len <= max && !(len & (len - 1)) ? XRDMA_V_OK
									: XRDMA_V_LENGTH;
}

#endif

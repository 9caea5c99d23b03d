/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stage 5: the packet becomes its own answer: an ACK or a NAK (9.7.5), sent back where it came from. */
#ifndef XRDMA_STAGE_RESPOND_BPF_H
#define XRDMA_STAGE_RESPOND_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>

#include "lib/crc32.bpf.h"
#include "lib/icrc.bpf.h"
#include "stage/steer.bpf.h"

enum {
	XRDMA_ACK_LEN = sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth) + XRDMA_ICRC_LEN,
	XRDMA_ACK_UDP_LEN = sizeof(struct udphdr) + XRDMA_ACK_LEN,
	XRDMA_ANSWER_TTL = 64,
	XRDMA_ECN_MASK = 3,
	XRDMA_ECN_ECT0 = 2,
	XRDMA_IPV4_DF = 0x4000,
};

/* The request's class of traffic; that it met congestion says nothing about the way back. */
static __always_inline __u8 xrdma_answer_tclass(const struct xrdma_pkt *pkt)
{
	__u8 ecn = pkt->tclass & XRDMA_ECN_MASK ? XRDMA_ECN_ECT0 : 0;

	return (pkt->tclass & ~XRDMA_ECN_MASK) | ecn;
}

static __always_inline __u16 xrdma_ipv4_checksum(const struct iphdr *hdr)
{
	const __u16 *words = (const void *)hdr;
	__u32 sum = 0;

#pragma unroll
	for (int i = 0; i < (int)(sizeof(*hdr) / sizeof(*words)); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static __always_inline void xrdma_answer_ipv4(struct iphdr *hdr, const struct xrdma_pkt *pkt)
{
	*hdr = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = xrdma_answer_tclass(pkt),
		.tot_len = bpf_htons(sizeof(*hdr) + XRDMA_ACK_UDP_LEN),
		.frag_off = bpf_htons(XRDMA_IPV4_DF),
		.ttl = XRDMA_ANSWER_TTL,
		.protocol = IPPROTO_UDP,
		.saddr = pkt->daddr[3],
		.daddr = pkt->saddr[3],
	};
	hdr->check = xrdma_ipv4_checksum(hdr);
}

static __always_inline void xrdma_answer_ipv6(struct ipv6hdr *hdr, const struct xrdma_pkt *pkt)
{
	__u8 tclass = xrdma_answer_tclass(pkt);

	hdr->version = 6;
	hdr->priority = tclass >> 4;
	hdr->flow_lbl[0] = tclass << 4;
	hdr->flow_lbl[1] = 0;
	hdr->flow_lbl[2] = 0;
	hdr->payload_len = bpf_htons(XRDMA_ACK_UDP_LEN);
	hdr->nexthdr = IPPROTO_UDP;
	hdr->hop_limit = XRDMA_ANSWER_TTL;
	__builtin_memcpy(&hdr->saddr, pkt->daddr, sizeof(hdr->saddr));
	__builtin_memcpy(&hdr->daddr, pkt->saddr, sizeof(hdr->daddr));
}

/* From the UDP header to the AETH; the UDP checksum is 0, as A17.4.5.2 allows. */
static __always_inline void xrdma_answer_ack(void *at, const struct xrdma_pkt *pkt,
					     struct xrdma_qp *qp, __u8 syndrome)
{
	struct udphdr *udp = at;
	struct xrdma_bth *bth = (void *)(udp + 1);
	struct xrdma_aeth *aeth = (void *)(bth + 1);

	*udp = (struct udphdr){
		.source = bpf_htons(XRDMA_READ(qp->udp_sport)),
		.dest = bpf_htons(XRDMA_UDP_PORT),
		.len = bpf_htons(XRDMA_ACK_UDP_LEN),
	};
	*bth = (struct xrdma_bth){
		.opcode = XRDMA_RC_ACK,
		.flags = XRDMA_BTH_MIGREQ, /* migrated: the state of who does not migrate paths */
		.pkey = bpf_htons(XRDMA_READ(qp->pkey)),
		.dest_qpn = bpf_htonl(XRDMA_READ(qp->peer_qpn) & XRDMA_QPN_MASK),
		.psn = bpf_htonl(pkt->reply_psn),
	};
	aeth->syndrome_msn = bpf_htonl((__u32)syndrome << 24 | pkt->reply_msn);
}

/* Returns the length of the answer's IP packet, which stands at IP_AT of FRAME but for its ICRC. */
static __always_inline __u32 xrdma_answer_write(struct xrdma_frame *frame, __u64 ip_at,
						const struct xrdma_pkt *pkt, struct xrdma_qp *qp,
						__u8 syndrome)
{
	void *ip = frame->bytes + ip_at;

	if (pkt->ip_version == 4) {
		xrdma_answer_ipv4(ip, pkt);
		xrdma_answer_ack(ip + sizeof(struct iphdr), pkt, qp, syndrome);
		return sizeof(struct iphdr) + XRDMA_ACK_UDP_LEN;
	}
	xrdma_answer_ipv6(ip, pkt);
	xrdma_answer_ack(ip + sizeof(struct ipv6hdr), pkt, qp, syndrome);
	return sizeof(struct ipv6hdr) + XRDMA_ACK_UDP_LEN;
}

/* The same with its ICRC. 0: the packet was not one that the parser lets through. */
static __noinline __u32 xrdma_answer_build(struct xrdma_frame *frame, const struct xrdma_pkt *pkt,
					   struct xrdma_qp *qp, __u8 syndrome)
{
	__u64 ip_at = XRDMA_BOUNDED(pkt->ip_at);
	__u32 len, icrc;

	if (ip_at < XRDMA_ICRC_ONES || ip_at > XRDMA_HEADERS_MAX)
		return 0;
	len = xrdma_answer_write(frame, ip_at, pkt, qp, syndrome);
	xrdma_icrc_mask(frame, ip_at, ip_at + len - XRDMA_ACK_LEN, pkt->ip_version);
	icrc = xrdma_crc32(frame, ip_at - XRDMA_ICRC_ONES, XRDMA_ICRC_ONES + len - XRDMA_ICRC_LEN);
	xrdma_answer_write(frame, ip_at, pkt, qp, syndrome); /* undoes the mask */
	*(__le32 *)(frame->bytes + ip_at + len - XRDMA_ICRC_LEN) = icrc;
	return len;
}

static __always_inline bool xrdma_swap_macs(struct xdp_md *xdp)
{
	struct ethhdr *eth = (void *)(long)xdp->data;
	__u8 mac[ETH_ALEN];

	if ((void *)(eth + 1) > (void *)(long)xdp->data_end)
		return false;
	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
	return true;
}

/* Returns an XDP action: XDP_ABORTED when the frame cannot be changed, which no frame that was parsed shows. */
static __noinline int xrdma_respond(struct xdp_md *xdp, struct xrdma_frame *frame,
				    const struct xrdma_pkt *pkt, struct xrdma_qp *qp, __u8 syndrome)
{
	__u64 len = XRDMA_BOUNDED(xrdma_answer_build(frame, pkt, qp, syndrome));
	__u64 ip_at = XRDMA_BOUNDED(pkt->ip_at);

	if (ip_at > XRDMA_HEADERS_MAX || !len || len > XRDMA_HEADERS_MAX)
		return XDP_ABORTED;
	if (bpf_xdp_adjust_tail(xdp, (int)(ip_at + len - pkt->frame_len)) ||
	    bpf_xdp_store_bytes(xdp, ip_at, frame->bytes + ip_at, len) || !xrdma_swap_macs(xdp))
		return XDP_ABORTED;
	return XDP_TX;
}

#endif

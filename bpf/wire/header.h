/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Headers of packets that a queue pair sends, from the IP header to the BTH; for both sides. */
#ifndef XRDMA_WIRE_HEADER_H
#define XRDMA_WIRE_HEADER_H

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "lib/order.h"
#include <xrdma/abi/context.h>
#include <xrdma/abi/wire.h>

enum {
	XRDMA_HOP_LIMIT = 64,
	XRDMA_IPV4_DF = 0x4000,
};

/* Path attributes in an IP header. */
struct xrdma_ip_attr {
	const __be32 *saddr; /* IPv4 as ::ffff:a.b.c.d */
	const __be32 *daddr;
	__u8 tclass;
	__u8 hop_limit;
};

/*
 * Compute the checksum from the fields. Reading bytes back as half-words just after they were
 * written stalls the CPU.
 */
static __always_inline __u16 xrdma_ipv4_checksum(const struct iphdr *hdr, __u8 tclass)
{
	__u32 sum = bpf_htons(0x4500 | tclass) + hdr->tot_len + hdr->frag_off +
		    bpf_htons(hdr->ttl << 8 | hdr->protocol);

	sum += (hdr->saddr & 0xffff) + (hdr->saddr >> 16);
	sum += (hdr->daddr & 0xffff) + (hdr->daddr >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* Write an IPv4 header. LEN is the number of bytes after it. */
static __always_inline void xrdma_ipv4_write(struct iphdr *hdr, const struct xrdma_ip_attr *path,
					     __u16 len)
{
	struct iphdr whole = {
		.version = 4,
		.ihl = 5,
		.tos = path->tclass,
		.tot_len = bpf_htons(sizeof(*hdr) + len),
		.frag_off = bpf_htons(XRDMA_IPV4_DF),
		.ttl = path->hop_limit,
		.protocol = IPPROTO_UDP,
		.saddr = path->saddr[3],
		.daddr = path->daddr[3],
	};
	whole.check = xrdma_ipv4_checksum(&whole, path->tclass);
	*hdr = whole;
}

/* Write an IPv6 header. LEN is the number of bytes after it. */
static __always_inline void xrdma_ipv6_write(struct ipv6hdr *hdr, const struct xrdma_ip_attr *path,
					     __u16 len)
{
	hdr->version = 6;
	hdr->priority = path->tclass >> 4;
	hdr->flow_lbl[0] = path->tclass << 4;
	hdr->flow_lbl[1] = 0;
	hdr->flow_lbl[2] = 0;
	hdr->payload_len = bpf_htons(len);
	hdr->nexthdr = IPPROTO_UDP;
	hdr->hop_limit = path->hop_limit;
	__builtin_memcpy(&hdr->saddr, path->saddr, sizeof(hdr->saddr));
	__builtin_memcpy(&hdr->daddr, path->daddr, sizeof(hdr->daddr));
}

/*
 * Return a UDP header. LEN is the number of bytes from the header on. The checksum is 0
 * (A17.4.5.2).
 */
static __always_inline struct udphdr xrdma_udp(const struct xrdma_qp_row *qp, __u16 len)
{
	return (struct udphdr){
		.source = bpf_htons(XRDMA_READ(qp->udp_sport)),
		.dest = bpf_htons(XRDMA_UDP_PORT),
		.len = bpf_htons(len),
	};
}

/* Return a BTH. FLAGS has the pad count, PSN has the AckReq bit. */
static __always_inline struct xrdma_bth xrdma_bth(const struct xrdma_qp_row *qp, __u8 opcode,
						  __u8 flags, __u32 psn)
{
	return (struct xrdma_bth){
		.opcode = opcode,
		.flags = flags |
			 XRDMA_BTH_MIGREQ, /* the state of a queue pair without path migration */
		.pkey = bpf_htons(XRDMA_READ(qp->pkey)),
		.dest_qpn = bpf_htonl(XRDMA_READ(qp->peer_qpn) & XRDMA_QPN_MASK),
		.psn = bpf_htonl(psn),
	};
}

#endif

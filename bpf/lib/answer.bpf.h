/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An acknowledgement as it stands on the wire (9.7.5), from the IP header on; for both sides. */
#ifndef XRDMA_LIB_ANSWER_BPF_H
#define XRDMA_LIB_ANSWER_BPF_H

#include <linux/in.h>

#include "lib/bounds.bpf.h"
#include "lib/icrc.bpf.h"
#include <xrdma/abi.h>

enum {
	XRDMA_HOP_LIMIT = 64,
	XRDMA_IPV4_DF = 0x4000,
};

/* What follows the IP header. */
struct xrdma_ack {
	struct udphdr udp;
	struct xrdma_bth bth;
	struct xrdma_aeth aeth;
	__le32 icrc;
} XRDMA_WIRE;

/* What differs from one acknowledgement to the next; the rest stands in the queue pair's row. */
struct xrdma_answer {
	const __be32 *saddr;
	const __be32 *daddr;
	__u32 psn;
	__u32 syndrome_msn;
	__u8 tclass;
};

static __always_inline __u16 xrdma_ipv4_checksum(const struct iphdr *hdr)
{
	const __u16 *words = (const void *)hdr;
	__u32 sum = 0;

	for (int i = 0; i < (int)(sizeof(*hdr) / sizeof(*words)); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static __always_inline void xrdma_answer_ipv4(struct iphdr *hdr, const struct xrdma_answer *answer)
{
	*hdr = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = answer->tclass,
		.tot_len = bpf_htons(sizeof(*hdr) + sizeof(struct xrdma_ack)),
		.frag_off = bpf_htons(XRDMA_IPV4_DF),
		.ttl = XRDMA_HOP_LIMIT,
		.protocol = IPPROTO_UDP,
		.saddr = answer->saddr[3],
		.daddr = answer->daddr[3],
	};
	hdr->check = xrdma_ipv4_checksum(hdr);
}

static __always_inline void xrdma_answer_ipv6(struct ipv6hdr *hdr,
					      const struct xrdma_answer *answer)
{
	hdr->version = 6;
	hdr->priority = answer->tclass >> 4;
	hdr->flow_lbl[0] = answer->tclass << 4;
	hdr->flow_lbl[1] = 0;
	hdr->flow_lbl[2] = 0;
	hdr->payload_len = bpf_htons(sizeof(struct xrdma_ack));
	hdr->nexthdr = IPPROTO_UDP;
	hdr->hop_limit = XRDMA_HOP_LIMIT;
	__builtin_memcpy(&hdr->saddr, answer->saddr, sizeof(hdr->saddr));
	__builtin_memcpy(&hdr->daddr, answer->daddr, sizeof(hdr->daddr));
}

/* All but the ICRC. The UDP checksum is 0, as A17.4.5.2 allows. */
static __always_inline void xrdma_answer_ack(struct xrdma_ack *ack, const struct xrdma_qp_row *qp,
					     const struct xrdma_answer *answer)
{
	ack->udp = (struct udphdr){
		.source = bpf_htons(XRDMA_READ(qp->udp_sport)),
		.dest = bpf_htons(XRDMA_UDP_PORT),
		.len = bpf_htons(sizeof(*ack)),
	};
	ack->bth = (struct xrdma_bth){
		.opcode = XRDMA_RC_ACK,
		.flags = XRDMA_BTH_MIGREQ, /* migrated: the state of who does not migrate paths */
		.pkey = bpf_htons(XRDMA_READ(qp->pkey)),
		.dest_qpn = bpf_htonl(XRDMA_READ(qp->peer_qpn) & XRDMA_QPN_MASK),
		.psn = bpf_htonl(answer->psn),
	};
	ack->aeth.syndrome_msn = bpf_htonl(answer->syndrome_msn);
}

#endif

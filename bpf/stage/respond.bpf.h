/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stage 5: the packet becomes its own answer: an ACK, a NAK or data (9.7.5), sent back where it came from. */
#ifndef XRDMA_STAGE_RESPOND_BPF_H
#define XRDMA_STAGE_RESPOND_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include "lib/answer.bpf.h"
#include "lib/crc32.bpf.h"
#include "stage/response.bpf.h"
#include "stage/steer.bpf.h"

enum {
	XRDMA_ECN_MASK = 3,
	XRDMA_ECN_ECT0 = 2,
};

/* The request's class of traffic; that it met congestion says nothing about the way back. */
static __always_inline __u8 xrdma_answer_tclass(const struct xrdma_pkt *pkt)
{
	__u8 ecn = pkt->tclass & XRDMA_ECN_MASK ? XRDMA_ECN_ECT0 : 0;

	return (pkt->tclass & ~XRDMA_ECN_MASK) | ecn;
}

/*
 * A CRC is linear: that of this acknowledgement differs from the one in the queue pair's row by the CRC of what
 * differs, which is its last eight bytes: PSN and AETH.
 */
static __always_inline __u32 xrdma_answer_icrc(const struct xrdma_ack *ack,
					       const struct xrdma_qp_row *qp)
{
	__u64 last = (__u64)ack->aeth.syndrome_msn << 32 | ack->bth.psn;

	return XRDMA_READ(qp->ack_icrc) ^ xrdma_crc_word(last);
}

/* Whatever follows the AETH, and with it the ICRC, is still to come. */
static __always_inline void xrdma_answer_rest(struct xrdma_ack *ack, const struct xrdma_qp_row *qp,
					      const struct xrdma_answer *answer)
{
	xrdma_ack_write(ack, qp, answer);
	if (answer->opcode == XRDMA_RC_ACK)
		ack->icrc = xrdma_answer_icrc(ack, qp);
}

/* Write the headers of ANSWER, for an acknowledgement all of it, at IP_AT of a frame that ends with it. False: it is not all in the frame's first buffer. */
static __always_inline bool xrdma_answer_write(struct xdp_md *xdp, __u64 ip_at, __u8 ip_version,
					       const struct xrdma_qp_row *qp,
					       const struct xrdma_answer *answer)
{
	void *end = (void *)(long)xdp->data_end, *ip = (void *)(long)xdp->data + ip_at;
	struct xrdma_ack *ack;

	if (ip_version == 4) {
		ack = ip + sizeof(struct iphdr);
		if ((void *)(ack + 1) > end)
			return false;
		xrdma_ipv4_write(ip, &answer->path, sizeof(*ack) + answer->payload_len);
	} else {
		ack = ip + sizeof(struct ipv6hdr);
		if ((void *)(ack + 1) > end)
			return false;
		xrdma_ipv6_write(ip, &answer->path, sizeof(*ack) + answer->payload_len);
	}
	xrdma_answer_rest(ack, qp, answer);
	return true;
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

/*
 * The frame ends after LEN bytes. What follows a packet in buffers of its own was not looked at and is still there
 * after the first cut.
 */
static __always_inline bool xrdma_cut(struct xdp_md *xdp, const struct xrdma_pkt *pkt, __u32 len)
{
	if (bpf_xdp_adjust_tail(xdp, (int)(len - pkt->frame_len)))
		return false;
	return xdp->data_end - xdp->data == len ||
	       !bpf_xdp_adjust_tail(xdp, (int)(len - bpf_xdp_get_buff_len(xdp)));
}

/* Returns an XDP action: XDP_ABORTED when the frame's first buffer has no room for the answer. */
static __always_inline int xrdma_respond(struct xdp_md *xdp, const struct xrdma_pkt *pkt,
					 const struct xrdma_qp_row *qp, __u8 syndrome)
{
	struct xrdma_answer answer = {
		.path = {
			.saddr = pkt->daddr,
			.daddr = pkt->saddr,
			.tclass = xrdma_answer_tclass(pkt),
			.hop_limit = XRDMA_HOP_LIMIT,
		},
		.psn = pkt->reply_psn,
		.syndrome_msn = (__u32)syndrome << 24 | pkt->reply_msn,
		.opcode = XRDMA_RC_ACK,
	};
	bool data = xrdma_op_fetches(pkt->info.op) && syndrome == XRDMA_AETH_ACK_NO_CREDIT;
	__u64 ip_at = XRDMA_BOUNDED(pkt->ip_at);
	__u32 len = sizeof(struct xrdma_ack) +
		    (pkt->ip_version == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));

	if (data) {
		answer.opcode = pkt->info.op == XRDMA_OP_READ ? XRDMA_RC_READ_RESPONSE_ONLY
							      : XRDMA_RC_ATOMIC_ACK;
		answer.pad_len = pkt->pad_len;
		answer.payload_len = pkt->payload_len + pkt->pad_len;
	}
	if (ip_at > XRDMA_HEADERS_MAX || (!data && !xrdma_cut(xdp, pkt, ip_at + len)) ||
	    !xrdma_answer_write(xdp, ip_at, pkt->ip_version, qp, &answer) || !xrdma_swap_macs(xdp))
		return XDP_ABORTED;
	return !data || xrdma_response_fill(xdp, pkt) ? XDP_TX : XDP_ABORTED;
}

#endif

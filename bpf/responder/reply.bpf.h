/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stage 5: the request becomes its own reply: an ACK, a NAK or data (9.7.5), sent back where it
 * came from.
 */
#ifndef XRDMA_RESPONDER_REPLY_BPF_H
#define XRDMA_RESPONDER_REPLY_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include "wire/ack.h"
#include "wire/crc32.bpf.h"
#include "responder/read.bpf.h"
#include "arrive/steer.bpf.h"

enum {
	XRDMA_ECN_MASK = 3,
	XRDMA_ECN_ECT0 = 2,
};

/* The request's class of traffic; that it met congestion says nothing about the path back. */
static __always_inline __u8 xrdma_reply_tclass(const struct xrdma_pkt *pkt)
{
	__u8 ecn = pkt->tclass & XRDMA_ECN_MASK ? XRDMA_ECN_ECT0 : 0;

	return (pkt->tclass & ~XRDMA_ECN_MASK) | ecn;
}

/*
 * A CRC is linear: that of this acknowledgement differs from the one in the queue pair's row by the
 * CRC of what differs, which is its last eight bytes: PSN and AETH.
 */
static __always_inline __u32 xrdma_ack_icrc(const struct xrdma_ack *ack,
					    const struct xrdma_qp_row *qp)
{
	__u64 last = (__u64)ack->aeth.syndrome_msn << 32 | ack->bth.psn;

	return XRDMA_READ(qp->ack_icrc) ^ xrdma_crc_word(last);
}

/* Whatever follows the AETH, and with it the ICRC, is still to come. */
static __always_inline void xrdma_reply_transport(struct xrdma_ack *ack,
						  const struct xrdma_qp_row *qp,
						  const struct xrdma_reply *reply)
{
	xrdma_ack_write(ack, qp, reply);
	if (reply->opcode == XRDMA_RC_ACK)
		ack->icrc = xrdma_ack_icrc(ack, qp);
}

/*
 * Write the headers of REPLY, for an acknowledgement all of it, where PKT had its IP header, in a
 * frame that ends with it. False: it is not all in the frame's first buffer.
 */
static __always_inline bool xrdma_reply_write(struct xdp_md *xdp, const struct xrdma_pkt *pkt,
					      const struct xrdma_qp_row *qp,
					      const struct xrdma_reply *reply)
{
	void *end = (void *)(long)xdp->data_end, *ip;
	__u64 ip_at = pkt->ip_at;
	struct xrdma_ack *ack;

	if (!XRDMA_WITHIN(ip_at, XRDMA_HEADERS_MAX))
		return false;
	ip = (void *)(long)xdp->data + ip_at;
	if (pkt->ip_version == 4) {
		ack = ip + sizeof(struct iphdr);
		if ((void *)(ack + 1) > end)
			return false;
		xrdma_ipv4_write(ip, &reply->path, sizeof(*ack) + reply->payload_len);
	} else {
		ack = ip + sizeof(struct ipv6hdr);
		if ((void *)(ack + 1) > end)
			return false;
		xrdma_ipv6_write(ip, &reply->path, sizeof(*ack) + reply->payload_len);
	}
	xrdma_reply_transport(ack, qp, reply);
	return true;
}

/*
 * What stands before the IP header: addresses, EtherType, up to two VLAN tags. With fewer tags its
 * last bytes are the IP header's first, which are written after it.
 */
struct xrdma_link {
	__be16 dest[ETH_ALEN / 2];
	__be16 source[ETH_ALEN / 2];
	__be16 rest[1 + XRDMA_VLAN_TAGS_MAX * XRDMA_VLAN_LEN / 2];
};

static __always_inline struct xrdma_link *xrdma_link_at(struct xdp_md *xdp)
{
	struct xrdma_link *link = (void *)(long)xdp->data;

	return (void *)(link + 1) > (void *)(long)xdp->data_end ? NULL : link;
}

/* LINK is of the request; the reply goes back to where that came from. */
static __always_inline bool xrdma_link_write(struct xdp_md *xdp, const struct xrdma_link *link)
{
	struct xrdma_link *to = xrdma_link_at(xdp);

	if (!to)
		return false;
	*to = *link;
	__builtin_memcpy(to->dest, link->source, sizeof(to->dest));
	__builtin_memcpy(to->source, link->dest, sizeof(to->source));
	return true;
}

/* Bytes of a frame that is an acknowledgement of PKT. */
static __always_inline __u32 xrdma_ack_len(const struct xrdma_pkt *pkt)
{
	return pkt->bth_at + sizeof(struct xrdma_ack) - sizeof(struct udphdr);
}

/*
 * A reply ends where the frame's first buffer does, and begins before the request, in the headroom,
 * where that is shorter (a SEND of nothing; drivers that put headers into a buffer of their own):
 * whether there is as much, is tried out. READs and atomics are replied to in place.
 */
static __always_inline bool xrdma_reply_fits(struct xdp_md *xdp, const struct xrdma_pkt *pkt)
{
	__s32 lack = xrdma_ack_len(pkt) - xrdma_first_buffer(xdp);

	if (lack <= 0)
		return true;
	return xrdma_link_at(xdp) && !xrdma_op_is_rd_atomic(pkt->info.op) &&
	       !bpf_xdp_adjust_head(xdp, -lack) && !bpf_xdp_adjust_head(xdp, lack);
}

/*
 * The frame's first buffer gets as long as an acknowledgement of PKT; what is in others stays
 * behind it, as an Ethernet trailer: they are left alone for the reason at xrdma_resize().
 */
static __always_inline bool xrdma_make_ack_room(struct xdp_md *xdp, const struct xrdma_pkt *pkt)
{
	return !bpf_xdp_adjust_head(xdp, (int)(xrdma_first_buffer(xdp) - xrdma_ack_len(pkt)));
}

/* Returns an XDP action. */
static __always_inline int xrdma_reply_send(struct xdp_md *xdp, const struct xrdma_pkt *pkt,
					    const struct xrdma_qp_row *qp, __u8 syndrome)
{
	struct xrdma_reply reply = {
		.path = {
			.saddr = pkt->daddr,
			.daddr = pkt->saddr,
			.tclass = xrdma_reply_tclass(pkt),
			.hop_limit = XRDMA_HOP_LIMIT,
		},
		.psn = pkt->reply_psn,
		.syndrome_msn = (__u32)syndrome << 24 | pkt->reply_msn,
		.opcode = XRDMA_RC_ACK,
	};
	bool data = xrdma_op_is_rd_atomic(pkt->info.op) && syndrome == XRDMA_AETH_ACK_NO_CREDIT;
	const struct xrdma_link *request = xrdma_link_at(xdp);
	struct xrdma_link link;

	if (!request)
		return XDP_ABORTED;
	link = *request;
	if (data) {
		reply.opcode = pkt->info.op == XRDMA_OP_READ ? XRDMA_RC_READ_RESPONSE_ONLY
							     : XRDMA_RC_ATOMIC_ACK;
		reply.pad_len = pkt->pad_len;
		reply.payload_len = pkt->payload_len + pkt->pad_len;
	} else if (!xrdma_make_ack_room(xdp, pkt)) {
		return XDP_ABORTED;
	}
	if (!xrdma_link_write(xdp, &link) || !xrdma_reply_write(xdp, pkt, qp, &reply))
		return XDP_ABORTED;
	return !data || xrdma_response_fill(xdp, pkt) ? XDP_TX : XDP_ABORTED;
}

#endif

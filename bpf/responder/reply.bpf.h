/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Replies: the request's frame becomes an ACK, a NAK or a response with data (9.7.5), and goes
 * back.
 */
#ifndef XRDMA_RESPONDER_REPLY_BPF_H
#define XRDMA_RESPONDER_REPLY_BPF_H

#include <linux/if_ether.h>

#include "wire/ack.h"
#include "wire/crc32.bpf.h"
#include "responder/read.bpf.h"

static __always_inline __u32 xrdma_reply_word(const struct xrdma_reply_head *head)
{
	return (__u32)head->syndrome << 24 | head->msn;
}

enum {
	XRDMA_ECN_MASK = 3,
	XRDMA_ECN_ECT0 = 2,
};

/* Return the traffic class of the request. Its congestion mark says nothing about the way back. */
static __always_inline __u8 xrdma_reply_tclass(const struct xrdma_pkt *pkt)
{
	__u8 ecn = pkt->tclass & XRDMA_ECN_MASK ? XRDMA_ECN_ECT0 : 0;

	return (pkt->tclass & ~XRDMA_ECN_MASK) | ecn;
}

/*
 * Return the ICRC of an acknowledgement. CRCs are linear: it differs from the ICRC in the queue
 * pair's row by the CRC of the differing bytes, its last eight: PSN and AETH.
 */
static __always_inline __u32 xrdma_ack_icrc(const struct xrdma_ack *ack,
					    const struct xrdma_qp_row *qp)
{
	__u64 last = (__u64)ack->aeth.syndrome_msn << 32 | ack->bth.psn;

	return XRDMA_READ(qp->ack_icrc) ^ xrdma_crc_word(last);
}

/*
 * Return the UDP checksum with which a reply to PKT begins, with PAYLOAD_LEN bytes behind the AETH.
 * If the kernel still has to compute PKT's checksum, its value is the sum of the pseudo-header. The
 * pseudo-header of the reply has the same addresses, and another length.
 */
static __always_inline __u16 xrdma_reply_begin_checksum(const struct xrdma_pkt *pkt,
							__u16 payload_len)
{
	return xrdma_sum_add(pkt->udp_rest, bpf_htons(sizeof(struct xrdma_ack) + payload_len));
}

/*
 * Write the headers up to the AETH. Everything after it, including the ICRC, follows later. Call
 * xrdma_reply_end_checksum() to finish the checksum.
 */
static __always_inline void xrdma_reply_transport(struct xrdma_ack *ack,
						  const struct xrdma_pkt *pkt,
						  const struct xrdma_qp_row *qp,
						  const struct xrdma_reply *reply)
{
	xrdma_ack_write(ack, qp, reply);
	if (XRDMA_FRAME_MAY_LACK_CHECKSUM && pkt->udp_rest)
		ack->udp.check = xrdma_reply_begin_checksum(pkt, reply->payload_len);
	if (reply->opcode == XRDMA_RC_ACK)
		ack->icrc = xrdma_ack_icrc(ack, qp);
}

/*
 * Write the headers of REPLY to the place of PKT's IP header, in a frame that ends with it; for an
 * acknowledgement, write all of it. Returns false if they are not all in the first buffer.
 */
static __always_inline bool xrdma_reply_write(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
					      const struct xrdma_qp_row *qp,
					      const struct xrdma_reply *reply)
{
	const struct xrdma_view view = xrdma_view(ctx);
	void *ip;
	__u64 ip_at = pkt->ip_at;
	struct xrdma_ack *ack;

	if (!XRDMA_WITHIN(ip_at, XRDMA_HEADERS_MAX))
		return false;
	ip = view.bytes + ip_at;
	if (pkt->ip_version == 4) {
		ack = ip + sizeof(struct iphdr);
		if ((void *)(ack + 1) > view.limit)
			return false;
		xrdma_ipv4_write(ip, &reply->path, sizeof(*ack) + reply->payload_len);
	} else {
		ack = ip + sizeof(struct ipv6hdr);
		if ((void *)(ack + 1) > view.limit)
			return false;
		xrdma_ipv6_write(ip, &reply->path, sizeof(*ack) + reply->payload_len);
	}
	xrdma_reply_transport(ack, pkt, qp, reply);
	return true;
}

/*
 * The first 22 bytes of a frame: two MAC addresses, up to two VLAN tags, and the EtherType. A frame
 * with fewer tags has the beginning of its IP header in them too. That does no harm, because the IP
 * header of the reply is written later. The first word holds the destination address and two bytes
 * of the source address. The second word begins with the other four bytes of the source address.
 */
struct xrdma_link {
	__u64 words[2];
	__u32 half;
	__u16 last;
};

enum { XRDMA_LINK_LEN = ETH_HLEN + XRDMA_VLAN_TAGS_MAX * XRDMA_VLAN_LEN };
_Static_assert(XRDMA_LINK_LEN == offsetof(struct xrdma_link, last) + sizeof(__u16), "no gaps");

/* Return the link header, or NULL if it is not all in the first buffer. */
static __always_inline struct xrdma_link *xrdma_link_at(xrdma_ctx *ctx)
{
	const struct xrdma_view view = xrdma_view(ctx);

	return view.bytes + XRDMA_LINK_LEN > view.limit ? NULL : view.bytes;
}

static __always_inline bool xrdma_link_read(xrdma_ctx *ctx, struct xrdma_link *link)
{
	const struct xrdma_link *from = xrdma_link_at(ctx);

	if (!from)
		return false;
	link->words[0] = from->words[0];
	link->words[1] = from->words[1];
	link->half = from->half;
	link->last = from->last;
	return true;
}

/* Write LINK, the request's link header, with swapped addresses. */
static __always_inline bool xrdma_link_write(xrdma_ctx *ctx, const struct xrdma_link *link)
{
	struct xrdma_link *to = xrdma_link_at(ctx);

	if (!to)
		return false;
	to->words[0] =
		link->words[0] << 48 | (link->words[1] & 0xffffffff) << 16 | link->words[0] >> 48;
	to->words[1] = link->words[1] >> 32 << 32 | (link->words[0] >> 16 & 0xffffffff);
	to->half = link->half;
	to->last = link->last;
	return true;
}

/* Return the length of a frame with an acknowledgement of PKT. */
static __always_inline __u32 xrdma_ack_len(const struct xrdma_pkt *pkt)
{
	return pkt->bth_at + sizeof(struct xrdma_ack) - sizeof(struct udphdr);
}

/* Swap the MAC addresses of the frame. */
static __always_inline bool xrdma_link_next(xrdma_ctx *ctx)
{
	struct xrdma_link link;

	return xrdma_link_read(ctx, &link) && xrdma_link_write(ctx, &link);
}

/*
 * Returns whether the first buffer has room for an acknowledgement of PKT. It may be too short, for
 * a SEND of no bytes, or with drivers that put headers into a buffer of their own. READs and
 * atomics are answered in place.
 */
static __always_inline bool xrdma_reply_fits(xrdma_ctx *ctx, const struct xrdma_pkt *pkt)
{
	__s32 lack = xrdma_ack_len(pkt) - xrdma_first_buffer(ctx);

	if (lack <= 0)
		return true;
	return xrdma_link_at(ctx) && !xrdma_op_is_rd_atomic(pkt->info.op) &&
	       xrdma_frame_can_grow(ctx, lack);
}

/* Give the frame, or its first buffer, the length of an acknowledgement of PKT. */
static __always_inline bool xrdma_make_ack_room(xrdma_ctx *ctx, const struct xrdma_pkt *pkt)
{
	return xrdma_frame_become(ctx, xrdma_first_buffer(ctx), xrdma_ack_len(pkt));
}

/* Returns whether the reply to PKT has data, and is no acknowledgement. */
static __always_inline bool xrdma_reply_is_data(const struct xrdma_pkt *pkt,
						const struct xrdma_reply_head *head)
{
	return xrdma_op_is_rd_atomic(pkt->info.op) && head->syndrome == XRDMA_AETH_ACK_NO_CREDIT;
}

/* Complete REPLY for a response with data. */
static __always_inline void xrdma_reply_carry_data(const struct xrdma_pkt *pkt,
						   struct xrdma_reply *reply)
{
	reply->opcode =
		pkt->info.op == XRDMA_OP_READ ? XRDMA_RC_READ_RESPONSE_ONLY : XRDMA_RC_ATOMIC_ACK;
	reply->pad_len = xrdma_pad_len(xrdma_rd_atomic_len(pkt));
	reply->payload_len = xrdma_rd_atomic_len(pkt) + reply->pad_len;
}

/* Return an acknowledgement of PKT as a reply. */
static __always_inline struct xrdma_reply xrdma_reply_to(const struct xrdma_pkt *pkt, __u32 psn,
							 __u32 syndrome_msn)
{
	return (struct xrdma_reply){
		.path = {
			.saddr = pkt->daddr,
			.daddr = pkt->saddr,
			.tclass = xrdma_reply_tclass(pkt),
			.hop_limit = XRDMA_HOP_LIMIT,
		},
		.psn = psn,
		.syndrome_msn = syndrome_msn,
		.opcode = XRDMA_RC_ACK,
	};
}

static __always_inline __u32 xrdma_checksum_at(const struct xrdma_pkt *pkt)
{
	return pkt->bth_at - sizeof(struct udphdr) + offsetof(struct udphdr, check);
}

/* Finish the UDP checksum of the frame, a reply to PKT with PAYLOAD_LEN bytes. */
static __always_inline bool xrdma_reply_end_checksum(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
						     __u16 payload_len)
{
	return !XRDMA_FRAME_MAY_LACK_CHECKSUM || !pkt->udp_rest ||
	       xrdma_frame_clear_checksum(ctx, xrdma_checksum_at(pkt),
					  xrdma_reply_begin_checksum(pkt, payload_len));
}

/* Turn the frame of PKT into its reply. Returns false if that is not possible. */
static __always_inline bool xrdma_reply(xrdma_ctx *ctx, const struct xrdma_pkt *pkt,
					const struct xrdma_target *to,
					const struct xrdma_plan *plan,
					const struct xrdma_plan_rows *rows,
					const struct xrdma_result *result)
{
	const struct xrdma_reply_head *head = &result->head;
	struct xrdma_reply reply = xrdma_reply_to(pkt, head->psn, xrdma_reply_word(head));
	bool data = xrdma_reply_is_data(pkt, head);
	struct xrdma_link link;

	if (!xrdma_link_read(ctx, &link))
		return false;
	if (data)
		xrdma_reply_carry_data(pkt, &reply);
	else if (!xrdma_make_ack_room(ctx, pkt))
		return false;
	return xrdma_link_write(ctx, &link) && xrdma_reply_write(ctx, pkt, to->qp, &reply) &&
	       (!data || xrdma_response_fill(ctx, pkt, to, plan, rows, result->original)) &&
	       xrdma_reply_end_checksum(ctx, pkt, reply.payload_len);
}

#endif

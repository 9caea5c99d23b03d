/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Super packets. A super packet is one frame with several datagrams behind the headers of the
 * first. All but the last have the same length. Netdevs that need not cut it (veth, lo) pass it on
 * unchanged, as the sender's kernel made it (udp(7), UDP_SEGMENT). The program runs once for each
 * datagram, called a segment.
 */
#ifndef XRDMA_ARRIVE_SUPER_BPF_H
#define XRDMA_ARRIVE_SUPER_BPF_H

#include "wire/ack.h"
#include "arrive/frame.bpf.h"

/* Bytes of the headers of a super packet. A VLAN tag is in the skb, not in the frame. */
enum {
	XRDMA_SUPER_IPV4 = ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr),
	XRDMA_SUPER_IPV6 = ETH_HLEN + sizeof(struct ipv6hdr) + sizeof(struct udphdr),
	/* The largest offset of a segment in the frame: struct xrdma_pkt has no room for more. */
	XRDMA_SUPER_MAX = 0xffff - XRDMA_HEADERS_MAX,
};

/*
 * Change IP, the header of the super packet, to that of the segment with LEN bytes behind it, and
 * update its checksum (RFC 1624). A kernel that cuts a message counts the identification up. A
 * kernel that merges packets (GRO) also merges packets with equal identifications, because packets
 * with the flag DF may have them.
 */
static __always_inline void xrdma_segment_ipv4(struct iphdr *ip, const struct xrdma_super *super,
					       __u32 len)
{
	__be16 tot_len = bpf_htons(sizeof(*ip) + len);
	__be16 id = super->same_id ? ip->id : bpf_htons(bpf_ntohs(ip->id) + super->index);
	__u32 sum = (__u16)~ip->check + (__u16)~ip->tot_len + tot_len + (__u16)~ip->id + id;

	sum = (sum & 0xffff) + (sum >> 16);
	ip->check = ~(sum + (sum >> 16));
	ip->tot_len = tot_len;
	ip->id = id;
}

/* Change the headers in FRAME, of a super packet of ALL bytes, to those of the segment. */
static __always_inline enum xrdma_verdict
xrdma_segment_headers(struct xrdma_frame *frame, const struct xrdma_super *super, __u32 all)
{
	struct iphdr *ipv4 = (void *)frame->bytes + ETH_HLEN;
	struct ipv6hdr *ipv6 = (void *)ipv4;
	bool is_ipv4 = super->headers == XRDMA_SUPER_IPV4;
	struct udphdr *udp = is_ipv4 ? (void *)(ipv4 + 1) : (void *)(ipv6 + 1);
	__u32 was = all - super->headers + sizeof(*udp), len = super->len + sizeof(*udp);

	if (bpf_ntohs(udp->len) != was)
		return XRDMA_V_UDP_LENGTH;
	if (udp->check)
		udp->check = xrdma_sum_add(xrdma_sum_sub(udp->check, udp->len), bpf_htons(len));
	udp->len = bpf_htons(len);
	if (is_ipv4) {
		if (bpf_ntohs(ipv4->tot_len) != sizeof(*ipv4) + was)
			return XRDMA_V_TRUNCATED;
		xrdma_segment_ipv4(ipv4, super, len);
	} else {
		if (bpf_ntohs(ipv6->payload_len) != was)
			return XRDMA_V_TRUNCATED;
		ipv6->payload_len = bpf_htons(len);
	}
	return XRDMA_V_OK;
}

/* Find the segment, behind HEADERS bytes. */
static __always_inline enum xrdma_verdict
xrdma_segment_find(xrdma_ctx *ctx, struct xrdma_super *super, __u32 headers)
{
	__u32 all = xrdma_frame_len(ctx), size = xrdma_frame_segment(ctx);
	__u32 at = headers + super->index * size;

	if (at >= all)
		return XRDMA_V_TRUNCATED;
	super->more = all - at > size;
	if (at > XRDMA_SUPER_MAX || size > XRDMA_FRAME_MAX - XRDMA_SUPER_IPV6)
		return XRDMA_V_OVERSIZED;
	super->headers = headers;
	super->at = at;
	super->len = all - at < size ? all - at : size;
	return XRDMA_V_OK;
}

/* Copy the current segment into the scratch memory, as a frame with headers of its own. */
static __always_inline enum xrdma_verdict xrdma_segment_cut(xrdma_ctx *ctx,
							    struct xrdma_scratch *scratch)
{
	__u64 last, headers = XRDMA_SUPER_IPV6;
	struct xrdma_frame *frame;
	enum xrdma_verdict verdict;
	const struct ethhdr *eth;

	frame = &scratch->frame;
	eth = (void *)frame->bytes;
	if (!xrdma_frame_load(ctx, 0, frame->bytes, XRDMA_SUPER_IPV6))
		return XRDMA_V_TRUNCATED;
	if (eth->h_proto == bpf_htons(ETH_P_IP))
		headers = XRDMA_SUPER_IPV4;
	else if (eth->h_proto != bpf_htons(ETH_P_IPV6))
		return XRDMA_V_VLAN;
	verdict = xrdma_segment_find(ctx, &scratch->super, headers);
	if (verdict != XRDMA_V_OK)
		return verdict;
	headers = XRDMA_OPAQUE(headers);
	last = scratch->super.len - 1;
	if (!XRDMA_WITHIN(headers, XRDMA_SUPER_IPV6) ||
	    !XRDMA_WITHIN(last, XRDMA_FRAME_MAX - XRDMA_SUPER_IPV6 - 1) ||
	    !xrdma_frame_load(ctx, scratch->super.at, frame->bytes + headers, last + 1))
		return XRDMA_V_TRUNCATED;
	return xrdma_segment_headers(frame, &scratch->super, xrdma_frame_len(ctx));
}

/*
 * Cut the current segment, and check it like a frame. SUPER's same_id selects its IPv4
 * identification. This is one function, because each call takes time for every segment.
 */
XRDMA_VERIFIED_ONCE int xrdma_segment_try(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	enum xrdma_verdict verdict;

	if (!scratch)
		return XRDMA_V_TRUNCATED;
	verdict = xrdma_segment_cut(ctx, scratch);
	if (verdict != XRDMA_V_OK)
		return verdict;
	return xrdma_arrive_in(ctx, &scratch->frame, scratch->super.headers + scratch->super.len,
			       &scratch->pkt);
}

/*
 * Read the current segment. If a segment asks for an acknowledgement, all later ones do, too,
 * because one acknowledgement is sent for all.
 */
static __always_inline enum xrdma_verdict xrdma_arrive_segment(xrdma_ctx *ctx,
							       struct xrdma_scratch *scratch)
{
	struct xrdma_super *super = &scratch->super;
	enum xrdma_verdict verdict = xrdma_segment_try(ctx);

	if (verdict == XRDMA_V_ICRC && super->index && super->headers == XRDMA_SUPER_IPV4) {
		super->same_id = !super->same_id;
		verdict = xrdma_segment_try(ctx);
	}
	if (verdict != XRDMA_V_OK)
		return verdict;
	scratch->pkt.payload_at += super->at - super->headers;
	super->ack_req |= scratch->pkt.ack_req;
	scratch->pkt.ack_req = super->ack_req;
	return XRDMA_V_OK;
}

/*
 * Begin or resume a super packet. Make enough of it linear for the acknowledgement that it may
 * become.
 */
XRDMA_VERIFIED_ONCE int xrdma_super_begin(xrdma_ctx *ctx)
{
	const __u32 ack_len = XRDMA_SUPER_IPV6 + sizeof(struct xrdma_ack) - sizeof(struct udphdr);
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	__u32 all = xrdma_frame_len(ctx);

	if (!scratch)
		return false;
	scratch->pkt.super_came = bpf_ktime_get_ns();
	scratch->super.index = xrdma_frame_first_segment(ctx);
	scratch->super.runs = 0;
	scratch->super.count = 0;
	scratch->super.same_id = false;
	scratch->super.ack_req = false;
	return xrdma_frame_gather(ctx, scratch->frame.bytes, all < ack_len ? all : ack_len);
}

/* Returns whether this run resumes a super packet. */
static __always_inline bool xrdma_super_is_resumed(struct xrdma_super *super)
{
	bool is_resumed = super->is_resumed;

	super->more = false;
	super->is_resumed = false;
	return is_resumed;
}

/* Record that the frame becomes the sender of queue pair QPN, once all segments are done. */
static __always_inline void xrdma_super_add_sender(struct xrdma_super *super, __u32 qpn)
{
	__u64 count = super->count;

	if (!XRDMA_WITHIN(count, XRDMA_SUPER_RUNS - 1))
		return;
	super->pending[count] = qpn;
	super->count = count + 1;
}

/*
 * End the run for a segment, whose frame would get ACTION, and begin one for the next segment. When
 * the kernel allows no more calls, a copy of the frame is queued for the others. Returns the action
 * for the frame if there is no further run.
 */
static __always_inline int xrdma_super_next(xrdma_ctx *ctx, struct xrdma_scratch *scratch,
					    int action)
{
	struct xrdma_super *super = &scratch->super;

	if (action == XRDMA_FRAME_PASS && !super->index)
		return action;
	if (action == XRDMA_FRAME_TO_SENDER)
		xrdma_super_add_sender(super, scratch->pkt.dest_qpn);
	super->index++;
	if (super->more && ++super->runs < XRDMA_SUPER_RUNS) {
		super->is_resumed = true;
		xrdma_frame_call_again(ctx);
		super->is_resumed = false;
	} else if (super->more) {
		xrdma_frame_requeue_segments(ctx, super->index);
	}
	return super->count ? xrdma_frame_call_sender(ctx) : XRDMA_FRAME_DROP;
}

#endif

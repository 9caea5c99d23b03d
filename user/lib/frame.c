// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/frame.h"

#include <endian.h>
#include <libdeflate.h>
#include <string.h>

#include "lib/addr.h"
#include "wire/ack.h"
#include "wire/icrc.h"
#include "wire/parse.h"

enum xrdma_verdict xrdma_frame_parse_cut(struct xrdma_frame *frame, const void *bytes,
					 size_t captured, size_t len, struct xrdma_pkt *pkt)
{
	enum xrdma_verdict verdict;

	if (captured > XRDMA_FRAME_MAX)
		captured = XRDMA_FRAME_MAX;
	memset(pkt, 0, sizeof(*pkt));
	memcpy(frame->bytes, bytes, captured);
	verdict = xrdma_parse(frame->bytes, frame->bytes + captured, len, pkt);
	if (verdict != XRDMA_V_OK || pkt->info.op == XRDMA_OP_NONE)
		return verdict;
	return xrdma_check_length(pkt, 0);
}

enum xrdma_verdict xrdma_frame_parse(struct xrdma_frame *frame, const void *bytes, size_t len,
				     struct xrdma_pkt *pkt)
{
	return xrdma_frame_parse_cut(frame, bytes, len, len, pkt);
}

bool xrdma_frame_has_icrc(enum xrdma_verdict verdict)
{
	return verdict == XRDMA_V_OK || verdict >= XRDMA_V_BTH_VERSION;
}

/* Return the CRC of HEAD. libdeflate's CRC begins with the complement of its argument. */
static __u32 crc_of_head(const struct xrdma_icrc_head *head)
{
	return libdeflate_crc32(~0U, head->words, sizeof(head->words));
}

__u32 xrdma_frame_icrc_of(const void *ip, __u8 ip_version, size_t len)
{
	struct xrdma_icrc_head head;
	__u32 crc, begun;

	if (!xrdma_icrc_begin(&head, ip, ip + len, ip_version))
		return 0;
	begun = xrdma_icrc_begun(&head);
	crc = crc_of_head(&head);
	return libdeflate_crc32(crc, ip + begun, len - begun);
}

__u32 xrdma_frame_icrc_apart(const void *headers, __u8 ip_version, const void *datagram, size_t len)
{
	const size_t outer = sizeof(struct udphdr) +
			     (ip_version == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
	_Alignas(8) __u8
		packet[sizeof(struct ipv6hdr) + sizeof(struct udphdr) + sizeof(struct xrdma_bth)];
	const size_t bth = sizeof(struct xrdma_bth);
	struct xrdma_icrc_head head;
	__u32 crc, begun;

	memcpy(packet, headers, outer);
	memcpy(packet + outer, datagram, bth);
	xrdma_icrc_begin(&head, packet, packet + outer + bth, ip_version);
	begun = xrdma_icrc_begun(&head) - outer;
	crc = crc_of_head(&head);
	return libdeflate_crc32(crc, datagram + begun, len - begun);
}

__u32 xrdma_frame_icrc(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt)
{
	return xrdma_frame_icrc_of(frame->bytes + pkt->ip_at, pkt->ip_version,
				   pkt->icrc_at - pkt->ip_at);
}

__u32 xrdma_frame_icrc_carried(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt)
{
	__le32 icrc;

	memcpy(&icrc, frame->bytes + pkt->icrc_at, sizeof(icrc));
	return le32toh(icrc);
}

__u32 xrdma_frame_ack_icrc(const struct xrdma_qp_row *qp)
{
	bool is_ipv4 = xrdma_addr_is_ipv4(qp->addr);
	struct xrdma_reply reply = {
		.path = { .saddr = qp->addr, .daddr = qp->peer_addr },
		.opcode = XRDMA_RC_ACK,
	};
	const __u32 ack_at = is_ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	_Alignas(8) __u8 ip[sizeof(struct ipv6hdr) + sizeof(struct xrdma_ack)];
	struct xrdma_ack *ack = (void *)(ip + ack_at);

	if (is_ipv4)
		xrdma_ipv4_write((void *)ip, &reply.path, sizeof(*ack));
	else
		xrdma_ipv6_write((void *)ip, &reply.path, sizeof(*ack));
	xrdma_ack_write(ack, qp, &reply);
	return xrdma_frame_icrc_of(ip, is_ipv4 ? 4 : 6, ack_at + offsetof(struct xrdma_ack, icrc));
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "frame.h"

#include <endian.h>
#include <libdeflate.h>
#include <string.h>

#include "addr.h"
#include "lib/answer.bpf.h"
#include "lib/icrc.bpf.h"
#include "stage/parse.bpf.h"

enum xrdma_verdict xrdma_frame_parse(struct xrdma_frame *frame, const void *bytes, size_t len,
				     struct xrdma_pkt *pkt)
{
	enum xrdma_verdict verdict;

	memset(pkt, 0, sizeof(*pkt));
	memcpy(frame->bytes, bytes, len < XRDMA_FRAME_MAX ? len : XRDMA_FRAME_MAX);
	verdict = xrdma_parse(frame, len, pkt);
	if (verdict != XRDMA_V_OK || pkt->info.op == XRDMA_OP_NONE)
		return verdict;
	return xrdma_check_length(pkt, 0);
}

bool xrdma_frame_has_icrc(enum xrdma_verdict verdict)
{
	return verdict == XRDMA_V_OK || verdict >= XRDMA_V_BTH_VERSION;
}

__u32 xrdma_frame_icrc(struct xrdma_frame *frame, const struct xrdma_pkt *pkt)
{
	__u32 from = pkt->ip_at - XRDMA_ICRC_ONES;

	xrdma_icrc_mask(frame, pkt->ip_at, pkt->bth_at, pkt->ip_version);
	return libdeflate_crc32(0, frame->bytes + from, pkt->icrc_at - from);
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
	const __u32 ip_at = sizeof(struct ethhdr), from = ip_at - XRDMA_ICRC_ONES;
	const __u32 ack_at = ip_at + (is_ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
	struct xrdma_answer answer = { .path = { .saddr = qp->addr, .daddr = qp->peer_addr } };
	struct xrdma_frame frame;
	void *ip = frame.bytes + ip_at;
	struct xrdma_ack *ack = (void *)(frame.bytes + ack_at);

	if (is_ipv4)
		xrdma_ipv4_write(ip, &answer.path, sizeof(*ack));
	else
		xrdma_ipv6_write(ip, &answer.path, sizeof(*ack));
	xrdma_ack_write(ack, qp, &answer);
	xrdma_icrc_mask(&frame, ip_at, ack_at + sizeof(ack->udp), is_ipv4 ? 4 : 6);
	return libdeflate_crc32(0, frame.bytes + from,
				ack_at + offsetof(struct xrdma_ack, icrc) - from);
}

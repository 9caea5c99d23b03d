/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stage 1: parse a frame into a struct xrdma_pkt: Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP
 * port 4791, BTH and the extended headers of its opcode. The XDP programs and user space share this
 * source.
 */
#ifndef XRDMA_WIRE_PARSE_H
#define XRDMA_WIRE_PARSE_H

#include "wire/ip.h"
#include "wire/opcode.h"
#include "wire/packet.h"
#include <xrdma/verdict.h>

static __always_inline enum xrdma_verdict xrdma_parse_bth(struct xrdma_cursor *cursor,
							  struct xrdma_pkt *pkt)
{
	const struct xrdma_bth *bth;
	__u32 qpn, psn;

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

/* Parse the extended headers, in the order of their bits. */
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
 * Parse payload and pad bytes, between the headers and the ICRC. Together they are a multiple of
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
		return XRDMA_V_OK; /* the end of its headers is not known */
	if (padded < pkt->pad_len)
		return XRDMA_V_SHORT;
	pkt->payload_len = padded - pkt->pad_len;
	return XRDMA_V_OK;
}

/*
 * Parse the first half of a frame: everything before the BTH. Returns XRDMA_V_OK if that is
 * complete.
 */
static __always_inline enum xrdma_verdict xrdma_parse_outer(const void *bytes, const void *limit,
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
	return xrdma_parse_udp(&cursor, pkt, &ip);
}

/* Parse the second half: the BTH, at PKT's bth_at, and everything behind it. */
static __always_inline enum xrdma_verdict
xrdma_parse_transport(const void *bytes, const void *limit, struct xrdma_pkt *pkt)
{
	struct xrdma_cursor cursor = {
		.bytes = bytes,
		.limit = limit,
		.at = pkt->bth_at,
		.end = pkt->icrc_at,
	};
	enum xrdma_verdict verdict = xrdma_parse_bth(&cursor, pkt);

	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_parse_extended(&cursor, pkt))
		return XRDMA_V_SHORT;
	return xrdma_parse_payload(&cursor, pkt);
}

/*
 * Parse the FRAME_LEN bytes of a frame at BYTES into PKT, whose bth_at is 0. Nothing at or after
 * LIMIT is read: a header there counts as missing.
 *
 * Returns XRDMA_V_OK if PKT is complete. An unassigned opcode is complete with info.op
 * XRDMA_OP_NONE, because the reply to it depends on the queue pair (9.7.4.1.5). If bth_at is not 0,
 * the addresses are set, whatever the verdict is. From XRDMA_V_BTH_VERSION on, the fields of the
 * BTH are set as well. The ICRC and the length rules of the opcode are checked elsewhere.
 */
static __always_inline enum xrdma_verdict xrdma_parse(const void *bytes, const void *limit,
						      __u32 frame_len, struct xrdma_pkt *pkt)
{
	enum xrdma_verdict verdict = xrdma_parse_outer(bytes, limit, frame_len, pkt);

	return verdict == XRDMA_V_OK ? xrdma_parse_transport(bytes, limit, pkt) : verdict;
}

/*
 * Check the length rules of an opcode (9.7.4.1.6): FIRST and MIDDLE fill the path MTU without pad,
 * LAST has at least one byte, packets without payload have none. An MTU of 0 is unknown: any path
 * MTU is accepted.
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

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "describe.h"

#include <linux/udp.h>
#include <netinet/in.h>

#include "lib/addr.h"
#include "json.h"
#include "lib/opcode.h"

enum { DSCP_SHIFT = 2, ECN_MASK = 3 };

static const char *const verdict_text[XRDMA_VERDICT_COUNT] = {
#define X(number, symbol, action, syndrome, text) [number] = text,
	XRDMA_VERDICTS(X)
#undef X
};

/* RFC 3168, 5. */
static const char *const ecn_name[] = { "Not-ECT", "ECT(1)", "ECT(0)", "CE" };

bool packet_has_bth(const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;

	return xrdma_frame_has_icrc(packet->verdict) && pkt->bth_at &&
	       packet->captured >= pkt->bth_at + sizeof(struct xrdma_bth);
}

const char *packet_icrc(const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;

	if (!xrdma_frame_has_icrc(packet->verdict))
		return NULL;
	if (packet->captured < (size_t)pkt->icrc_at + XRDMA_ICRC_LEN)
		return "not captured";
	return xrdma_frame_icrc_carried(&packet->frame, pkt) ==
			       xrdma_frame_icrc(&packet->frame, pkt)
		       ? "good"
		       : "bad";
}

/* Add the one's complement sum of LEN bytes to the sum FROM (RFC 1071). */
static __u32 sum_bytes(__u32 from, const void *bytes, size_t len)
{
	const __u8 *at = bytes;

	for (size_t i = 0; i < len; i++)
		from += i % 2 ? at[i] : at[i] << 8;
	while (from >> 16)
		from = (from & 0xffff) + (from >> 16);
	return from;
}

/*
 * Check the checksum of a datagram whose length is that in its UDP header (RFC 768). The first 12
 * bytes of an IPv4 address in 16 bytes need not be left out, because their sum is 0xffff, which is
 * zero here.
 */
static const char *udp_checksum(const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;
	const __u32 at = pkt->bth_at - sizeof(struct udphdr);
	const __u32 len = pkt->icrc_at + XRDMA_ICRC_LEN - at;
	__u32 sum = IPPROTO_UDP + len;

	if (!pkt->udp_rest)
		return "none";
	if (packet->captured < at + len)
		return "not captured";
	sum = sum_bytes(sum, pkt->saddr, sizeof(pkt->saddr));
	sum = sum_bytes(sum, pkt->daddr, sizeof(pkt->daddr));
	return sum_bytes(sum, packet->frame.bytes + at, len) == 0xffff ? "good" : "bad";
}

const char *packet_opcode(const struct packet *packet)
{
	const char *name = xrdma_opcode_name(packet->pkt.opcode);

	return name ? name : "unknown opcode";
}

const char *packet_addr(const __be32 addr[4], char *text)
{
	return xrdma_addr_print(addr, text);
}

/* Add the layers below UDP, as far as they are known. The IP header may not be captured. */
static void add_path(struct json_object *object, const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;
	char text[INET6_ADDRSTRLEN];

	if (*packet->via)
		json_add_string(object, "via", packet->via);
	if (!pkt->ip_version)
		return;
	json_add_string(object, "src", packet_addr(pkt->saddr, text));
	json_add_string(object, "dst", packet_addr(pkt->daddr, text));
	json_add_int(object, "dscp", pkt->tclass >> DSCP_SHIFT);
	json_add_string(object, "ecn", ecn_name[pkt->tclass & ECN_MASK]);
	if (!xrdma_frame_has_icrc(packet->verdict))
		return;
	json_add_int(object, "sport", ntohs(pkt->udp_sport));
	json_add_int(object, "dport", XRDMA_UDP_PORT);
	if (!packet->segment) /* a frame with several packets has no valid checksum */
		json_add_string(object, "udp_checksum", udp_checksum(packet));
}

static void add_base(struct json_object *object, const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;

	json_add_int(object, "opcode", pkt->opcode);
	json_add_int(object, "dest_qpn", pkt->dest_qpn);
	json_add_int(object, "psn", pkt->psn);
	json_add_flag(object, "ack_req", pkt->ack_req);
	json_add_flag(object, "solicited", pkt->bth_flags & XRDMA_BTH_SOLICITED);
	json_add_flag(object, "mig_req", pkt->bth_flags & XRDMA_BTH_MIGREQ);
	json_add_flag(object, "fecn", pkt->fecn);
	json_add_flag(object, "becn", pkt->becn);
	json_add_int(object, "pad", pkt->pad_len);
	json_add_hex(object, "pkey", 4, pkt->pkey);
}

static void add_requests(struct json_object *object, const struct xrdma_pkt *pkt)
{
	__u16 set = pkt->info.headers;

	if (set & (XRDMA_HDR_RETH | XRDMA_HDR_ATOMICETH)) {
		json_add_hex(object, "key", 8, pkt->key);
		json_add_hex(object, "addr", 16, pkt->va);
	}
	if (set & XRDMA_HDR_RETH)
		json_add_int(object, "length", pkt->length);
	if (set & XRDMA_HDR_ATOMICETH) {
		json_add_hex(object, "swap_add", 16, pkt->swap_add);
		json_add_hex(object, "compare", 16, pkt->compare);
	}
	if (set & XRDMA_HDR_DETH) {
		json_add_hex(object, "qkey", 8, pkt->qkey);
		json_add_int(object, "src_qpn", pkt->src_qpn);
	}
	if (set & XRDMA_HDR_FETH)
		json_add_hex(object, "flush_type", 8, pkt->flush_type);
	if (set & XRDMA_HDR_IMMDT)
		json_add_hex(object, "imm", 8, ntohl(pkt->imm));
	if (set & XRDMA_HDR_IETH)
		json_add_hex(object, "invalidate_key", 8, pkt->invalidate_key);
}

static void add_answers(struct json_object *object, const struct xrdma_pkt *pkt)
{
	if (pkt->info.headers & XRDMA_HDR_AETH) {
		json_add_int(object, "syndrome", pkt->syndrome);
		json_add_int(object, "msn", pkt->msn);
	}
	if (pkt->info.headers & XRDMA_HDR_ATOMICACKETH)
		json_add_hex(object, "original", 16, pkt->original);
}

/* Describe an error. Missing bytes may exist after the end of the captured part. */
static const char *error_text(const struct packet *packet)
{
	bool cut = packet->captured < packet->pkt.frame_len;

	if (cut && (packet->verdict == XRDMA_V_TRUNCATED || packet->verdict == XRDMA_V_SHORT))
		return "the capture ends before its headers do";
	return verdict_text[packet->verdict];
}

struct json_object *packet_describe(const struct packet *packet)
{
	struct json_object *object = json_object_new_object();
	const struct xrdma_pkt *pkt = &packet->pkt;
	const char *icrc = packet_icrc(packet);

	json_add_int(object, "frame", packet->number);
	if (packet->segment)
		json_add_int(object, "segment", packet->segment);
	if (packet_has_bth(packet))
		json_add_string(object, "name", packet_opcode(packet));
	add_path(object, packet);
	if (packet_has_bth(packet))
		add_base(object, packet);
	if (icrc)
		json_add_string(object, "icrc", icrc);
	if (packet->verdict == XRDMA_V_OK) {
		add_requests(object, pkt);
		add_answers(object, pkt);
		if (pkt->info.op != XRDMA_OP_NONE)
			json_add_int(object, "payload", pkt->payload_len);
	} else {
		json_add_string(object, "error", error_text(packet));
	}
	return object;
}

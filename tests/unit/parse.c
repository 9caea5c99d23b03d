// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Parse frames that are built field by field, and check their ICRC: each field and each rule. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "support/packet.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct xrdma_frame frame;

static enum xrdma_verdict parse(const struct packet *p, struct xrdma_pkt *pkt)
{
	__u8 bytes[PACKET_MAX];

	return xrdma_frame_parse(&frame, bytes, packet_build(p, bytes), pkt);
}

static const struct packet write_only = {
	.opcode = XRDMA_RC_WRITE_ONLY,
	.dest_qpn = 0x123456,
	.psn = 0xabcdef,
	.va = 0x1122334455667788,
	.key = 0xdeadbe01,
	.length = 5,
	.payload_len = 5,
};

Test(parse, write_only_over_every_encapsulation)
{
	static const struct {
		int ip_version, vlan_tags;
		unsigned int bth_at;
	} ways[] = { { 4, 0, 42 }, { 4, 1, 46 }, { 4, 2, 50 },
		     { 6, 0, 62 }, { 6, 1, 66 }, { 6, 2, 70 } };

	for (size_t i = 0; i < COUNT(ways); i++) {
		struct packet p = write_only;
		struct xrdma_pkt pkt;

		p.ip_version = ways[i].ip_version;
		p.vlan_tags = ways[i].vlan_tags;
		expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
		expect_int(pkt.ip_version, ==, ways[i].ip_version);
		expect_int(pkt.bth_at, ==, ways[i].bth_at);
		expect_int(pkt.payload_at, ==, ways[i].bth_at + 28);
		expect_int(pkt.payload_len, ==, 5);
		expect_int(pkt.pad_len, ==, 3);
		expect_int(pkt.va, ==, p.va);
		expect_int(pkt.icrc_at, ==, ways[i].bth_at + 36);
		expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==,
			   xrdma_frame_icrc(&frame, &pkt));
	}
}

Test(parse, addresses_are_ipv6_or_mapped_ipv4)
{
	static const __be32 ipv6[] = { __bpf_constant_htonl(0xfd660000), 0, 0,
				       __bpf_constant_htonl(3) };
	static const __be32 ipv4[] = { 0, 0, __bpf_constant_htonl(0xffff),
				       __bpf_constant_htonl(0x0a420003) };
	struct packet p = write_only;
	struct xrdma_pkt pkt;

	parse(&p, &pkt);
	expect(!memcmp(pkt.saddr, ipv4, sizeof(ipv4)));
	p.ip_version = 6;
	parse(&p, &pkt);
	expect(!memcmp(pkt.saddr, ipv6, sizeof(ipv6)));
	expect_int(pkt.daddr[3], ==, __bpf_constant_htonl(2));
}

/* IBA 9.2: every field of the base header is parsed, without bits of its neighbours. */
Test(parse, base_header_fields)
{
	struct packet p = write_only;
	struct xrdma_pkt pkt;

	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.opcode, ==, XRDMA_RC_WRITE_ONLY);
	expect_int(pkt.dest_qpn, ==, 0x123456);
	expect_int(pkt.psn, ==, 0xabcdef);
	expect_int(pkt.pkey, ==, 0xffff);
	expect(!pkt.ack_req && !pkt.fecn && !pkt.becn);

	p.bth_flags = XRDMA_BTH_SOLICITED;
	p.psn |= XRDMA_BTH_ACKREQ;
	p.dest_qpn |= XRDMA_BTH_FECN;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.dest_qpn, ==, 0x123456);
	expect_int(pkt.psn, ==, 0xabcdef);
	expect(pkt.ack_req && pkt.fecn && !pkt.becn);
	expect(pkt.bth_flags & XRDMA_BTH_SOLICITED);

	p.dest_qpn = 0x123456 | XRDMA_BTH_BECN;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.becn && !pkt.fecn);
}

/* IBA 9.3: each extended header is parsed in an opcode that has it. */
Test(parse, extended_header_fields)
{
	struct packet p = { .va = 0x8000000000000001,
			    .key = 0x80000002,
			    .length = 0xfffffffe,
			    .swap_add = 3,
			    .compare = 0xf000000000000004,
			    .syndrome_msn = 0x1f800005,
			    .original = 0xe000000000000006,
			    .imm = 0x70000007,
			    .qkey = 0x80000008,
			    .src_qpn = 0xff900009 };
	struct xrdma_pkt pkt;

	p.opcode = XRDMA_RC_READ_REQUEST;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.va == p.va && pkt.key == p.key && pkt.length == p.length);

	p.opcode = XRDMA_RC_CMP_SWAP;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.va == p.va && pkt.key == p.key);
	expect(pkt.swap_add == p.swap_add && pkt.compare == p.compare);

	p.opcode = XRDMA_RC_ATOMIC_ACK;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.syndrome == 0x1f && pkt.msn == 0x800005 && pkt.original == p.original);

	p.opcode = XRDMA_RC_SEND_ONLY_INV;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.invalidate_key, ==, p.imm);

	p.opcode = XRDMA_RC_WRITE_ONLY_IMM;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.va == p.va && pkt.imm == bpf_htonl(0x70000007));

	p.opcode = XRDMA_RC_FLUSH;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.flush_type == p.imm && pkt.va == p.va);

	p.opcode = XRDMA_UD_SEND_ONLY;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	expect(pkt.qkey == p.qkey && pkt.src_qpn == 0x900009);
}

/* Offsets in a frame over IPv4 without VLAN tags. */
enum { IP = 14, UDP = 34, BTH = 42 };

/* Changes of write_only: one byte, or one short field if the byte before is 0 in both. */
static const struct {
	const char *what;
	int ip_version;
	unsigned int at;
	__u8 value;
	enum xrdma_verdict verdict;
} wrong_bytes[] = {
	{ "another ethertype", 4, 12, 0x09, XRDMA_V_NOT_ROCE },
	{ "IP version 5 behind the ethertype of 4", 4, IP, 0x55, XRDMA_V_NOT_ROCE },
	{ "IP version 7 behind the ethertype of 6", 6, IP, 0x70, XRDMA_V_NOT_ROCE },
	{ "TCP", 4, IP + 9, IPPROTO_TCP, XRDMA_V_NOT_ROCE },
	{ "another UDP port", 4, UDP + 3, 0xb8, XRDMA_V_NOT_ROCE },
	{ "another UDP port over IPv6", 6, UDP + 23, 0xb8, XRDMA_V_NOT_ROCE },
	{ "IPv6 with a hop-by-hop header", 6, IP + 6, IPPROTO_HOPOPTS, XRDMA_V_NOT_ROCE },
	{ "a fragment that is not the first", 4, IP + 7, 1, XRDMA_V_NOT_ROCE },
	{ "the first of several fragments", 4, IP + 6, 0x20, XRDMA_V_FRAGMENT },
	{ "IP packet longer than the frame", 4, IP + 3, 77, XRDMA_V_TRUNCATED },
	{ "IP packet much longer than the frame", 4, IP + 2, 0xff, XRDMA_V_TRUNCATED },
	{ "IPv6 packet longer than the frame", 6, IP + 5, 49, XRDMA_V_TRUNCATED },
	{ "IP packet shorter than its UDP packet", 4, IP + 3, 60, XRDMA_V_UDP_LENGTH },
	{ "UDP length one too small", 4, UDP + 5, 47, XRDMA_V_UDP_LENGTH },
	{ "UDP length 0", 4, UDP + 5, 0, XRDMA_V_UDP_LENGTH },
	{ "transport version 1", 4, BTH + 1, 0x31, XRDMA_V_BTH_VERSION },
	{ "no pad count: 8 bytes of payload", 4, BTH + 1, 0x00, XRDMA_V_OK },
	{ "pad on a WRITE First", 4, BTH, XRDMA_RC_WRITE_FIRST, XRDMA_V_PAD },
	{ "pad on an ACK, whose headers are shorter", 4, BTH, XRDMA_RC_ACK, XRDMA_V_PAD },
	{ "READ request with payload", 4, BTH, XRDMA_RC_READ_REQUEST, XRDMA_V_PAD },
	{ "CmpSwap: headers past the end", 4, BTH, XRDMA_RC_CMP_SWAP, XRDMA_V_SHORT },
	{ "an opcode that is not assigned", 4, BTH, 0x15, XRDMA_V_OK },
};

Test(parse, one_wrong_byte)
{
	for (size_t i = 0; i < COUNT(wrong_bytes); i++) {
		struct packet p = write_only;
		struct xrdma_pkt pkt;
		__u8 bytes[PACKET_MAX];
		size_t len;

		p.ip_version = wrong_bytes[i].ip_version;
		len = packet_build(&p, bytes);
		bytes[wrong_bytes[i].at] = wrong_bytes[i].value;
		expect_msg(xrdma_frame_parse(&frame, bytes, len, &pkt) == wrong_bytes[i].verdict,
			   "%s", wrong_bytes[i].what);
	}
}

/*
 * RFC 791, 3.1: an IPv4 header has at least five words. With four words it is refused, even if the
 * fourth word looks like UDP to port 4791.
 */
Test(parse, ipv4_header_of_four_words_is_refused)
{
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(&write_only, bytes);
	struct xrdma_pkt pkt;

	bytes[IP] = 0x44;
	bytes[IP + 18] = XRDMA_UDP_PORT >> 8;
	bytes[IP + 19] = XRDMA_UDP_PORT & 0xff;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_NOT_ROCE);
}

/* Insert LEN bytes after the first AT bytes of a frame. */
static size_t insert(__u8 *bytes, size_t frame_len, size_t at, size_t len)
{
	memmove(bytes + at + len, bytes + at, frame_len - at);
	memset(bytes + at, 0, len);
	return frame_len + len;
}

Test(parse, ipv4_options_are_refused)
{
	__u8 bytes[PACKET_MAX];
	size_t len = insert(bytes, packet_build(&write_only, bytes), UDP, 4);
	struct xrdma_pkt pkt;

	bytes[IP] = 0x46;
	bytes[IP + 3] += 4;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_IPV4_OPTIONS);
	bytes[UDP + 4 + 3]++;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_NOT_ROCE);
}

Test(parse, ipv6_fragments_are_refused)
{
	struct packet p = write_only;
	__u8 bytes[PACKET_MAX];
	struct xrdma_pkt pkt;
	size_t len;

	p.ip_version = 6;
	len = insert(bytes, packet_build(&p, bytes), IP + 40, 8);
	bytes[IP + 5] += 8;
	bytes[IP + 6] = IPPROTO_FRAGMENT;
	bytes[IP + 40] = IPPROTO_UDP;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_FRAGMENT);
	bytes[IP + 43] = 8;
	expect_msg(xrdma_frame_parse(&frame, bytes, len, &pkt) == XRDMA_V_NOT_ROCE,
		   "a later fragment has no UDP header");
}

/*
 * The traffic class is the TOS byte of IPv4, and is divided between two bytes of IPv6. Ports are
 * parsed, too.
 */
Test(parse, header_fields_outside_the_base_header)
{
	struct packet p = write_only;
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(&p, bytes);
	struct xrdma_pkt pkt;

	bytes[IP + 1] = 0xa6;
	bytes[UDP] = 0xc1;
	bytes[UDP + 1] = 0x23;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.tclass, ==, 0xa6);
	expect_int(pkt.udp_sport, ==, bpf_htons(0xc123));
	p.ip_version = 6;
	len = packet_build(&p, bytes);
	bytes[IP] = 0x6a;
	bytes[IP + 1] = 0x6f;
	expect_int(xrdma_frame_parse(&frame, bytes, len, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.tclass, ==, 0xa6);
}

/*
 * IBA A17.9.2.1: a router may change some bytes without affecting the ICRC. Any other change makes
 * it wrong.
 */
Test(parse, icrc_covers_all_but_the_variable_fields)
{
	static const unsigned int variable[] = { IP + 1,  IP + 8,  IP + 10, IP + 11,
						 UDP + 6, UDP + 7, BTH + 4 };
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(&write_only, bytes), next = 0;

	for (size_t at = IP; at < len; at++) {
		bool masked = next < COUNT(variable) && variable[next] == at;
		struct xrdma_pkt pkt;

		next += masked;
		bytes[at] ^= 0x40;
		if (xrdma_frame_has_icrc(xrdma_frame_parse(&frame, bytes, len, &pkt)))
			expect_msg((xrdma_frame_icrc_carried(&frame, &pkt) ==
				    xrdma_frame_icrc(&frame, &pkt)) == masked,
				   "byte %zu", at);
		bytes[at] ^= 0x40;
	}
	expect_int(next, ==, COUNT(variable));
}

/* In a frame that the parser accepts, all parts are inside the frame, whatever its bytes are. */
Test(parse, random_changes_never_lead_outside)
{
	unsigned int seed = 1, well_formed = 0;

	for (int round = 0; round < 200000; round++) {
		struct packet p = write_only;
		__u8 bytes[PACKET_MAX];
		struct xrdma_pkt pkt;
		size_t len;

		p.opcode = rand_r(&seed);
		p.payload_len = rand_r(&seed) % 64;
		p.ip_version = rand_r(&seed) % 2 ? 6 : 4;
		p.vlan_tags = rand_r(&seed) % 3;
		len = packet_build(&p, bytes);
		for (int changes = rand_r(&seed) % 4; changes; changes--)
			bytes[rand_r(&seed) % len] = rand_r(&seed);
		if (xrdma_frame_parse(&frame, bytes, len, &pkt) != XRDMA_V_OK)
			continue;
		well_formed++;
		expect(pkt.icrc_at + sizeof(__le32) <= len);
		expect(pkt.info.op == XRDMA_OP_NONE ||
		       pkt.payload_at + pkt.payload_len + pkt.pad_len == pkt.icrc_at);
	}
	expect_msg(well_formed > 20000, "only %u of the packets were well-formed", well_formed);
}

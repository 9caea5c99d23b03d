// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Parse frames that are too short or too long: cut anywhere, padded, or with payloads that their
 * opcodes do not allow.
 */

#include "lib/frame.h"
#include "lib/opcode.h"
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
	.length = 5,
	.payload_len = 5,
};

/* Offsets in a frame over IPv4 without VLAN tags. */
enum { IP = 14, UDP = 34 };

/* Ethernet pads short frames, and senders may add a trailer. Neither belongs to the packet. */
Test(parse_lengths, bytes_behind_the_ip_packet_are_ignored)
{
	__u8 bytes[PACKET_MAX] = { 0 };
	size_t len = packet_build(&write_only, bytes);
	struct xrdma_pkt pkt;

	expect_int(xrdma_frame_parse(&frame, bytes, len + 2000, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.payload_len, ==, 5);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
}

/*
 * No prefix of a frame is accepted as a packet, and reading stays inside the prefix (sanitizers
 * check that).
 */
Test(parse_lengths, every_prefix_is_refused)
{
	for (int way = 0; way < 6; way++) {
		struct packet p = write_only;
		__u8 bytes[PACKET_MAX];
		struct xrdma_pkt pkt;
		size_t len;

		p.ip_version = way % 2 ? 6 : 4;
		p.vlan_tags = way / 2;
		len = packet_build(&p, bytes);
		for (size_t cut = 0; cut < len; cut++)
			expect_msg(xrdma_frame_parse(&frame, bytes, cut, &pkt) == XRDMA_V_TRUNCATED,
				   "%zu bytes", cut);
	}
}

/* Expect that IP and UDP lengths too small for the headers of OPCODE are refused. */
static void expect_shorter_refused(__u8 opcode)
{
	const struct packet p = { .opcode = opcode };
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(&p, bytes);
	struct xrdma_pkt pkt;

	for (size_t udp_len = 0; udp_len < len - UDP; udp_len++) {
		bytes[IP + 3] = 20 + udp_len;
		bytes[UDP + 5] = udp_len;
		expect_msg(xrdma_frame_parse(&frame, bytes, len, &pkt) ==
				   (udp_len < 8 + 12 + 4 ? XRDMA_V_UDP_LENGTH : XRDMA_V_SHORT),
			   "opcode %02x, %zu bytes", opcode, udp_len);
	}
}

Test(parse_lengths, every_shorter_ip_packet_is_refused)
{
	for (int opcode = 0; opcode < 256; opcode++)
		if (xrdma_opcode_name(opcode))
			expect_shorter_refused(opcode);
}

Test(parse_lengths, packets_longer_than_any_are_refused)
{
	struct packet p = write_only;
	struct xrdma_pkt pkt;

	p.payload_len = 4096;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OK);
	p.payload_len = 4097;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_LENGTH);
	p.payload_len = 8192;
	expect_int(parse(&p, &pkt), ==, XRDMA_V_OVERSIZED);
}

/* IBA 9.7.4.1.6: lengths of the payload for each opcode. */
static const struct {
	__u8 opcode;
	size_t payload_len;
	enum xrdma_verdict verdict;
} lengths[] = {
	{ XRDMA_RC_WRITE_FIRST, 256, XRDMA_V_OK },
	{ XRDMA_RC_WRITE_FIRST, 4096, XRDMA_V_OK },
	{ XRDMA_RC_WRITE_FIRST, 0, XRDMA_V_LENGTH },
	{ XRDMA_RC_WRITE_FIRST, 128, XRDMA_V_LENGTH },
	{ XRDMA_RC_WRITE_MIDDLE, 1020, XRDMA_V_LENGTH },
	{ XRDMA_RC_WRITE_MIDDLE, 1023, XRDMA_V_PAD },
	{ XRDMA_RC_WRITE_LAST, 0, XRDMA_V_LENGTH },
	{ XRDMA_RC_WRITE_LAST, 1, XRDMA_V_OK },
	{ XRDMA_RC_WRITE_ONLY, 0, XRDMA_V_OK },
	{ XRDMA_RC_SEND_LAST_INV, 0, XRDMA_V_LENGTH },
	{ XRDMA_RC_READ_REQUEST, 4, XRDMA_V_LENGTH },
	{ XRDMA_RC_ACK, 4, XRDMA_V_LENGTH },
	{ XRDMA_RC_ACK, 1, XRDMA_V_PAD },
	{ XRDMA_RC_FETCH_ADD, 8, XRDMA_V_LENGTH },
	{ XRDMA_RC_ATOMIC_WRITE, 8, XRDMA_V_OK },
	{ XRDMA_RC_ATOMIC_WRITE, 4, XRDMA_V_LENGTH },
	{ XRDMA_CNP, 16, XRDMA_V_OK },
	{ XRDMA_CNP, 12, XRDMA_V_LENGTH },
};

Test(parse_lengths, payload_length_by_opcode)
{
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct packet p = { .opcode = lengths[i].opcode,
				    .payload_len = lengths[i].payload_len };
		struct xrdma_pkt pkt;

		expect_msg(parse(&p, &pkt) == lengths[i].verdict, "opcode 0x%02x with %zu bytes",
			   p.opcode, p.payload_len);
	}
}

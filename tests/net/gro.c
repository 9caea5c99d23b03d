// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Single packets are sent, and the receiving netdev merges them into a super packet.
 * tests/net/gro.sh runs this program.
 */
#include <string.h>

#include "support/peer.h"
#include "support/test.h"

enum {
	MANY = 64, /* as many datagrams as a kernel merges */
	TRIES = 20,
};

TestSuite(gro, .once = peer_open, .init = peer_start, .fini = peer_stop, .end = peer_close);

static __u32 add(__u32 sum, const __u8 *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? at[i] : at[i] << 8;
	return sum;
}

/*
 * Send PACKET with a UDP checksum, because it would not be merged without one. CHANGED is a mask of
 * bits to damage in the ICRC.
 */
static void send_summed(const struct packet *packet, __u8 changed)
{
	const bool ipv4 = packet->ip_version != 6;
	const size_t ip_at = 14, udp_at = ip_at + (ipv4 ? 20 : 40), addrs = ipv4 ? 8 : 32;
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(packet, bytes);
	__u32 sum;

	bytes[len - 1] ^= changed;
	sum = add(17 + len - udp_at, bytes + udp_at - addrs, len - udp_at + addrs);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = sum == 0xffff ? 0xffff : ~sum; /* RFC 768: 0 would say that there is no checksum */
	bytes[udp_at + 6] = sum >> 8;
	bytes[udp_at + 7] = sum;
	peer_send_bytes(bytes, len);
}

static struct peer_asked ask(__u8 opcode, __u32 offset, __u32 len)
{
	const struct peer_asked asked = peer_make(opcode, offset, len);

	send_summed(&asked.packet, 0);
	return asked;
}

/*
 * Send COUNT WRITEs that request acknowledgements. Returns the number of acknowledgements: there is
 * one for each super packet, or for each run of the program.
 */
static int write_many(int count)
{
	struct peer_asked asked[MANY];
	int acks = 0;

	for (int n = 0; n < count; n++)
		asked[n] = ask(XRDMA_RC_WRITE_ONLY, n * 64, 64);
	for (int n = 0; n < count; n++, acks++)
		n += peer_expect_ack_of_one(&asked[n], count - n);
	peer_expect_nothing();
	return acks;
}

/*
 * Repeat until all WRITEs arrive as one super packet, and expect ACKS then. The kernel may deliver
 * merged packets when its clock ticks, which may be between any two datagrams.
 */
static void expect_acks(int of_writes, int acks)
{
	int least = of_writes;

	for (int n = 0; n < TRIES && least > acks; n++) {
		const int now = write_many(of_writes);

		if (now < least)
			least = now;
	}
	expect_int(least, ==, acks);
}

Tests(gro, writes, 2)
{
	peer_connect(i ? 6 : 4, 1024);
	expect_acks(8, 1);
}

/*
 * The super packet has more packets than the program handles in its runs, so a copy of the frame is
 * handled again.
 */
Test(gro, many_writes)
{
	expect_acks(MANY, 2);
}

/* A WRITE after READs is executed, too, and acknowledged after the responses to the READs. */
Test(gro, reads)
{
	struct peer_asked reads[8], write;

	for (int n = 0; n < 8; n++)
		reads[n] = ask(XRDMA_RC_READ_REQUEST, n * 100, n == 5 ? 100000 : 100);
	write = ask(XRDMA_RC_WRITE_ONLY, 0, 0);
	for (int n = 0; n < 8; n++)
		peer_expect_read(&reads[n]);
	peer_expect_ack(&write);
	peer_expect_nothing();
}

Test(gro, atomics)
{
	struct peer_asked asked[8];

	for (int n = 0; n < 8; n++)
		asked[n] = ask(XRDMA_RC_FETCH_ADD, n * 8, 8);
	for (int n = 0; n < 8; n++)
		peer_expect_original(&asked[n]);
	peer_expect_nothing();
}

/* The last packet is damaged. The others are acknowledged, and the last one is sent again. */
Test(gro, damaged)
{
	struct peer_asked asked[4];

	for (int n = 0; n < 3; n++)
		asked[n] = ask(XRDMA_RC_WRITE_ONLY, n * 64, 64);
	asked[3] = peer_make(XRDMA_RC_WRITE_ONLY, 3 * 64, 64);
	send_summed(&asked[3].packet, 1);
	for (int n = 0; n < 3; n++)
		n += peer_expect_ack_of_one(&asked[n], 3 - n);
	send_summed(&asked[3].packet, 0);
	peer_expect_ack(&asked[3]);
}

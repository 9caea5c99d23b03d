// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Replies with every encapsulation. */
#include <string.h>

#include "support/case.h"

#define CASE_STAGE prog_reply
TestSuite(prog_reply, .once = target_load, .in_one_process = true);

CASE(over_ipv6, OK)
{
	case_set_ipv6(run);
}

CASE(over_a_vlan, OK)
{
	run->packet.vlan_tags = 1;
}

static void set_vlans_ipv6(struct run *run)
{
	case_set_ipv6(run);
	run->packet.vlan_tags = 2;
}

CASE(over_two_vlans_ipv6, OK)
{
	set_vlans_ipv6(run);
}

/* Padding of short frames, as Ethernet adds it. The reply has none. */
static void edit_trailer(struct run *run)
{
	memset(run->frame + run->len, 0xee, 6);
	run->len += 6;
}

CASE(with_trailer, OK)
{
	run->edit_frame = edit_trailer;
}

/* A request that has a UDP checksum gets a reply that has none. */
static void edit_udp_checksum(struct run *run)
{
	run->frame[40] = 0x12;
	run->frame[41] = 0x34;
}

CASE(with_udp_checksum, OK)
{
	run->edit_frame = edit_udp_checksum;
}

CASE(read_with_udp_checksum, OK)
{
	case_set_read(run);
	run->edit_frame = edit_udp_checksum;
}

/* Set a traffic class, and the mark of a router with congestion. */
static void edit_congestion(struct run *run)
{
	run->frame[15] = 26 << 2 | 3;
	packet_seal(run->frame, run->len);
}

CASE(congestion_on_the_way, OK)
{
	run->edit_frame = edit_congestion;
}

/* Set class 0x6b, which has four bits in each of the first two bytes. */
static void edit_congestion_ipv6(struct run *run)
{
	run->frame[14] = 0x66;
	run->frame[15] = 0xb0;
}

CASE(congestion_over_ipv6, OK)
{
	case_set_ipv6(run);
	run->edit_frame = edit_congestion_ipv6;
}

CASE(nak_over_ipv6, KEY)
{
	case_set_ipv6(run);
	run->packet.key ^= 1;
}

static void set_in_two(struct run *run)
{
	run->target.first_buffer = 100;
}

CASE(in_two_buffers, OK)
{
	set_in_two(run);
}

/* Split the frame like drivers do: the reply begins in the headroom. */
static void set_headers_in_two(struct run *run)
{
	run->target.first_buffer = 42;
}

CASE(headers_in_two_buffers, OK)
{
	set_headers_in_two(run);
}

CASE(vlans_in_two_buffers, OK)
{
	set_vlans_ipv6(run);
	set_headers_in_two(run);
}

CASE(nak_in_two_buffers, KEY)
{
	set_in_two(run);
	run->packet.key ^= 1;
}

/*
 * An acknowledgement is 20 bytes longer than the first buffer. Another program has used all but 4
 * bytes of the headroom.
 */
CASE(no_headroom, ROOM)
{
	set_headers_in_two(run);
	run->target.metadata = 212;
}

/* The first buffer lacks some bytes of the headers before the IP header. */
CASE(link_in_two_buffers, ROOM)
{
	run->target.first_buffer = 21;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Replies over every encapsulation. */
#include <string.h>

#include "cases.h"

static void set_vlan(struct run *r)
{
	r->packet.vlan_tags = 1;
}

static void set_vlans_ipv6(struct run *r)
{
	case_set_ipv6(r);
	r->packet.vlan_tags = 2;
}

/* As Ethernet pads short frames; the reply has none of it. */
static void bend_trailer(struct run *r)
{
	memset(r->frame + r->len, 0xee, 6);
	r->len += 6;
}

/* A request that has a UDP checksum gets a reply that has none. */
static void bend_udp_checksum(struct run *r)
{
	r->frame[40] = 0x12;
	r->frame[41] = 0x34;
}

/* A class of traffic, and a mark by a router that was about to drop. */
static void bend_congestion(struct run *r)
{
	r->frame[15] = 26 << 2 | 3;
	packet_seal(r->frame, r->len);
}

/* Class 0x6b: four bits in each of the first two bytes. */
static void bend_congestion_ipv6(struct run *r)
{
	r->frame[14] = 0x66;
	r->frame[15] = 0xb0;
}

static void set_nak_ipv6(struct run *r)
{
	case_set_ipv6(r);
	r->packet.key ^= 1;
}

static void set_in_two(struct run *r)
{
	r->target.first_buffer = 100;
}

/* As drivers split frames: the reply begins in the headroom. */
static void set_headers_in_two(struct run *r)
{
	r->target.first_buffer = 42;
}

static void set_vlans_in_two(struct run *r)
{
	set_vlans_ipv6(r);
	set_headers_in_two(r);
}

static void set_nak_in_two(struct run *r)
{
	set_in_two(r);
	r->packet.key ^= 1;
}

/*
 * An acknowledgement takes 20 bytes more than the first buffer has; another program took all but 4
 * of the headroom.
 */
static void set_no_headroom(struct run *r)
{
	set_headers_in_two(r);
	r->target.metadata = 212;
}

/* Not even all that may stand before the IP header. */
static void set_link_in_two(struct run *r)
{
	r->target.first_buffer = 21;
}

#define CASE_STAGE prog_reply
TestSuite(prog_reply, .once = target_load, .in_one_process = true);
REPLY_CASES(CASE_TEST)

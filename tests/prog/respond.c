// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Answers over every encapsulation. */
#include <arpa/inet.h>
#include <string.h>

#include "cases.h"

static void set_ipv6_peer(struct run *r)
{
	r->packet.ip_version = 6;
	inet_pton(AF_INET6, "fd66::3", r->qp->peer_addr);
	inet_pton(AF_INET6, "fd66::2", r->qp->addr);
}

static void set_vlan(struct run *r)
{
	r->packet.vlan_tags = 1;
}

static void set_vlans_ipv6(struct run *r)
{
	set_ipv6_peer(r);
	r->packet.vlan_tags = 2;
}

/* As Ethernet pads short frames; the answer has none of it. */
static void bend_trailer(struct run *r)
{
	memset(r->frame + r->len, 0xee, 6);
	r->len += 6;
}

/* A class of traffic, and a mark by a router that was about to drop. */
static void bend_congestion(struct run *r)
{
	r->frame[15] = 26 << 2 | 3;
}

/* Class 0x6b: four bits in each of the first two bytes. */
static void bend_congestion_ipv6(struct run *r)
{
	r->frame[14] = 0x66;
	r->frame[15] = 0xb0;
}

static void set_nak_ipv6(struct run *r)
{
	set_ipv6_peer(r);
	r->packet.key ^= 1;
}

#define CASE_STAGE prog_respond
RESPOND_CASES(CASE_TEST)

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the XDP program makes of frames that are not whole, not RoCE or not its own. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <string.h>

#include "cases.h"
#include "xrdma.skel.h"

enum { ETHERTYPE_AT = 12, IP_AT = 14, UDP_AT = 34, BTH_AT = 42, PAYLOAD_AT = 70 };

static void bend_ethertype(struct run *r)
{
	r->frame[ETHERTYPE_AT] = 0x88;
}

static void bend_udp_port(struct run *r)
{
	r->frame[UDP_AT + 3]++;
}

static void bend_cut(struct run *r)
{
	r->len--;
}

static void set_huge(struct run *r)
{
	r->packet.payload_len = 4400;
}

static void bend_fragment(struct run *r)
{
	r->frame[IP_AT + 6] = 0x20;
}

static void bend_options(struct run *r)
{
	memmove(r->frame + UDP_AT + 4, r->frame + UDP_AT, r->len - UDP_AT);
	memset(r->frame + UDP_AT, 1, 4);
	r->len += 4;
	r->frame[IP_AT]++;
	r->frame[IP_AT + 3] += 4;
}

static void bend_udp_length(struct run *r)
{
	r->frame[UDP_AT + 5]++;
}

static void set_version(struct run *r)
{
	r->packet.bth_flags = 1;
}

/* Only a BTH and the ICRC: the RETH is missing. */
static void bend_to_bth(struct run *r)
{
	r->len = BTH_AT + sizeof(struct xrdma_bth) + XRDMA_ICRC_LEN;
	r->frame[IP_AT + 3] = r->len - IP_AT;
	r->frame[UDP_AT + 5] = r->len - UDP_AT;
	packet_seal(r->frame, r->len);
}

static void set_addr_of_another(struct run *r)
{
	struct xrdma_device_row device = { .addr_count = 1 };

	memcpy(device.addrs[0], r->qp->peer_addr, sizeof(device.addrs[0]));
	memcpy(device.addrs[1], r->qp->addr, sizeof(device.addrs[1])); /* beyond addr_count */
	target_set_device(&r->target, &device);
}

static void set_ipv6_header(struct run *r)
{
	r->packet.ip_version = 6;
}

/* Its addresses are those of the connection, mapped into IPv6. */
static void bend_mapped(struct run *r)
{
	memcpy(r->frame + IP_AT + 8, r->qp->peer_addr, 16);
	memcpy(r->frame + IP_AT + 24, r->qp->addr, 16);
	packet_seal(r->frame, r->len);
}

/* Of one whose number has a single bit, its lowest or its highest. */
static void set_of_vlan(struct run *r)
{
	r->packet.vlan_tags = 1;
	r->packet.vlan = 1;
}

static void set_of_vlan_inside(struct run *r)
{
	r->packet.ip_version = 6;
	r->packet.vlan_tags = 2;
	r->packet.vlan = 0x800;
}

static void bend_mac(struct run *r)
{
	r->frame[5]++;
}

static void bend_broadcast(struct run *r)
{
	memset(r->frame, 0xff, 6);
}

/* Of IPv6's, to all nodes. */
static void bend_multicast(struct run *r)
{
	memcpy(r->frame, (const __u8[]){ 0x33, 0x33, 0, 0, 0, 1 }, 6);
}

static void bend_checksum(struct run *r)
{
	r->frame[IP_AT + 11] ^= 1;
}

/* What the ICRC does not cover. */
static void bend_ttl(struct run *r)
{
	r->frame[IP_AT + 8]--;
}

static void bend_payload(struct run *r)
{
	r->frame[PAYLOAD_AT + 63] ^= 0x10;
}

static void bend_icrc(struct run *r)
{
	r->frame[r->len - 1] ^= 0x80;
}

#define CASE_STAGE prog_parse
TestSuite(prog_parse, .once = target_load, .in_one_process = true);
PARSE_CASES(CASE_TEST)

/* Flaws for which the device refuses its own packets. */
static const struct {
	void (*set)(struct run *r);
	void (*bend)(struct run *r);
} flaws[] = {
	{ NULL, bend_cut },	{ set_huge, NULL },    { NULL, bend_fragment },
	{ NULL, bend_options }, { set_version, NULL }, { NULL, bend_udp_length },
	{ NULL, bend_to_bth },	{ NULL, bend_ttl },    { NULL, bend_checksum },
	{ NULL, bend_payload }, { NULL, bend_icrc },
};
enum { FLAWS = sizeof(flaws) / sizeof(flaws[0]) };
static int flaw;

static void set_flaw(struct run *r)
{
	if (flaws[flaw].set)
		flaws[flaw].set(r);
}

static void bend_flaw(struct run *r)
{
	if (flaws[flaw].bend)
		flaws[flaw].bend(r);
}

static void set_flaw_of_another(struct run *r)
{
	set_flaw(r);
	set_addr_of_another(r);
}

static void bend_flaw_and_mac(struct run *r)
{
	bend_flaw(r);
	bend_mac(r);
}

/* A packet that is refused before its BTH is read is not counted under any opcode. */
Tests(prog_parse, no_opcode, 3)
{
	void (*const early[])(struct run *) = { bend_cut, bend_fragment, bend_udp_length };
	struct xrdma_counters counters;
	struct target_result result;
	const __u64 *counted = (const __u64 *)&counters.opcodes;
	struct run r;

	case_open(&r);
	r.len = packet_build(&r.packet, r.frame);
	early[i](&r);
	target_run(&r.target, r.frame, r.len, &result);
	target_counters(&r.target, &counters);
	for (size_t n = 0; n < sizeof(counters.opcodes) / sizeof(*counted); n++)
		expect_int(counted[n], ==, 0);
}

/* Nobody but its receiver refuses a packet: a router or a bridge hands it on. */
Tests(prog_parse, flaw_of_another_address, FLAWS)
{
	flaw = i;
	case_check(XRDMA_V_NOT_OURS, set_flaw_of_another, bend_flaw);
}

Tests(prog_parse, flaw_of_another_host, FLAWS)
{
	flaw = i;
	case_check(XRDMA_V_OTHER_MAC, set_flaw, bend_flaw_and_mac);
}

/*
 * Up to the end of the UDP header nothing says that it is RoCE. At tc, the kernel runs no test with
 * a frame that ends before its IP header does.
 */
Test(prog_parse, cut_anywhere)
{
	struct target_result result;
	struct run r;

	case_open(&r);
	r.len = packet_build(&r.packet, r.frame);
	for (size_t len = target_is_at_tc ? UDP_AT : IP_AT; len < r.len; len++) {
		target_run(&r.target, r.frame, len, &result);
		expect_msg(result.verdict == (len < BTH_AT ? XRDMA_V_NOT_ROCE : XRDMA_V_TRUNCATED),
			   "%zu bytes: %d", len, result.verdict);
	}
}

/*
 * With as many addresses as a device can have, the last being the frame's: unlike it in any word,
 * it is another.
 */
Test(prog_parse, address_word_by_word)
{
	struct xrdma_device_row device = { .addr_count = XRDMA_ADDRS_MAX,
					   .mac = { 2, 0, 0, 0, 0, 2 } };
	__be32 *last = device.addrs[XRDMA_ADDRS_MAX - 1];
	struct target_result result;
	struct run r;

	case_open(&r);
	memcpy(last, r.qp->addr, sizeof(r.qp->addr));
	for (int word = 0; word < 4; word++) {
		last[word] ^= htonl(1);
		target_set_device(&r.target, &device);
		case_send(&r, &result);
		expect_msg(result.verdict == XRDMA_V_NOT_OURS, "word %d", word);
		last[word] ^= htonl(1);
	}
	target_set_device(&r.target, &device);
	case_send(&r, &result);
	expect_int(result.verdict, ==, XRDMA_V_OK);
}

/* One beyond those that have a place in the row. */
Test(prog_parse, seventeenth_address)
{
	struct xrdma_device_row device = { .addr_count = XRDMA_ADDRS_MAX + 1,
					   .mac = { 2, 0, 0, 0, 0, 2 } };
	struct target_result result;
	const __u8 there = 1;
	struct run r;
	int map;

	case_open(&r);
	map = bpf_map__fd(r.target.bpf->maps.xrdma_addrs);
	target_set_device(&r.target, &device);
	case_send(&r, &result);
	expect_int(result.verdict, ==, XRDMA_V_NOT_OURS);
	expect_int(bpf_map_update_elem(map, r.qp->addr, &there, BPF_ANY), ==, 0);
	case_send(&r, &result);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_int(bpf_map_delete_elem(map, r.qp->addr), ==, 0);
}

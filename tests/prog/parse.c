// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Frames that are damaged, not RoCE, or not for this device. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <string.h>

#include "support/case.h"
#include "xrdma.skel.h"

#define CASE_STAGE prog_parse
TestSuite(prog_parse, .once = target_load, .in_one_process = true);

enum { ETHERTYPE_AT = 12, IP_AT = 14, UDP_AT = 34, BTH_AT = 42, PAYLOAD_AT = 70 };

static void edit_ethertype(struct run *run)
{
	run->frame[ETHERTYPE_AT] = 0x88;
}

CASE(not_ip, NOT_ROCE)
{
	run->edit_frame = edit_ethertype;
}

static void edit_udp_port(struct run *run)
{
	run->frame[UDP_AT + 3]++;
}

CASE(other_udp_port, NOT_ROCE)
{
	run->edit_frame = edit_udp_port;
}

static void edit_cut(struct run *run)
{
	run->len--;
}

CASE(frame_cut_short, TRUNCATED)
{
	run->edit_frame = edit_cut;
}

static void set_huge(struct run *run)
{
	run->packet.payload_len = 4400;
}

CASE(longer_than_any, OVERSIZED)
{
	set_huge(run);
}

static void edit_fragment(struct run *run)
{
	run->frame[IP_AT + 6] = 0x20;
}

CASE(first_fragment, FRAGMENT)
{
	run->edit_frame = edit_fragment;
}

static void edit_options(struct run *run)
{
	memmove(run->frame + UDP_AT + 4, run->frame + UDP_AT, run->len - UDP_AT);
	memset(run->frame + UDP_AT, 1, 4);
	run->len += 4;
	run->frame[IP_AT]++;
	run->frame[IP_AT + 3] += 4;
}

CASE(ipv4_options, IPV4_OPTIONS)
{
	run->edit_frame = edit_options;
}

static void edit_udp_length(struct run *run)
{
	run->frame[UDP_AT + 5]++;
}

CASE(udp_length_of_another, UDP_LENGTH)
{
	run->edit_frame = edit_udp_length;
}

static void set_version(struct run *run)
{
	run->packet.bth_flags = 1;
}

CASE(header_version, BTH_VERSION)
{
	set_version(run);
}

/* Shorten the packet to a BTH and the ICRC. The RETH is missing. */
static void edit_to_bth(struct run *run)
{
	run->len = BTH_AT + sizeof(struct xrdma_bth) + XRDMA_ICRC_LEN;
	run->frame[IP_AT + 3] = run->len - IP_AT;
	run->frame[UDP_AT + 5] = run->len - UDP_AT;
	packet_seal(run->frame, run->len);
}

CASE(shorter_than_headers, SHORT)
{
	run->edit_frame = edit_to_bth;
}

static void set_addr_of_another(struct run *run)
{
	struct xrdma_device_row device = { .addr_count = 1 };

	memcpy(device.addrs[0], run->qp->peer_addr, sizeof(device.addrs[0]));
	/* The address comes after the last of ADDR_COUNT. */
	memcpy(device.addrs[1], run->qp->addr, sizeof(device.addrs[1]));
	target_set_device(&run->target, &device);
}

CASE(another_address, NOT_OURS)
{
	set_addr_of_another(run);
}

/* Use the connection's addresses, mapped into IPv6. */
static void edit_mapped(struct run *run)
{
	memcpy(run->frame + IP_AT + 8, run->qp->peer_addr, 16);
	memcpy(run->frame + IP_AT + 24, run->qp->addr, 16);
	packet_seal(run->frame, run->len);
}

CASE(mapped_in_ipv6, NOT_ROCE)
{
	run->packet.ip_version = 6;
	run->edit_frame = edit_mapped;
}

/* The VLAN number has a single bit: the lowest, or the highest. */
CASE(of_a_vlan, VLAN)
{
	run->packet.vlan_tags = 1;
	run->packet.vlan = 1;
}

CASE(of_a_vlan_inside, VLAN)
{
	run->packet.ip_version = 6;
	run->packet.vlan_tags = 2;
	run->packet.vlan = 0x800;
}

static void edit_mac(struct run *run)
{
	run->frame[5]++;
}

CASE(to_another_host, OTHER_MAC)
{
	run->edit_frame = edit_mac;
}

static void edit_broadcast(struct run *run)
{
	memset(run->frame, 0xff, 6);
}

CASE(broadcast, OTHER_MAC)
{
	run->edit_frame = edit_broadcast;
}

/* Use the multicast address of all IPv6 nodes. */
static void edit_multicast(struct run *run)
{
	memcpy(run->frame, (const __u8[]){ 0x33, 0x33, 0, 0, 0, 1 }, 6);
}

CASE(multicast, OTHER_MAC)
{
	run->edit_frame = edit_multicast;
}

static void edit_checksum(struct run *run)
{
	run->frame[IP_AT + 11] ^= 1;
}

CASE(ip_checksum, IPV4_CHECKSUM)
{
	run->edit_frame = edit_checksum;
}

/* Change a byte that the ICRC does not cover. */
static void edit_ttl(struct run *run)
{
	run->frame[IP_AT + 8]--;
}

CASE(ttl_of_another, IPV4_CHECKSUM)
{
	run->edit_frame = edit_ttl;
}

static void edit_payload(struct run *run)
{
	run->frame[PAYLOAD_AT + 63] ^= 0x10;
}

CASE(corrupt_payload, ICRC)
{
	run->edit_frame = edit_payload;
}

static void edit_icrc(struct run *run)
{
	run->frame[run->len - 1] ^= 0x80;
}

CASE(corrupt_icrc, ICRC)
{
	run->edit_frame = edit_icrc;
}

/* Flaws for which the device refuses its own packets. */
static const struct {
	void (*set)(struct run *run);
	void (*edit_frame)(struct run *run);
} flaws[] = {
	{ NULL, edit_cut },	{ set_huge, NULL },    { NULL, edit_fragment },
	{ NULL, edit_options }, { set_version, NULL }, { NULL, edit_udp_length },
	{ NULL, edit_to_bth },	{ NULL, edit_ttl },    { NULL, edit_checksum },
	{ NULL, edit_payload }, { NULL, edit_icrc },
};
enum { FLAWS = sizeof(flaws) / sizeof(flaws[0]) };
static int flaw;

static void set_flaw(struct run *run)
{
	if (flaws[flaw].set)
		flaws[flaw].set(run);
	run->edit_frame = flaws[flaw].edit_frame;
}

static void set_flaw_of_other_address(struct run *run)
{
	set_flaw(run);
	set_addr_of_another(run);
}

static void edit_flaw_and_mac(struct run *run)
{
	if (flaws[flaw].edit_frame)
		flaws[flaw].edit_frame(run);
	edit_mac(run);
}

static void set_flaw_of_other_host(struct run *run)
{
	set_flaw(run);
	run->edit_frame = edit_flaw_and_mac;
}

/* A packet that is refused before its BTH is read is not counted under any opcode. */
Tests(prog_parse, no_opcode, 3)
{
	void (*const early[])(struct run *) = { edit_cut, edit_fragment, edit_udp_length };
	struct xrdma_counters counters;
	struct target_result result;
	const __u64 *counted = (const __u64 *)&counters.opcodes;
	struct run run;

	case_open(&run);
	run.len = packet_build(&run.packet, run.frame);
	early[i](&run);
	target_run(&run.target, run.frame, run.len, &result);
	target_counters(&run.target, &counters);
	for (size_t n = 0; n < sizeof(counters.opcodes) / sizeof(*counted); n++)
		expect_int(counted[n], ==, 0);
}

/* Only its receiver refuses a packet. A router or a bridge passes it on. */
Tests(prog_parse, flaw_of_another_address, FLAWS)
{
	flaw = i;
	case_check(XRDMA_V_NOT_OURS, set_flaw_of_other_address);
}

Tests(prog_parse, flaw_of_another_host, FLAWS)
{
	flaw = i;
	case_check(XRDMA_V_OTHER_MAC, set_flaw_of_other_host);
}

/*
 * A frame that ends before the end of the UDP header cannot be recognized as RoCE. At tc, the
 * kernel runs no test with a frame that ends before the end of its IP header.
 */
Test(prog_parse, cut_anywhere)
{
	struct target_result result;
	struct run run;

	case_open(&run);
	run.len = packet_build(&run.packet, run.frame);
	for (size_t len = target_is_at_tc ? UDP_AT : IP_AT; len < run.len; len++) {
		target_run(&run.target, run.frame, len, &result);
		expect_msg(result.verdict == (len < BTH_AT ? XRDMA_V_NOT_ROCE : XRDMA_V_TRUNCATED),
			   "%zu bytes: %d", len, result.verdict);
	}
}

/*
 * A device has the maximum number of addresses in its row. The last one is the frame's, and then
 * differs in one word.
 */
Test(prog_parse, address_word_by_word)
{
	struct xrdma_device_row device = { .addr_count = XRDMA_ADDRS_MAX,
					   .mac = { 2, 0, 0, 0, 0, 2 } };
	__be32 *last = device.addrs[XRDMA_ADDRS_MAX - 1];
	struct target_result result;
	struct run run;

	case_open(&run);
	memcpy(last, run.qp->addr, sizeof(run.qp->addr));
	for (int word = 0; word < 4; word++) {
		last[word] ^= htonl(1);
		target_set_device(&run.target, &device);
		case_send(&run, &result);
		expect_msg(result.verdict == XRDMA_V_NOT_OURS, "word %d", word);
		last[word] ^= htonl(1);
	}
	target_set_device(&run.target, &device);
	case_send(&run, &result);
	expect_int(result.verdict, ==, XRDMA_V_OK);
}

/* A device has one more address than fit into its row. */
Test(prog_parse, seventeenth_address)
{
	struct xrdma_device_row device = { .addr_count = XRDMA_ADDRS_MAX + 1,
					   .mac = { 2, 0, 0, 0, 0, 2 } };
	struct target_result result;
	const __u8 there = 1;
	struct run run;
	int map;

	case_open(&run);
	map = bpf_map__fd(run.target.bpf->maps.xrdma_addrs);
	target_set_device(&run.target, &device);
	case_send(&run, &result);
	expect_int(result.verdict, ==, XRDMA_V_NOT_OURS);
	expect_int(bpf_map_update_elem(map, run.qp->addr, &there, BPF_ANY), ==, 0);
	case_send(&run, &result);
	expect_int(result.verdict, ==, XRDMA_V_OK);
	expect_int(bpf_map_delete_elem(map, run.qp->addr), ==, 0);
}

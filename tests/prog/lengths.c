// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * WRITEs of every length. The length determines the path through the CRC, the copy into the heap,
 * and the buffers of a frame.
 */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "support/case.h"

enum { ETH_LEN = 14, VLAN_LEN = 4, IPV4_LEN = 20, IPV6_LEN = 40, UDP_LEN = 8 };

static struct run run;
static struct target_result result;
static __u8 data[XRDMA_MTU_MAX], expected[CASE_REGION];

static void open_run(void)
{
	case_open(&run);
	run.qp->mtu = XRDMA_MTU_MAX;
	run.mkey->offset = 0;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rand();
	run.packet.payload = data;
}

TestSuite(prog_lengths, .once = target_load, .init = open_run, .in_one_process = true);

static void set_ip_version(int version)
{
	run.packet.ip_version = version;
	inet_pton(AF_INET6, version == 6 ? "fd66::3" : "::ffff:10.66.0.3", run.qp->peer_addr);
	inet_pton(AF_INET6, version == 6 ? "fd66::2" : "::ffff:10.66.0.2", run.qp->addr);
}

/* Returns the longest payload that can be tried. */
static size_t len_max(void)
{
	const size_t headers = 128, max = target_frame_max() - headers;

	return max < XRDMA_MTU_MAX ? max : XRDMA_MTU_MAX;
}

/* Write LEN bytes, and expect that no other bytes change. */
static void write_bytes(size_t len)
{
	__u64 at = run.packet.va - CASE_BASE;

	memset(run.target.heap, 0xa5, CASE_REGION);
	memset(expected, 0xa5, CASE_REGION);
	memcpy(expected + at, data, len);
	run.packet.length = run.packet.payload_len = len;
	run.packet.psn = XRDMA_BTH_ACKREQ | run.qp->resp.psn;
	case_send(&run, &result);
	expect_msg(result.verdict == XRDMA_V_OK, "%zu bytes over IPv%d: verdict %d", len,
		   run.packet.ip_version, result.verdict);
	expect_msg(!memcmp(run.target.heap, expected, CASE_REGION), "%zu bytes: memory differs",
		   len);
}

Test(prog_lengths, every_length)
{
	for (int version = 4; version <= 6; version += 2)
		for (int tags = 0; tags <= 2; tags++) {
			set_ip_version(version);
			run.packet.vlan_tags = tags;
			for (size_t len = 0; len <= len_max(); len++)
				write_bytes(len);
		}
}

/* Expect an ACK from the frame's first byte on, and TRAILER bytes after it. */
static void expect_ack(size_t trailer)
{
	static struct xrdma_frame copy;
	struct xrdma_pkt pkt;

	expect_msg(result.action == XDP_TX, "answered with action %d", result.action);
	expect_int(xrdma_frame_parse(&copy, result.frame, result.len, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(xrdma_frame_icrc_carried(&copy, &pkt), ==, xrdma_frame_icrc(&copy, &pkt));
	expect_int(result.len, ==, pkt.icrc_at + XRDMA_ICRC_LEN + trailer);
}

/* Drivers may put headers and payload into separate buffers. */
Test(prog_lengths, every_first_buffer)
{
	if (!target_can_split(&run.target))
		SKIP("this kernel does not let test_run split short frames");
	run.len = packet_build(&run.packet, run.frame);
	for (__u32 first = ETH_LEN + 2 * VLAN_LEN; first < run.len; first++) {
		run.target.first_buffer = first;
		write_bytes(64);
		expect_ack(run.len - first);
	}
}

Test(prog_lengths, every_alignment)
{
	for (int at = 0; at < 16; at++)
		for (size_t len = 0; len <= 160; len++) {
			run.packet.va = CASE_BASE + at;
			write_bytes(len);
		}
}

/* Returns whether routers may change the byte. Then the ICRC does not cover it (IBA A17.9.2.1). */
static bool may_change(int ip_version, size_t at)
{
	size_t udp = ip_version == 6 ? IPV6_LEN : IPV4_LEN;

	if (at == udp + 6 || at == udp + 7 || at == udp + UDP_LEN + 4)
		return true;
	if (ip_version == 6)
		return at <= 3 || at == 7; /* in the first byte only the lower half */
	return at == 1 || at == 8 || at == 10 || at == 11;
}

/* Flip a bit of byte AT in the RIGHT frame. The IPv4 checksum is adjusted, and the ICRC is not. */
static void flip(size_t at, const __u8 *right)
{
	memcpy(run.frame, right, run.len);
	run.frame[ETH_LEN + at] ^= 1;
	packet_seal(run.frame, run.len);
	memcpy(run.frame + run.len - XRDMA_ICRC_LEN, right + run.len - XRDMA_ICRC_LEN,
	       XRDMA_ICRC_LEN);
	if (at >= run.len - ETH_LEN - XRDMA_ICRC_LEN)
		run.frame[ETH_LEN + at] ^= 1;
}

/* Expect a refusal of a frame with a wrong bit. Errors in headers are found before the ICRC. */
static void expect_refusal(size_t at, size_t len)
{
	static struct xrdma_frame copy;
	struct xrdma_pkt pkt;
	enum xrdma_verdict parsed;

	target_run(&run.target, run.frame, run.len, &result);
	parsed = xrdma_frame_parse(&copy, run.frame, run.len, &pkt);
	expect_msg(result.verdict == (parsed == XRDMA_V_OK ? XRDMA_V_ICRC : parsed) ||
			   result.verdict == XRDMA_V_NOT_OURS,
		   "verdict %d for byte %zu of %zu", result.verdict, at, len);
}

/* Send a duplicate, which changes nothing: first unchanged, and then with each byte changed. */
static void flip_every_byte(size_t len)
{
	static __u8 right[PACKET_MAX];

	write_bytes(len);
	run.len = packet_build(&run.packet, run.frame);
	memcpy(right, run.frame, run.len);
	for (size_t at = 0; at < run.len - ETH_LEN; at++) {
		if (may_change(run.packet.ip_version, at))
			continue;
		target_run(&run.target, right, run.len, &result);
		expect_int(result.verdict, ==, XRDMA_V_DUPLICATE);
		flip(at, right);
		expect_refusal(at, len);
		expect(!memcmp(run.target.heap, expected, CASE_REGION));
	}
	write_bytes(len);
}

Test(prog_lengths, every_byte_counts)
{
	const size_t lens[] = { 0, 4, 8, 20, 24, 36, 40, 64, 132, len_max() };

	for (int version = 4; version <= 6; version += 2) {
		set_ip_version(version);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			flip_every_byte(lens[i]);
	}
}

/* The packet is in one buffer or in two, and a trailer is in one or two more. */
Test(prog_lengths, two_and_three_buffers)
{
	const __u32 page = 4096;

	if (!target_can_split(&run.target))
		SKIP("this kernel does not let test_run split short frames");
	run.qp->ack_icrc = xrdma_frame_ack_icrc(run.qp);
	for (size_t len = 64; len <= XRDMA_MTU_MAX; len *= 4)
		for (run.target.first_buffer = 1000; run.target.first_buffer <= 3000;
		     run.target.first_buffer += 2000)
			for (__u32 more = 3500; more <= page + 100; more += page - 3400) {
				run.packet.length = run.packet.payload_len = len;
				run.packet.psn = XRDMA_BTH_ACKREQ | run.qp->resp.psn;
				run.len = packet_build(&run.packet, run.frame);
				memset(run.frame + run.len, 0xee, PACKET_MAX - run.len);
				target_run(&run.target, run.frame, run.target.first_buffer + more,
					   &result);
				expect_int(result.verdict, ==, XRDMA_V_OK);
				expect(!memcmp(run.target.heap + 16, data, len));
				expect_ack(more);
			}
}

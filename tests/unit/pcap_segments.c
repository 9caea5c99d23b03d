// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma pcap decodes each packet in frames that have several packets after one header. */
#include <json-c/json.h>
#include <string.h>

#include "support/capture.h"
#include "support/packet.h"
#include "support/test.h"
#include <xrdma/abi/wire.h>

enum { COUNT = 3, PAYLOAD = 256, LAST_PAYLOAD = 40, TAG_AT = 12 };

static struct packet packets[COUNT];
static __u8 frame[PACKET_MAX];

/* Build a SEND of three packets, of which the last is shorter. Returns the length of the frame. */
static __u32 build(int ip_version, int id_step)
{
	const __u8 opcodes[] = { XRDMA_RC_SEND_FIRST, XRDMA_RC_SEND_MIDDLE, XRDMA_RC_SEND_LAST };

	for (int i = 0; i < COUNT; i++) {
		packets[i] = capture_packet;
		packets[i].ip_version = ip_version;
		packets[i].opcode = opcodes[i];
		packets[i].psn = 7 + i;
		packets[i].payload_len = i < COUNT - 1 ? PAYLOAD : LAST_PAYLOAD;
	}
	return packet_build_super(packets, COUNT, id_step, frame);
}

static struct json_object *nth(struct json_object *all, int n)
{
	return json_object_array_get_idx(all, n);
}

static void expect_segments(struct json_object *all, int first)
{
	for (int i = 0; i < COUNT; i++) {
		struct json_object *one = nth(all, first + i);

		expect_int(json_number(one, "segment"), ==, i + 1);
		expect_int(json_number(one, "psn"), ==, 7 + i);
		expect_int(json_number(one, "payload"), ==, packets[i].payload_len);
		EXPECT_TEXT(one, "icrc", "good");
		EXPECT_TEXT(one, "error", "");
		expect(!json_member(one, "udp_checksum"));
	}
}

/* Kernels increment the identification of IPv4, or leave it as it is (ip(7), IP_MTU_DISCOVER). */
Tests(pcap_segments, headers, 3)
{
	struct json_object *all;

	capture_begin("wT");
	capture_add(frame, build(i == 2 ? 6 : 4, i == 0));
	capture_add(frame, packet_build(&capture_packet, frame));
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, COUNT + 1);
	expect_segments(all, 0);
	expect_int(json_number(nth(all, COUNT - 1), "frame"), ==, 1);
	expect_int(json_number(nth(all, COUNT), "frame"), ==, 2);
	expect(!json_member(nth(all, COUNT), "segment"));
	json_object_put(all);
}

/* Insert HEAD at AT of the frame of LEN bytes. Returns the new length. */
static __u32 insert(const __u8 *head, __u32 head_len, __u32 at, __u32 len)
{
	memmove(frame + at + head_len, frame + at, len - at);
	memcpy(frame + at, head, head_len);
	return len + head_len;
}

/* Decode a frame of LEN bytes. */
static struct json_object *decode_frame(__u32 len)
{
	struct json_object *all;

	capture_begin("wT");
	capture_add(frame, len);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, COUNT);
	expect_segments(all, 0);
	return all;
}

Test(pcap_segments, behind_a_vlan_tag)
{
	const __u8 tag[] = { 0x81, 0, 0, 5 };

	json_object_put(decode_frame(insert(tag, sizeof(tag), TAG_AT, build(4, 1))));
}

Test(pcap_segments, in_a_tunnel)
{
	const __u8 ipip[20] = {
		0x45, 0, 2, 0, 0, 0, 0, 0, 64, 4, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2
	};
	struct json_object *all;

	all = decode_frame(insert(ipip, sizeof(ipip), CAPTURE_ETH_LEN, build(4, 1)));
	EXPECT_TEXT(nth(all, 2), "via", "IPIP");
	json_object_put(all);
}

/*
 * The packets of a frame are found if the first was captured. The later ones are decoded as far as
 * they were captured.
 */
Test(pcap_segments, captured_in_part)
{
	const __u32 len = build(4, 1), headers = CAPTURE_ETH_LEN + 28;
	const __u32 size = sizeof(struct xrdma_bth) + PAYLOAD + XRDMA_ICRC_LEN;
	struct json_object *all;
	int n = 0;

	capture_begin("wT");
	for (capture_snaplen = 1; capture_snaplen <= len; capture_snaplen++)
		capture_add(frame, len);
	all = capture_decode("");
	for (__u32 captured = 1; captured <= len; captured++) {
		const int count = captured < headers + size ? 1 : COUNT;

		for (int i = 0; i < count; i++, n++) {
			const __u32 end = i < COUNT - 1 ? headers + (i + 1) * size : len;

			expect_int(json_number(nth(all, n), "frame"), ==, captured);
			if (captured >= headers)
				EXPECT_TEXT(nth(all, n), "icrc",
					    count == COUNT && captured >= end ? "good"
									      : "not captured");
		}
	}
	expect_int(json_object_array_length(all), ==, n);
	json_object_put(all);
}

/*
 * A damaged packet after the first affects nothing else. If the first one is damaged, the others
 * are not found.
 */
Test(pcap_segments, damaged)
{
	const __u32 len = build(4, 1), last = len - 1, first = CAPTURE_ETH_LEN + 28 + 40;
	struct json_object *all;

	capture_begin("wT");
	frame[last] ^= 1;
	capture_add(frame, len);
	frame[last] ^= 1;
	frame[first] ^= 1;
	capture_add(frame, len);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, COUNT + 1);
	EXPECT_TEXT(nth(all, 0), "icrc", "good");
	EXPECT_TEXT(nth(all, 1), "icrc", "good");
	EXPECT_TEXT(nth(all, 2), "icrc", "bad");
	expect(!json_member(nth(all, COUNT), "segment"));
	EXPECT_TEXT(nth(all, COUNT), "icrc", "bad");
	json_object_put(all);
}

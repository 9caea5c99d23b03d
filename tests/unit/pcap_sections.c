// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Decode pcapng files (draft-ietf-opsawg-pcapng) with xrdma pcap. The tests build the files block
 * by block.
 */
#include <byteswap.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "support/capture.h"
#include "support/packet.h"
#include "support/test.h"

enum { ETHERNET = 1, OTHER = 276 };

static bool swapped;

static __u32 word(__u32 value)
{
	return swapped ? bswap_32(value) : value;
}

static __u16 half(__u16 value)
{
	return swapped ? bswap_16(value) : value;
}

static void add_block(__u32 type, const void *body, __u32 len)
{
	const __u32 head[] = { word(type), word(12 + len) }, tail = word(12 + len);

	gzwrite(capture_file, head, sizeof(head));
	gzwrite(capture_file, body, len);
	gzwrite(capture_file, &tail, sizeof(tail));
}

static void add_section(bool other_order)
{
	__u32 body[] = { 0, 0, ~0U, ~0U };

	swapped = other_order;
	body[0] = word(0x1a2b3c4d);
	body[1] = swapped ? 1U << 8 : 1;
	add_block(0x0a0d0d0a, body, sizeof(body));
}

/* Add an interface with two options: a name (2) of 3 bytes, and a time offset (14) of 8. */
static void add_interface(__u16 linktype, __u32 snaplen)
{
	const struct {
		__u16 linktype, reserved;
		__u32 snaplen;
		__u16 name, name_len;
		char name_text[4];
		__u16 offset, offset_len;
		__u32 offset_seconds[2];
		__u16 end, end_len;
	} body = {
		.linktype = half(linktype),
		.snaplen = word(snaplen),
		.name = half(2),
		.name_len = half(3),
		.name_text = "eth",
		.offset = half(14),
		.offset_len = half(8),
	};

	add_block(1, &body, sizeof(body));
}

/* Add a packet whose body begins with COUNT numbers. */
static void add_packet(__u32 type, const __u32 *numbers, int count, const __u8 *frame, __u32 len)
{
	__u32 body[CAPTURE_FRAME_MAX / 4] = { 0 };

	memcpy(body, numbers, count * sizeof(*numbers));
	memcpy(body + count, frame, len);
	add_block(type, body, count * sizeof(*numbers) + (len + 3) / 4 * 4);
}

static void add_enhanced(__u32 interface, const __u8 *frame, __u32 captured, __u32 len)
{
	const __u32 numbers[] = { word(interface), 0, 0, word(captured), word(len) };

	add_packet(6, numbers, 5, frame, captured);
}

static void add_simple(const __u8 *frame, __u32 captured, __u32 len)
{
	const __u32 numbers[] = { word(len) };

	add_packet(3, numbers, 1, frame, captured);
}

/*
 * Add an obsolete packet block, which was replaced by the enhanced one. Its interface has 16 bits.
 */
static void add_old(__u16 interface, const __u8 *frame, __u32 len)
{
	const __u16 of[] = { half(interface), half(~0) };
	__u32 numbers[] = { 0, 0, 0, word(len), word(len) };

	memcpy(numbers, of, sizeof(of));
	add_packet(2, numbers, 5, frame, len);
}

static struct json_object *nth(struct json_object *all, int n)
{
	return json_object_array_get_idx(all, n);
}

/* Packets keep their numbers. In a new section, interfaces are counted from 0 again. */
Tests(pcap_sections, interfaces_of_other_kinds, 2)
{
	const __u64 frames[] = { 2, 4, 6, 7 };
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&capture_packet, frame);
	struct json_object *all;

	capture_begin("aT");
	add_section(i);
	add_interface(OTHER, 0);
	add_interface(ETHERNET, 0);
	add_enhanced(0, frame, len, len);
	add_enhanced(1, frame, len, len);
	add_enhanced(0, frame, len, len);
	add_enhanced(1, frame, len, len);
	add_old(0, frame, len);
	add_old(1, frame, len);
	add_simple(frame, len, len);
	add_section(i);
	add_interface(ETHERNET, 0);
	add_enhanced(0, frame, len, len);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, 4);
	for (int n = 0; n < 4; n++) {
		expect_int(json_number(nth(all, n), "frame"), ==, frames[n]);
		EXPECT_TEXT(nth(all, n), "icrc", "good");
	}
	expect(strstr(capture_complaint, "4 packets of 1 interfaces"));
	json_object_put(all);
}

/* Sections of one file may have different byte orders. mergecap(1) makes such files. */
Tests(pcap_sections, byte_orders, 4)
{
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&capture_packet, frame);
	struct json_object *all;

	capture_begin("aT");
	for (int section = 0; section < 3; section++) {
		add_section((section + i) % 2 == 0 || i / 2 == section);
		add_interface(ETHERNET, 0);
		add_enhanced(0, frame, len, len);
		add_old(0, frame, len);
		add_simple(frame, len, len);
	}
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, 9);
	for (int n = 0; n < 9; n++) {
		expect_int(json_number(nth(all, n), "frame"), ==, n + 1);
		EXPECT_TEXT(nth(all, n), "icrc", "good");
	}
	json_object_put(all);
}

/* Interfaces may have different snap lengths. That of the first is the limit for simple packets. */
Tests(pcap_sections, snap_lengths, 2)
{
	static const char *const expected[] = { "not captured", "good", "not captured", "good" };
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&capture_packet, frame), snaplen = len - 1;
	struct json_object *all;

	capture_begin("aT");
	add_section(i);
	add_interface(ETHERNET, snaplen);
	add_interface(ETHERNET, 9000);
	add_enhanced(0, frame, snaplen, len);
	add_enhanced(1, frame, len, len);
	add_simple(frame, snaplen, len);
	add_section(!i);
	add_interface(ETHERNET, 0);
	add_simple(frame, len, len);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, 4);
	for (int n = 0; n < 4; n++)
		EXPECT_TEXT(nth(all, n), "icrc", expected[n]);
	json_object_put(all);
}

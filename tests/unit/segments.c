// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Frames with several packets, and frames that look like them (tools/segments.h). */
#include "../../tools/segments.h"

#include <stdlib.h>
#include <string.h>

#include "support/packet.h"
#include "support/test.h"
#include <xrdma/opcode.h>

enum {
	COUNT = 3,
	PAYLOAD = 256,
	IP_AT = 14,
	UDP_AT = IP_AT + 20,
	DATA_AT = UDP_AT + 8,
	DATA_LEN = 12 + PAYLOAD + 4, /* BTH, payload, ICRC */
	LEN = DATA_AT + COUNT * DATA_LEN,
};

static __u8 frame[PACKET_MAX], cut[PACKET_MAX];
static struct segments segments;
static __u8 *captured_bytes;

static void start(void)
{
	struct packet packets[COUNT] = { 0 };

	for (int i = 0; i < COUNT; i++) {
		packets[i].opcode = XRDMA_RC_SEND_MIDDLE;
		packets[i].payload_len = PAYLOAD;
	}
	expect_int(packet_build_super(packets, COUNT, 1, frame), ==, LEN);
}

static void stop(void)
{
	free(captured_bytes);
}

TestSuite(segments, .init = start, .fini = stop);

/*
 * Search the frame, which has LEN bytes. The first CAPTURED bytes are at the end of a block of
 * memory, so that the sanitizer detects reads beyond them.
 */
static bool find(size_t captured, size_t len)
{
	captured_bytes = realloc(captured_bytes, captured);
	memcpy(captured_bytes, frame, captured);
	segments = (struct segments){
		.bytes = captured_bytes,
		.captured = captured,
		.len = len,
		.ip_at = IP_AT,
		.ip_version = 4,
	};
	return segments_find(&segments);
}

/* Returns the number of captured bytes of packet I. */
static size_t cut_one(__u32 i, size_t room)
{
	size_t captured;

	expect_int(segments_cut(&segments, i, cut, room, &captured), ==, DATA_AT + DATA_LEN);
	return captured;
}

static void expect_found(void)
{
	expect_int(segments.count, ==, COUNT);
	expect_int(segments.size, ==, DATA_LEN);
}

/* The UDP checksum of the frame is not copied into the datagrams. */
Test(segments, whole)
{
	frame[UDP_AT + 6] = 0x12;
	expect(find(LEN, LEN));
	expect_found();
	for (__u32 i = 0; i < COUNT; i++) {
		expect_int(cut_one(i, sizeof(cut)), ==, DATA_AT + DATA_LEN);
		expect(!memcmp(cut + DATA_AT, frame + DATA_AT + i * DATA_LEN, DATA_LEN));
		expect_int(cut[UDP_AT + 6], ==, 0);
	}
}

/* Bytes after the IP packet in its frame belong to no datagram. */
Test(segments, trailer)
{
	expect(find(LEN + 60, LEN + 60));
	expect_found();
	expect_int(cut_one(COUNT - 1, sizeof(cut)), ==, DATA_AT + DATA_LEN);
}

/* A capture may lack the end of a frame. The datagrams are found as long as the first is there. */
Test(segments, captured_in_part)
{
	expect(find(DATA_AT + DATA_LEN + 9, LEN));
	expect_found();
	expect_int(cut_one(0, sizeof(cut)), ==, DATA_AT + DATA_LEN);
	expect_int(cut_one(1, sizeof(cut)), ==, DATA_AT + 9);
	expect_int(cut_one(2, sizeof(cut)), ==, DATA_AT);
	for (size_t captured = IP_AT; captured < DATA_AT + DATA_LEN; captured++)
		expect(!find(captured, LEN));
}

Test(segments, no_more_than_there_is_room_for)
{
	expect(find(LEN, LEN));
	memset(cut, 0, sizeof(cut));
	expect_int(cut_one(1, DATA_AT + 20), ==, DATA_AT + 20);
	for (size_t at = DATA_AT + 20; at < sizeof(cut); at++)
		expect_int(cut[at], ==, 0);
}

Test(segments, of_one_packet)
{
	const struct packet packet = { .opcode = XRDMA_RC_SEND_ONLY, .payload_len = PAYLOAD };
	const size_t len = packet_build(&packet, frame);

	expect(!find(len, len));
}

/* The IP header and the UDP header must have the length of all datagrams together. */
Test(segments, of_other_lengths)
{
	expect(!find(LEN - 1, LEN - 1));
	frame[UDP_AT + 5] ^= 4;
	expect(!find(LEN, LEN));
}

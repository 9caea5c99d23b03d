// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Output of xrdma pcap for captures that the test makes. */
#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "support/capture.h"
#include "support/packet.h"
#include "support/test.h"
#include <xrdma/abi/wire.h>

enum { IP_AT = CAPTURE_ETH_LEN, BTH_AT = IP_AT + 20 + 8 };

Test(pcap, what_the_layers_below_say)
{
	struct packet packet = capture_packet;
	__u8 frame[PACKET_MAX];
	struct json_object *all, *one;

	packet.dest_qpn |= XRDMA_BTH_BECN;
	packet.bth_flags = XRDMA_BTH_MIGREQ | XRDMA_BTH_SOLICITED;
	capture_begin("wT");
	capture_add(frame, packet_build(&packet, frame));
	all = capture_decode("");
	one = json_object_array_get_idx(all, 0);
	EXPECT_TEXT(one, "src", "10.66.0.3");
	EXPECT_TEXT(one, "dst", "10.66.0.2");
	EXPECT_TEXT(one, "ecn", "Not-ECT");
	EXPECT_TEXT(one, "becn", "true");
	EXPECT_TEXT(one, "fecn", "false");
	EXPECT_TEXT(one, "mig_req", "true");
	EXPECT_TEXT(one, "solicited", "true");
	expect_int(json_number(one, "sport"), ==, 0xc000);
	expect_int(json_number(one, "dport"), ==, 4791);
	json_object_put(all);
}

Test(pcap, traffic_class_of_ipv6)
{
	struct packet packet = capture_packet;
	__u8 frame[PACKET_MAX];
	struct json_object *all, *one;
	size_t len;

	packet.ip_version = 6;
	packet.dest_qpn |= XRDMA_BTH_FECN;
	len = packet_build(&packet, frame);
	frame[IP_AT] = 0x66;
	frame[IP_AT + 1] = 0xb0;
	capture_begin("wT");
	capture_add(frame, len);
	all = capture_decode("");
	one = json_object_array_get_idx(all, 0);
	EXPECT_TEXT(one, "src", "fd66::3");
	EXPECT_TEXT(one, "ecn", "CE");
	EXPECT_TEXT(one, "fecn", "true");
	EXPECT_TEXT(one, "mig_req", "false");
	EXPECT_TEXT(one, "icrc", "good");
	expect_int(json_number(one, "dscp"), ==, 26);
	json_object_put(all);
}

/* Give a frame whose UDP checksum is 0 the checksum of RFC 768. */
static void put_udp_checksum(__u8 *frame, size_t len, int ip_version)
{
	const size_t udp_at = IP_AT + (ip_version == 4 ? 20 : 40);
	const size_t addrs_at = udp_at - (ip_version == 4 ? 8 : 32);
	__u32 sum = 17 + len - udp_at;

	for (size_t i = addrs_at; i < len; i += 2)
		sum += frame[i] << 8 | (i + 1 < len ? frame[i + 1] : 0);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	frame[udp_at + 6] = sum >> 8;
	frame[udp_at + 7] = sum;
}

/* A UDP checksum may be missing (RFC 768), and XDP does not check it (docs/security.md). */
Test(pcap, udp_checksum)
{
	static const char *const expected[] = { "none", "good", "bad", "good", "bad" };
	struct packet packet = capture_packet;
	struct json_object *all;
	__u8 frame[PACKET_MAX];
	size_t len;

	capture_begin("wT");
	capture_add(frame, packet_build(&packet, frame));
	for (packet.ip_version = 4; packet.ip_version <= 6; packet.ip_version += 2) {
		len = packet_build(&packet, frame);
		put_udp_checksum(frame, len, packet.ip_version);
		capture_add(frame, len);
		frame[len - 1] ^= 1;
		capture_add(frame, len);
	}
	all = capture_decode("");
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		EXPECT_TEXT(json_object_array_get_idx(all, i), "udp_checksum", expected[i]);
	json_object_put(all);
}

/* A frame may be captured up to any length. Only captured fields are decoded. */
Test(pcap, captured_in_part)
{
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&capture_packet, frame),
	      bth_end = BTH_AT + sizeof(struct xrdma_bth);
	struct json_object *all;

	capture_begin("wT");
	for (capture_snaplen = 1; capture_snaplen <= len; capture_snaplen++)
		capture_add(frame, len);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, len);
	for (__u32 captured = 1; captured <= len; captured++) {
		struct json_object *one = json_object_array_get_idx(all, captured - 1);
		bool reth = captured >= bth_end + sizeof(struct xrdma_reth);

		expect_int(json_number(one, "frame"), ==, captured);
		expect_int(!!json_member(one, "psn"), ==, captured >= bth_end);
		expect_int(!!json_member(one, "key"), ==, reth);
		expect_int(json_number(one, "payload"), ==, reth ? 100 : 0);
		EXPECT_TEXT(one, "error", reth ? "" : "the capture ends before its headers do");
		if (captured >= BTH_AT)
			EXPECT_TEXT(one, "icrc", captured == len ? "good" : "not captured");
	}
	json_object_put(all);
}

Test(pcap, compressed)
{
	__u8 frame[PACKET_MAX];
	struct json_object *all;

	capture_begin("w");
	for (int i = 0; i < 1000; i++)
		capture_add(frame, packet_build(&capture_packet, frame));
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, 1000);
	EXPECT_TEXT(json_object_array_get_idx(all, 999), "icrc", "good");
	json_object_put(all);
}

static void add_request(__u8 opcode, __u32 psn, __u32 length)
{
	struct packet packet = capture_packet;
	__u8 frame[PACKET_MAX];

	packet.opcode = opcode;
	packet.psn = psn & XRDMA_PSN_MASK;
	packet.length = length;
	packet.payload_len = opcode == XRDMA_RC_WRITE_ONLY ? length : 0;
	capture_add(frame, packet_build(&packet, frame));
}

static void add_answer(__u8 syndrome)
{
	const struct packet packet = {
		.opcode = XRDMA_RC_ACK,
		.dest_qpn = 0x34,
		.syndrome_msn = (__u32)syndrome << 24,
	};
	__u8 frame[PACKET_MAX];

	capture_add(frame, packet_build(&packet, frame));
}

/*
 * PSNs wrap. A READ uses one PSN for each packet of its response. There are between 3 and 40 of
 * them for 10,000 bytes.
 */
Test(pcap, summary)
{
	struct json_object *all, *sum, *flows, *writer;

	capture_begin("wT");
	add_request(XRDMA_RC_WRITE_ONLY, 0xfffffe, 8);
	add_request(XRDMA_RC_WRITE_ONLY, 0xffffff, 8);
	add_request(XRDMA_RC_WRITE_ONLY, 0xfffffe, 8); /* sent again */
	add_request(XRDMA_RC_READ_REQUEST, 0, 10000);
	add_request(XRDMA_RC_READ_REQUEST, 10, 10000);
	add_request(XRDMA_RC_WRITE_ONLY, 50, 8);
	add_request(XRDMA_RC_READ_REQUEST, 10, 10000); /* sent again */
	add_request(XRDMA_RC_WRITE_ONLY, 52, 8);       /* PSN 51 is missing */
	add_request(XRDMA_RC_WRITE_ONLY, 53, 8);
	add_answer(XRDMA_AETH_ACK_NO_CREDIT);
	add_answer(XRDMA_AETH_NAK_PSN_SEQ);
	add_answer(XRDMA_AETH_NAK_REMOTE_ACCESS);
	add_answer(XRDMA_AETH_NAK_REMOTE_ACCESS);
	add_answer(XRDMA_AETH_RNR_NAK | 12);
	all = capture_decode("-s");
	expect_int(json_object_array_length(json_member(all, "packets")), ==, 14);
	sum = json_member(all, "summary");
	expect_int(json_number(sum, "packets"), ==, 14);
	expect_int(json_number(sum, "payload"), ==, 48);
	expect_int(json_number(sum, "retransmissions"), ==, 2);
	expect_int(json_number(sum, "out_of_order"), ==, 1);
	expect_int(json_number(json_member(sum, "opcodes"), "RC RDMA WRITE Only"), ==, 6);
	expect_int(json_number(json_member(sum, "opcodes"), "RC RDMA READ Request"), ==, 3);
	expect_int(json_number(json_member(sum, "naks"), "PSN sequence error"), ==, 1);
	expect_int(json_number(json_member(sum, "naks"), "remote access error"), ==, 2);
	expect_int(json_number(json_member(sum, "naks"), "receiver not ready"), ==, 1);
	flows = json_member(sum, "connections");
	expect_int(json_object_array_length(flows), ==, 2);
	writer = json_object_array_get_idx(flows, 0);
	expect_int(json_number(writer, "dest_qpn"), ==, 0x12);
	expect_int(json_number(writer, "packets"), ==, 9);
	expect_int(json_number(writer, "retransmissions"), ==, 2);
	expect_int(json_number(json_object_array_get_idx(flows, 1), "packets"), ==, 5);
	json_object_put(all);
}

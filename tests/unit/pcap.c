// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What xrdma pcap makes of captures that are made here. */
#include <arpa/inet.h>
#include <byteswap.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "support/packet.h"
#include "support/test.h"
#include <xrdma/wire.h>

enum {
	ETH_LEN = 14,
	IP_LEN = 20,
	IP_AT = ETH_LEN,
	BTH_AT = ETH_LEN + IP_LEN + 8,
	FRAME_MAX = 2048
};

static char path[64];
static gzFile file;
static __u32 snaplen;
static char complaint[256];

/* What is written goes to a file of this kind, uncompressed by "wT". */
static void begin(const char *mode)
{
	const __u32 header[] = { 0xa1b2c3d4, 4 << 16 | 2, 0, 0, FRAME_MAX, 1 };

	strcpy(path, "/tmp/xrdma-pcap-XXXXXX");
	close(mkstemp(path));
	file = gzopen(path, mode);
	snaplen = FRAME_MAX;
	expect(file != NULL);
	if (*mode == 'w')
		gzwrite(file, header, sizeof(header));
}

static void add(const __u8 *frame, __u32 len)
{
	const __u32 record[] = { 0, 0, len < snaplen ? len : snaplen, len };

	gzwrite(file, record, sizeof(record));
	gzwrite(file, frame, record[2]);
}

/* What the tool prints in JSON, and in complaint what it says on its standard error. */
static struct json_object *decode(const char *options)
{
	struct json_object *all;
	char command[256];
	FILE *said;

	gzclose(file);
	snprintf(command, sizeof(command), "build/xrdma pcap -j %s %s 2>%s.said", options, path,
		 path);
	said = popen(command, "r");
	all = json_object_from_fd(fileno(said));
	expect_msg(pclose(said) == 0, "%s", command);
	snprintf(command, sizeof(command), "%s.said", path);
	said = fopen(command, "r");
	complaint[fread(complaint, 1, sizeof(complaint) - 1, said)] = 0;
	fclose(said);
	unlink(command);
	unlink(path);
	expect(all != NULL);
	return all;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

static __u64 number(struct json_object *object, const char *name)
{
	return json_object_get_int64(member(object, name));
}

static const char *text(struct json_object *object, const char *name)
{
	const char *value = json_object_get_string(member(object, name));

	return value ? value : "";
}

#define EXPECT_TEXT(object, name, expected)                                                   \
	expect_msg(!strcmp(text(object, name), expected), "%s is '%s' instead of '%s'", name, \
		   text(object, name), expected)

static const struct packet write_packet = {
	.opcode = XRDMA_RC_WRITE_ONLY,
	.dest_qpn = 0x12,
	.psn = 7,
	.va = 0x1000,
	.key = 0x1234,
	.length = 100,
	.payload_len = 100,
};

Test(pcap, what_the_layers_below_say)
{
	struct packet packet = write_packet;
	__u8 frame[PACKET_MAX];
	struct json_object *all, *one;

	packet.dest_qpn |= XRDMA_BTH_BECN;
	packet.bth_flags = XRDMA_BTH_MIGREQ | XRDMA_BTH_SOLICITED;
	begin("wT");
	add(frame, packet_build(&packet, frame));
	all = decode("");
	one = json_object_array_get_idx(all, 0);
	EXPECT_TEXT(one, "src", "10.66.0.3");
	EXPECT_TEXT(one, "dst", "10.66.0.2");
	EXPECT_TEXT(one, "ecn", "Not-ECT");
	EXPECT_TEXT(one, "becn", "true");
	EXPECT_TEXT(one, "fecn", "false");
	EXPECT_TEXT(one, "mig_req", "true");
	EXPECT_TEXT(one, "solicited", "true");
	expect_int(number(one, "sport"), ==, 0xc000);
	expect_int(number(one, "dport"), ==, 4791);
	json_object_put(all);
}

Test(pcap, traffic_class_of_ipv6)
{
	struct packet packet = write_packet;
	__u8 frame[PACKET_MAX];
	struct json_object *all, *one;
	size_t len;

	packet.ip_version = 6;
	packet.dest_qpn |= XRDMA_BTH_FECN;
	len = packet_build(&packet, frame);
	frame[IP_AT] = 0x66;
	frame[IP_AT + 1] = 0xb0;
	begin("wT");
	add(frame, len);
	all = decode("");
	one = json_object_array_get_idx(all, 0);
	EXPECT_TEXT(one, "src", "fd66::3");
	EXPECT_TEXT(one, "ecn", "CE");
	EXPECT_TEXT(one, "fecn", "true");
	EXPECT_TEXT(one, "mig_req", "false");
	EXPECT_TEXT(one, "icrc", "good");
	expect_int(number(one, "dscp"), ==, 26);
	json_object_put(all);
}

/* At every length: what is there is decoded, and nothing that is not. */
Test(pcap, captured_in_part)
{
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&write_packet, frame), bth_end = BTH_AT + sizeof(struct xrdma_bth);
	struct json_object *all;

	begin("wT");
	for (snaplen = 1; snaplen <= len; snaplen++)
		add(frame, len);
	all = decode("");
	expect_int(json_object_array_length(all), ==, len);
	for (__u32 captured = 1; captured <= len; captured++) {
		struct json_object *one = json_object_array_get_idx(all, captured - 1);
		bool reth = captured >= bth_end + sizeof(struct xrdma_reth);

		expect_int(number(one, "frame"), ==, captured);
		expect_int(!!member(one, "psn"), ==, captured >= bth_end);
		expect_int(!!member(one, "key"), ==, reth);
		expect_int(number(one, "payload"), ==, reth ? 100 : 0);
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

	begin("w");
	for (int i = 0; i < 1000; i++)
		add(frame, packet_build(&write_packet, frame));
	all = decode("");
	expect_int(json_object_array_length(all), ==, 1000);
	EXPECT_TEXT(json_object_array_get_idx(all, 999), "icrc", "good");
	json_object_put(all);
}

static bool swapped;

static __u32 word(__u32 value)
{
	return swapped ? bswap_32(value) : value;
}

static void add_block(__u32 type, const void *body, __u32 len)
{
	const __u32 head[] = { word(type), word(12 + len) }, tail = word(12 + len);

	gzwrite(file, head, sizeof(head));
	gzwrite(file, body, len);
	gzwrite(file, &tail, sizeof(tail));
}

static void add_section(void)
{
	const __u32 body[] = { word(0x1a2b3c4d), swapped ? 1U << 8 : 1, ~0U, ~0U };

	add_block(0x0a0d0d0a, body, sizeof(body));
}

static void add_interface(__u16 linktype)
{
	const __u16 body[] = { swapped ? bswap_16(linktype) : linktype, 0, 0, 0 };

	add_block(1, body, sizeof(body));
}

static void add_enhanced(__u32 interface, const __u8 *frame, __u32 len)
{
	__u32 body[FRAME_MAX / 4] = { word(interface), 0, 0, word(len), word(len) };

	memcpy(body + 5, frame, len);
	add_block(6, body, 20 + (len + 3) / 4 * 4);
}

/* Packets keep their numbers; a new section begins to count its interfaces anew. */
Tests(pcap, interfaces_of_other_kinds, 2)
{
	const __u64 frames[] = { 2, 4, 5 };
	__u8 frame[PACKET_MAX];
	__u32 len = packet_build(&write_packet, frame);
	struct json_object *all;

	swapped = i;
	begin("aT");
	add_section();
	add_interface(276);
	add_interface(1);
	add_enhanced(0, frame, len);
	add_enhanced(1, frame, len);
	add_enhanced(0, frame, len);
	add_enhanced(1, frame, len);
	add_section();
	add_interface(1);
	add_enhanced(0, frame, len);
	all = decode("");
	expect_int(json_object_array_length(all), ==, 3);
	for (int n = 0; n < 3; n++)
		expect_int(number(json_object_array_get_idx(all, n), "frame"), ==, frames[n]);
	expect(strstr(complaint, "2 packets of 1 interfaces"));
	json_object_put(all);
}

/* HEAD, in hexadecimal, before the packet's Ethernet header, or before its IP header. */
static void add_tunnelled(const char *head, bool ethernet)
{
	__u8 inner[PACKET_MAX], frame[FRAME_MAX];
	size_t len = packet_build(&write_packet, inner), skip = ethernet ? 0 : ETH_LEN;
	size_t head_len = strlen(head) / 2;

	for (size_t i = 0; i < head_len; i++)
		sscanf(head + 2 * i, "%2hhx", &frame[i]);
	memcpy(frame + head_len, inner + skip, len - skip);
	add(frame, head_len + len - skip);
}

#define MACS "020000000002020000000003"
#define OUTER_IPV4(protocol)      \
	MACS "0800"               \
	     "4500010000000000"   \
	     "40" protocol "0000" \
	     "c0000201c0000202"
#define OUTER_IPV6(next)                        \
	MACS "86dd"                             \
	     "60000000"                         \
	     "0100" next "40"                   \
	     "fd000000000000000000000000000001" \
	     "fd000000000000000000000000000002"

/* RFC 7348, 8926, 2784, 2890, 2003, 2473; IEEE 802.1ad. */
Test(pcap, tunnels)
{
	static const struct {
		const char *head;
		bool ethernet;
		const char *via;
	} tunnels[] = {
		{ OUTER_IPV4("11") "c00012b501000000"
				   "0800000000002a00",
		  true, "VXLAN" },
		{ OUTER_IPV6("11") "c00012b501000000"
				   "0800000000002a00",
		  true, "VXLAN" },
		{ OUTER_IPV4("11") "c00017c101000000"
				   "0000655800002a00",
		  true, "Geneve" },
		{ OUTER_IPV4("11") "c00017c101000000"
				   "0200655800002a00"
				   "0000000000000000",
		  true, "Geneve" },
		{ OUTER_IPV4("11") "c00017c101000000"
				   "0000080000002a00",
		  false, "Geneve" },
		{ OUTER_IPV4("04"), false, "IPIP" },
		{ OUTER_IPV6("04"), false, "IPIP" },
		{ OUTER_IPV4("2f") "00000800", false, "GRE" },
		{ OUTER_IPV4("2f") "b0006558"
				   "000000000000002a00000001",
		  true, "GRE" },
		{ MACS "8100000188a80002"
		       "810000030800",
		  false, "VLAN VLAN VLAN" },
		{ MACS "9100000181000002"
		       "0800",
		  false, "VLAN VLAN" },
		{ MACS "91000001"
		       "0800"
		       "4500010000000000"
		       "40"
		       "11"
		       "0000"
		       "c0000201c0000202"
		       "c00012b501000000"
		       "0800000000002a00",
		  true, "VLAN VXLAN" },
	};
	enum { COUNT = sizeof(tunnels) / sizeof(tunnels[0]) };
	struct json_object *all;

	begin("wT");
	for (int i = 0; i < COUNT; i++)
		add_tunnelled(tunnels[i].head, tunnels[i].ethernet);
	all = decode("");
	expect_int(json_object_array_length(all), ==, COUNT);
	for (int i = 0; i < COUNT; i++) {
		EXPECT_TEXT(json_object_array_get_idx(all, i), "via", tunnels[i].via);
		EXPECT_TEXT(json_object_array_get_idx(all, i), "icrc", "good");
	}
	expect(!*complaint);
	json_object_put(all);
}

/* What may hold such packets and is not looked into is counted; what cannot is not. */
Test(pcap, what_is_not_looked_into)
{
	static const char *const closed[] = {
		MACS "8915", MACS "8847",      MACS "8864",
		MACS "88e5", OUTER_IPV4("32"), OUTER_IPV6("33"),
	};
	static const char *const other[] = {
		MACS "0806",
		OUTER_IPV4("06"),
		OUTER_IPV4("2f") "40000800",
		OUTER_IPV4("11") "c0000035",
	};
	struct json_object *all;

	begin("wT");
	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		add_tunnelled(closed[i], false);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		add_tunnelled(other[i], false);
	all = decode("");
	expect_int(json_object_array_length(all), ==, 0);
	expect_msg(strstr(complaint, "6 frames were not looked into, the first: RoCE v1"), "%s",
		   complaint);
	json_object_put(all);
}

static void add_request(__u8 opcode, __u32 psn, __u32 length)
{
	struct packet packet = write_packet;
	__u8 frame[PACKET_MAX];

	packet.opcode = opcode;
	packet.psn = psn & XRDMA_PSN_MASK;
	packet.length = length;
	packet.payload_len = opcode == XRDMA_RC_WRITE_ONLY ? length : 0;
	add(frame, packet_build(&packet, frame));
}

static void add_answer(__u8 syndrome)
{
	const struct packet packet = {
		.opcode = XRDMA_RC_ACK,
		.dest_qpn = 0x34,
		.syndrome_msn = (__u32)syndrome << 24,
	};
	__u8 frame[PACKET_MAX];

	add(frame, packet_build(&packet, frame));
}

/* PSNs wrap, and a READ takes as many as its response has packets, which is between 3 and 40 of 10,000 bytes. */
Test(pcap, summary)
{
	struct json_object *all, *sum, *flows, *writer;

	begin("wT");
	add_request(XRDMA_RC_WRITE_ONLY, 0xfffffe, 8);
	add_request(XRDMA_RC_WRITE_ONLY, 0xffffff, 8);
	add_request(XRDMA_RC_WRITE_ONLY, 0xfffffe, 8); /* again */
	add_request(XRDMA_RC_READ_REQUEST, 0, 10000);
	add_request(XRDMA_RC_READ_REQUEST, 10, 10000);
	add_request(XRDMA_RC_WRITE_ONLY, 50, 8);
	add_request(XRDMA_RC_READ_REQUEST, 10, 10000); /* again */
	add_request(XRDMA_RC_WRITE_ONLY, 52, 8);       /* 51 is missing */
	add_request(XRDMA_RC_WRITE_ONLY, 53, 8);
	add_answer(XRDMA_AETH_ACK_NO_CREDIT);
	add_answer(XRDMA_AETH_NAK_PSN_SEQ);
	add_answer(XRDMA_AETH_NAK_REMOTE_ACCESS);
	add_answer(XRDMA_AETH_NAK_REMOTE_ACCESS);
	add_answer(XRDMA_AETH_RNR_NAK | 12);
	all = decode("-s");
	expect_int(json_object_array_length(member(all, "packets")), ==, 14);
	sum = member(all, "summary");
	expect_int(number(sum, "packets"), ==, 14);
	expect_int(number(sum, "payload"), ==, 48);
	expect_int(number(sum, "retransmissions"), ==, 2);
	expect_int(number(sum, "out_of_order"), ==, 1);
	expect_int(number(member(sum, "opcodes"), "RC RDMA WRITE Only"), ==, 6);
	expect_int(number(member(sum, "opcodes"), "RC RDMA READ Request"), ==, 3);
	expect_int(number(member(sum, "naks"), "PSN sequence error"), ==, 1);
	expect_int(number(member(sum, "naks"), "remote access error"), ==, 2);
	expect_int(number(member(sum, "naks"), "receiver not ready"), ==, 1);
	flows = member(sum, "connections");
	expect_int(json_object_array_length(flows), ==, 2);
	writer = json_object_array_get_idx(flows, 0);
	expect_int(number(writer, "dest_qpn"), ==, 0x12);
	expect_int(number(writer, "packets"), ==, 9);
	expect_int(number(writer, "retransmissions"), ==, 2);
	expect_int(number(json_object_array_get_idx(flows, 1), "packets"), ==, 5);
	json_object_put(all);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Output of xrdma pcap for packets in tunnels and behind VLAN tags. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/capture.h"
#include "support/packet.h"
#include "support/test.h"

/* Add the packet with HEAD, in hexadecimal, before its Ethernet header, or before its IP header. */
static void add_tunnelled(const char *head, bool ethernet)
{
	__u8 inner[PACKET_MAX], frame[CAPTURE_FRAME_MAX];
	size_t len = packet_build(&capture_packet, inner), skip = ethernet ? 0 : CAPTURE_ETH_LEN;
	size_t head_len = strlen(head) / 2;

	for (size_t i = 0; i < head_len; i++)
		sscanf(head + 2 * i, "%2hhx", &frame[i]);
	memcpy(frame + head_len, inner + skip, len - skip);
	capture_add(frame, head_len + len - skip);
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

/* Tunnels of RFC 7348, 8926, 2784, 2890, 2003, 2473, and IEEE 802.1ad. */
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

Test(tunnels, tunnels)
{
	enum { COUNT = sizeof(tunnels) / sizeof(tunnels[0]) };
	struct json_object *all;

	capture_begin("wT");
	for (int i = 0; i < COUNT; i++)
		add_tunnelled(tunnels[i].head, tunnels[i].ethernet);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, COUNT);
	for (int i = 0; i < COUNT; i++) {
		EXPECT_TEXT(json_object_array_get_idx(all, i), "via", tunnels[i].via);
		EXPECT_TEXT(json_object_array_get_idx(all, i), "icrc", "good");
	}
	expect(!*capture_complaint);
	json_object_put(all);
}

/* Protocols that may carry RoCE packets, but are not decoded, are counted. Others are not. */
Test(tunnels, what_is_not_looked_into)
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

	capture_begin("wT");
	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		add_tunnelled(closed[i], false);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		add_tunnelled(other[i], false);
	all = capture_decode("");
	expect_int(json_object_array_length(all), ==, 0);
	expect_msg(strstr(capture_complaint, "6 frames were not looked into, the first: RoCE v1"),
		   "%s", capture_complaint);
	json_object_put(all);
}

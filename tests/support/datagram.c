// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <string.h>

#include "datagram.h"
#include "test.h"

struct datagram datagram;

struct xrdma_ah *datagram_handle(const struct side *side, const char *netns, const char *address)
{
	struct xrdma_ah_attr attr = { 0 };
	struct xrdma_ah *ah;

	set_address(attr.dest, address);
	pair_enter(netns);
	expect_msg(xrdma_ah_create(side->owner.pd, &attr, &ah) == 0, "%s", xrdma_error());
	return ah;
}

void datagram_use_version(int version)
{
	if (datagram.to_b)
		expect_int(xrdma_ah_destroy(datagram.to_b), ==, 0);
	datagram.version = version;
	datagram.to_b = datagram_handle(&pair.a, "a", version == 4 ? "10.66.0.2" : "fd66::2");
}

void datagram_set(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_sge.addr -= GRH;
	recv_sge.length += GRH;
	send_wr.ah = datagram.to_b;
	send_wr.remote_qpn = xrdma_qp_number(pair.b.qp);
	send_wr.remote_qkey = SIDE_QKEY;
}

void datagram_start(void)
{
	pair.a.transport = pair.b.transport = XRDMA_TRANSPORT_UD;
	pair_start();
	datagram_use_version(4);
	datagram_set(64, DATAGRAM_BYTES);
}

void datagram_stop(void)
{
	expect_int(xrdma_ah_destroy(datagram.to_b), ==, 0);
	datagram.to_b = NULL;
	pair_stop();
}

static void expect_address(const void *address, const char *text)
{
	bool is_ipv4 = datagram.version == 4;
	__be32 expected[4];

	set_address(expected, text);
	expect(!memcmp(address, is_ipv4 ? &expected[3] : expected, is_ipv4 ? 4 : 16));
}

void datagram_expect_header(__u32 offset)
{
	static const __u8 zeros[GRH - sizeof(struct iphdr)];
	__u8 *grh = pair.target + offset - GRH;

	if (datagram.version == 4) {
		struct iphdr ip; /* a copy, because the header may be unaligned */

		memcpy(&ip, grh + sizeof(zeros), sizeof(ip));
		expect(!memcmp(grh, zeros, sizeof(zeros)));
		expect_int(ip.version, ==, 4);
		expect_int(ip.protocol, ==, IPPROTO_UDP);
		expect_address(&ip.saddr, "10.66.0.1");
		expect_address(&ip.daddr, "10.66.0.2");
	} else {
		struct ip6_hdr ip;

		memcpy(&ip, grh, sizeof(ip));
		expect_int(ip.ip6_vfc >> 4, ==, 6);
		expect_int(ip.ip6_nxt, ==, IPPROTO_UDP);
		expect_address(&ip.ip6_src, "fd66::1");
		expect_address(&ip.ip6_dst, "fd66::2");
	}
	memset(grh, 0, GRH);
}

void datagram_expect_received(__u32 len, unsigned int flags)
{
	pair_expect_received(XRDMA_WC_RECV, GRH + len);
	expect_int(recv_wc[0].src_qpn, ==, xrdma_qp_number(pair.a.qp));
	expect_int(recv_wc[0].flags, ==, XRDMA_WC_GRH | flags);
}

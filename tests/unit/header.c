// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * IP headers for sending, field by field (RFC 791, 3.1; RFC 8200, 3). Each is written over other
 * bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/header.h"
#include "support/test.h"

enum { ROUNDS = 200000, LEN = 44 };

static __be32 saddr[4], daddr[4];

static void fill(void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((__u8 *)bytes)[i] = rand();
}

static struct xrdma_ip_attr any_path(void)
{
	fill(saddr, sizeof(saddr));
	fill(daddr, sizeof(daddr));
	return (struct xrdma_ip_attr){ saddr, daddr, .tclass = rand(), .hop_limit = rand() };
}

/* Returns the sum of a header, which is 0xffff if its checksum is right (RFC 1071). */
static __u32 ones_complement_sum(const void *header)
{
	const __u16 *words = header;
	__u32 sum = 0;

	for (size_t i = 0; i < sizeof(struct iphdr) / sizeof(*words); i++)
		sum += words[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/*
 * IPv4 headers are right. There are enough rounds for sums with two carries, which occur once in
 * ten thousand.
 */
Test(header, ipv4)
{
	struct iphdr hdr;

	for (int i = 0; i < ROUNDS; i++) {
		struct xrdma_ip_attr path = any_path();
		__u16 len = rand() % 9000;

		fill(&hdr, sizeof(hdr));
		xrdma_ipv4_write(&hdr, &path, len);
		expect_int(ones_complement_sum(&hdr), ==, 0xffff);
		expect(hdr.version == 4 && hdr.ihl == 5 && !hdr.id);
		expect_int(hdr.tos, ==, path.tclass);
		expect_int(bpf_ntohs(hdr.tot_len), ==, sizeof(hdr) + len);
		expect_msg(bpf_ntohs(hdr.frag_off) == 0x4000, "do not fragment");
		expect_int(hdr.ttl, ==, path.hop_limit);
		expect_int(hdr.protocol, ==, IPPROTO_UDP);
		expect(hdr.saddr == saddr[3] && hdr.daddr == daddr[3]);
	}
}

Test(header, ipv6)
{
	const struct xrdma_ip_attr path = {
		.saddr = saddr, .daddr = daddr, .tclass = 0xa6, .hop_limit = 17
	};
	__u8 expected[sizeof(struct ipv6hdr)] = { 0x6a, 0x60, 0, 0, 0, LEN, IPPROTO_UDP, 17 };
	struct ipv6hdr hdr;

	any_path();
	memcpy(expected + 8, saddr, sizeof(saddr));
	memcpy(expected + 24, daddr, sizeof(daddr));
	memset(&hdr, 0xff, sizeof(hdr));
	xrdma_ipv6_write(&hdr, &path, LEN);
	expect(!memcmp(&hdr, expected, sizeof(expected)));
}

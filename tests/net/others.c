// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Datagrams to port 4791 that are not for a device: of other hosts, which a router with xrdma
 * forwards, and of other addresses of its own host. They arrive, whatever they contain.
 * tests/net/others.sh runs it.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/netns.h"
#include "support/test.h"
#include <xrdma/abi/wire.h>

/* Ways from one host to another, or to itself. */
static const struct way {
	const char *from, *to, *address;
	int family;
} ways[] = {
	{ "a", "c", "10.2.0.1", AF_INET },  { "a", "c", "fd02::1", AF_INET6 },
	{ "r", "r", "127.0.0.1", AF_INET }, { "r", "r", "127.0.0.2", AF_INET },
	{ "r", "r", "::1", AF_INET6 },
};

/*
 * Lengths: shorter than a BTH, all values modulo four, longer than any RoCE packet, and long enough
 * for two fragments.
 */
static const int lengths[] = { 1, 5, 8, 17, 18, 19, 20, 100, 101, 102, 103, 1000, 3000, 9000 };

static union {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
} to;

static int socket_in(const char *host, int family)
{
	int fd;

	expect(netns_enter(host));
	fd = socket(family, SOCK_DGRAM, 0);
	expect(fd >= 0);
	return fd;
}

static void set_destination(const struct way *way)
{
	memset(&to, 0, sizeof(to));
	to.any.sa_family = way->family;
	to.ipv4.sin_port = htons(XRDMA_UDP_PORT); /* IPv6 has it at the same place */
	expect_int(inet_pton(way->family, way->address,
			     way->family == AF_INET ? (void *)&to.ipv4.sin_addr
						    : (void *)&to.ipv6.sin6_addr),
		   ==, 1);
}

/*
 * Expect that a datagram arrives. Its first byte is a RoCE opcode, so that only the address
 * distinguishes it from RoCE.
 */
static void expect_arrives(int out, int in, int len)
{
	static __u8 sent[9000], got[9001];
	struct pollfd ready = { .fd = in, .events = POLLIN };

	memset(sent, len, sizeof(sent));
	sent[0] = 0x0c;
	expect_int(sendto(out, sent, len, 0, &to.any, sizeof(to)), ==, len);
	expect_msg(poll(&ready, 1, 5000) == 1, "%d bytes do not arrive", len);
	expect_int(recv(in, got, sizeof(got), 0), ==, len);
	expect(!memcmp(sent, got, len));
}

/* Expect that datagrams arrive that a veth delivers as one frame, which the receiver segments. */
static void expect_segments_arrive(int out, int in)
{
	enum { SEGMENT = 500, SEGMENTS = 6 };
	static __u8 sent[SEGMENT * SEGMENTS], got[SEGMENT + 1];
	struct pollfd ready = { .fd = in, .events = POLLIN };
	const int segment = SEGMENT;

	expect_int(setsockopt(out, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)), ==, 0);
	expect_int(sendto(out, sent, sizeof(sent), 0, &to.any, sizeof(to)), ==, sizeof(sent));
	for (int i = 0; i < SEGMENTS; i++) {
		expect_msg(poll(&ready, 1, 5000) == 1, "segment %d does not arrive", i);
		expect_int(recv(in, got, sizeof(got), 0), ==, SEGMENT);
	}
}

Tests(others, whatever_they_contain, sizeof(ways) / sizeof(ways[0]))
{
	const __u8 options[] = { IPOPT_NOP, IPOPT_NOP, IPOPT_NOP, IPOPT_EOL };
	const struct way *way = &ways[i];
	int in = socket_in(way->to, way->family), out = socket_in(way->from, way->family);

	set_destination(way);
	expect_int(bind(in, &to.any, sizeof(to)), ==, 0);
	for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++)
		expect_arrives(out, in, lengths[n]);
	if (way->family == AF_INET) {
		expect_int(setsockopt(out, IPPROTO_IP, IP_OPTIONS, options, sizeof(options)), ==,
			   0);
		expect_arrives(out, in, 40);
	}
	expect_segments_arrive(out, in);
	close(in);
	close(out);
}

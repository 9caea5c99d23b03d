// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The path of a queue pair's packets changes. tests/net/path.sh runs it. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/addr.h"
#include "net/netdev.h"
#include "net/path.h"
#include "support/pair.h"
#include "support/test.h"

TestSuite(path, .once = pair_open, .init = pair_start, .fini = pair_stop, .end = pair_close);

static void run(const char *host, const char *command)
{
	pair_enter(host);
	expect_msg(!system(command), "%s", command);
}

static void expect_writes(void)
{
	pair_set_write(64, 256);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* The peer gets another MAC address. */
Test(path, follows_the_neighbour)
{
	expect_writes();
	pair_connect(4, 1024);
	expect(pair.a.qp->path.has_mac);
	run("b", "ip link set xb address 02:00:00:00:66:02");
	run("a", "ip neigh replace 10.66.0.2 lladdr 02:00:00:00:66:02 dev xa");
	expect_writes();
	pair_connect(4, 1024);
	expect_int(pair.a.qp->path.dest_mac[4], ==, 0x66);
}

/* The route changes from a gateway that does not respond to none, while a request is in flight. */
Test(path, follows_the_route)
{
	run("a", "ip neigh replace 10.66.0.9 lladdr 02:00:00:00:66:09 dev xa");
	run("a", "ip route add 10.66.0.2/32 via 10.66.0.9 dev xa");
	pair_connect(4, 1024);
	expect_int(pair_post(), ==, 0);
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	run("a", "ip route del 10.66.0.2/32");
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* An IPv4 route may have an IPv6 gateway (RFC 5549). */
Test(path, goes_by_a_gateway_of_the_other_family)
{
	run("a", "ip route add 10.66.0.2/32 via inet6 fd66::2 dev xa");
	run("a", "ip neigh flush dev xa");
	pair_connect(4, 1024);
	expect_writes();
	run("a", "ip route del 10.66.0.2/32");
}

/*
 * Packets that no longer fit the MTU are not fragmented, because each fragment would need an ICRC.
 */
Test(path, becomes_narrow)
{
	const __be32 *peer = pair.a.attr.ah_attr.dest;

	pair_connect(4, 2048);
	expect_int(xrdma_path_mtu(pair.a.owner.context->device.ifindex, peer), ==, 4096);
	pair.a.qp->path.has_mac = false; /* by UDP */
	run("a", "ip link set xa mtu 1300");
	expect_int(xrdma_path_mtu(pair.a.owner.context->device.ifindex, peer), ==, 1024);
	pair_set_write(0, 8 * 1024);
	pair_expect_failure(XRDMA_WC_RETRY_EXC_ERR);
	pair_connect(4, 1024);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(0, 8 * 1024);
	run("a", "ip link set xa mtu 4500");
}

/* A route may have an MTU of its own (ip-route(8)). */
Test(path, narrow_route)
{
	const __be32 *peer = pair.a.attr.ah_attr.dest;

	pair_connect(4, 1024);
	pair_enter("a");
	side_bring_to(&pair.a, XRDMA_QPS_INIT);
	run("a", "ip route add 10.66.0.2/32 dev xa mtu 600");
	expect_int(xrdma_path_mtu(pair.a.owner.context->device.ifindex, peer), ==, 512);
	expect_error(side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR), EINVAL,
		     "the route to 10.66.0.2 has an MTU of 600");
	run("a", "ip route del 10.66.0.2/32");
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR), ==, 0);
}

/* Send the SIZE bytes of MESSAGE from b to a as an ICMP message of FAMILY. */
static void send_icmp(int family, const void *message, size_t size)
{
	const int protocol = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	struct sockaddr_storage to;
	socklen_t len = xrdma_addr_to_socket(pair.a.qp->row->addr, 0, &to);
	int fd;

	pair_enter("b");
	fd = socket(family, SOCK_RAW, protocol);
	expect_int(sendto(fd, message, size, 0, (const struct sockaddr *)&to, len), ==, size);
	close(fd);
	pair_enter("a");
}

/* Returns the UDP header of a datagram from a to b. */
static struct udphdr sent_udp(void)
{
	return (struct udphdr){ .source = htons(pair.a.qp->row->udp_sport),
				.dest = htons(XRDMA_UDP_PORT) };
}

/* Send a message to a, as any host can: its IPv4 packets to b are longer than MTU. */
static void forge_icmp(__u16 mtu)
{
	struct {
		struct icmphdr icmp;
		struct iphdr ip;
		struct udphdr udp;
	} __attribute__((packed)) message = {
		.icmp = { .type = ICMP_DEST_UNREACH, .code = ICMP_FRAG_NEEDED },
		.ip = { .version = 4, .ihl = 5, .protocol = IPPROTO_UDP, .ttl = 64 },
		.udp = sent_udp(),
	};
	__u32 sum = 0;

	message.icmp.un.frag.mtu = htons(mtu);
	message.ip.tot_len = htons(1200);
	message.ip.saddr = pair.a.qp->row->addr[3];
	message.ip.daddr = pair.a.qp->row->peer_addr[3];
	for (size_t i = 0; i < sizeof(message); i += 2)
		sum += *(__u16 *)((char *)&message + i);
	sum = (sum & 0xffff) + (sum >> 16);
	message.icmp.checksum = ~(sum + (sum >> 16));
	send_icmp(AF_INET, &message, sizeof(message));
}

/* Send a message to a, as any host can: its IPv6 packets to b are longer than MTU. */
static void forge_icmpv6(__u16 mtu)
{
	struct {
		struct icmp6_hdr icmp;
		struct ip6_hdr ip;
		struct udphdr udp;
	} __attribute__((packed)) message = {
		.icmp = { .icmp6_type = ICMP6_PACKET_TOO_BIG },
		.ip = { .ip6_vfc = 6 << 4, .ip6_nxt = IPPROTO_UDP, .ip6_hlim = 64 },
		.udp = sent_udp(),
	};

	message.icmp.icmp6_mtu = htonl(mtu);
	message.ip.ip6_plen = htons(2100);
	memcpy(&message.ip.ip6_src, pair.a.qp->row->addr, sizeof(message.ip.ip6_src));
	memcpy(&message.ip.ip6_dst, pair.a.qp->row->peer_addr, sizeof(message.ip.ip6_dst));
	send_icmp(AF_INET6, &message, sizeof(message)); /* the kernel adds the checksum */
}

/* Connect with PATH_MTU. Afterwards the queue pair of a sends by UDP. */
static void connect_by_udp(int family, __u16 path_mtu)
{
	pair_connect(family, path_mtu);
	pair.a.qp->path.has_mac = false;
}

/*
 * A forged ICMP message does not end a connection, and new connections can still have the path MTU
 * that it denies (RFC 5927, 7.1). The messages are ICMP (0) and ICMPv6 (1). By IPv6 an MTU is never
 * below 1280 (RFC 8200, 5).
 */
Tests(path, forged_icmp, 2)
{
	const int family = i ? 6 : 4;
	const __u16 path_mtu = i ? 2048 : 1024;

	connect_by_udp(family, path_mtu);
	expect_writes();
	if (i)
		forge_icmpv6(1280);
	else
		forge_icmp(600);
	/* The kernel believes the message. */
	run("a", i ? "ip route get fd66::2 | grep -q 'mtu 1280'"
		   : "ip route get 10.66.0.2 | grep -q 'mtu 600'");
	expect_int(xrdma_path_mtu(pair.a.owner.context->device.ifindex, pair.a.attr.ah_attr.dest),
		   ==, 4096);
	pair_set_write(0, 8 * 1024);
	pair_expect(XRDMA_WC_SUCCESS);
	connect_by_udp(family, path_mtu);
	pair_expect(XRDMA_WC_SUCCESS);
	run("a", i ? "ip -6 route flush cache" : "ip route flush cache");
}

static __u64 sent_packets(void)
{
	struct xrdma_netdev netdev;

	expect_int(xrdma_netdev_query(if_nametoindex("xa"), &netdev), ==, 0);
	return netdev.tx_packets;
}

/*
 * The peer's host reports that the port is closed. The connection goes on, because the port may be
 * opened soon.
 */
Test(path, survives_what_icmp_says)
{
	__u64 before;

	pair_connect(6, 1024);
	pair_enter("a");
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	pair.a.attr.ah_attr.dest[3] = htonl(0x99);
	side_bring_to(&pair.a, XRDMA_QPS_RTS);
	before = sent_packets();
	pair_expect_failure(XRDMA_WC_RETRY_EXC_ERR);
	expect_int(sent_packets() - before, >=, pair.a.attr.retry_cnt + 1);
}

static __u16 source_port(void)
{
	struct xrdma_qp_attr attr = { .sz = sizeof(attr) };

	pair_connect(4, 1024);
	expect_int(xrdma_qp_query(pair.a.qp, &attr), ==, 0);
	return attr.ah_attr.udp_sport;
}

/* A port that another program uses is never chosen. It is refused if it is requested. */
Test(path, source_ports)
{
	struct sockaddr_in taken = { .sin_family = AF_INET };
	__u16 port = source_port();
	int fd;

	expect_int(port, >=, 0xc000);
	expect_int(source_port(), ==, port);
	pair_enter("a");
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	taken.sin_port = htons(port);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	expect_int(bind(fd, (const struct sockaddr *)&taken, sizeof(taken)), ==, 0);
	expect_int(source_port(), ==, port == 0xffff ? 0xc000 : port + 1);
	expect_writes();
	pair_enter("a");
	pair.a.attr.ah_attr.udp_sport = port;
	side_bring_to(&pair.a, XRDMA_QPS_INIT);
	expect_error(side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR), EADDRINUSE,
		     "choose another udp_sport");
	close(fd);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR), ==, 0);
}

/* If so many ports of the range are in use, the library does not try all others. */
Test(path, no_source_port)
{
	enum { TAKEN = 66 };
	struct sockaddr_in taken = { .sin_family = AF_INET };
	const __u16 first = source_port();
	int fds[TAKEN];
	__u16 port;

	pair_enter("a");
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	for (int i = 0; i < TAKEN; i++) {
		taken.sin_port = htons(0xc000 | (first + i) % 0x4000);
		fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
		expect_int(bind(fds[i], (const struct sockaddr *)&taken, sizeof(taken)), ==, 0);
	}
	port = source_port();
	expect(port && (port < 0xc000 || (__u16)(port - first) % 0x4000 >= TAKEN));
	expect_int(pair.a.qp->row->udp_sport, ==, port);
	expect_writes();
	for (int i = 0; i < TAKEN; i++)
		close(fds[i]);
}

/* A program that the process executes does not inherit the socket. */
Test(path, closes_on_exec)
{
	expect(fcntl(pair.a.qp->udp.fd, F_GETFD) & FD_CLOEXEC);
}

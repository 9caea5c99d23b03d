// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Check the UDP checksums of replies when they arrive at host a. tests/net/two_hosts.sh runs it. */
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/test.h"

static int wire = -1; /* packet socket on xa */

/* Turn checksum offload of HOST's netdev on or off. */
static void set_offload(char host, bool on)
{
	struct ethtool_value value = { .cmd = ETHTOOL_STXCSUM, .data = on };
	struct ifreq request = { .ifr_name = { 'x', host }, .ifr_data = (void *)&value };
	int fd;

	pair_enter((char[]){ host, '\0' });
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	expect_int(ioctl(fd, SIOCETHTOOL, &request), ==, 0);
	close(fd);
}

static void listen_in_a(void)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	const int on = 1, bytes = 8 << 20;

	pair_open();
	pair_enter("a");
	wire = socket(AF_PACKET, SOCK_DGRAM, 0);
	at.sll_ifindex = if_nametoindex("xa");
	expect_int(setsockopt(wire, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)), ==, 0);
	setsockopt(wire, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	expect_int(bind(wire, (void *)&at, sizeof(at)), ==, 0);
}

TestSuite(checksum, .once = listen_in_a, .end = pair_close);

static __u32 add(__u32 sum, const void *bytes, size_t len)
{
	const __u8 *at = bytes;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? at[i] : at[i] << 8;
	return sum;
}

static __u16 fold(__u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/*
 * Wait for the next RoCE packet of b. Returns the sum of the pseudo-header, or 0 if there is no
 * checksum.
 */
static __u32 next_reply(__u8 packet[9000], const struct udphdr **udp, bool *to_be_computed)
{
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec bytes = { packet, 9000 };
	struct sockaddr_ll from;
	struct msghdr message;
	__u32 sum;

	for (;;) {
		message = (struct msghdr){ &from,   sizeof(from),    &bytes, 1,
					   control, sizeof(control), 0 };
		if (recvmsg(wire, &message, MSG_DONTWAIT) <= 0)
			return 0;
		if (from.sll_pkttype == PACKET_OUTGOING)
			continue;
		if (packet[0] >> 4 == 4 && packet[9] == IPPROTO_UDP) {
			*udp = (void *)(packet + sizeof(struct iphdr));
			sum = add(IPPROTO_UDP, packet + 12, 8);
		} else if (packet[0] >> 4 == 6 && packet[6] == IPPROTO_UDP) {
			*udp = (void *)(packet + sizeof(struct ip6_hdr));
			sum = add(IPPROTO_UDP, packet + 8, 32);
		} else {
			continue;
		}
		if ((*udp)->dest != htons(XRDMA_UDP_PORT))
			continue;
		*to_be_computed =
			((struct tpacket_auxdata *)CMSG_DATA(CMSG_FIRSTHDR(&message)))->tp_status &
			TP_STATUS_CSUMNOTREADY;
		return sum + ntohs((*udp)->len);
	}
}

/*
 * Check all replies. Returns their number. A checksum that is still to be computed contains the sum
 * of the pseudo-header.
 */
static int expect_none_or_right(void)
{
	static __u8 packet[9000];
	const struct udphdr *udp;
	bool to_be_computed;
	int replies = 0;
	__u32 sum;

	for (; (sum = next_reply(packet, &udp, &to_be_computed)); replies++)
		if (to_be_computed)
			expect_int(ntohs(udp->check), ==, fold(sum));
		else if (udp->check)
			expect_int(fold(add(sum, udp, ntohs(udp->len))), ==, 0xffff);
	return replies;
}

/*
 * Request an acknowledgement, responses of one packet and of several, and the result of an atomic.
 */
static void ask(int ip_version)
{
	pair_start();
	pair_connect(ip_version, 1024);
	pair_set_write(64, 5000);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_stop();
	pair_start_read();
	pair_connect(ip_version, 1024);
	pair_set_read(0, 99);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_set_read(0, 100001);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_stop();
	pair_start_atomic();
	pair_connect(ip_version, 1024);
	pair_set_fetch_add(0, 1);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_stop();
}

/*
 * Requests arrive with a complete checksum, or with one that is still to be computed. The replies
 * have no checksum, or a right one.
 */
Tests(checksum, none_or_right, 8)
{
	expect_none_or_right();
	set_offload('a', i & 2);
	set_offload('b', i & 1);
	ask(i & 4 ? 6 : 4);
	expect_int(expect_none_or_right(), >=, 1 + 1 + 98 + 1);
	set_offload('a', true);
	set_offload('b', true);
}

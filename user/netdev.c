// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "netdev.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addr.h"

static void add_addr(struct xrdma_netdev *netdev, const struct sockaddr *addr)
{
	if (netdev->addr_count < XRDMA_ADDRS_MAX)
		xrdma_addr_of_socket(netdev->addrs[netdev->addr_count++], addr);
}

int xrdma_netdev_query(const char *name, struct xrdma_netdev *netdev)
{
	const struct sockaddr_ll *link;
	struct ifaddrs *all, *each;
	bool found = false, ethernet = false;

	memset(netdev, 0, sizeof(*netdev));
	if (getifaddrs(&all))
		return -errno;
	for (each = all; each; each = each->ifa_next) {
		if (strcmp(each->ifa_name, name))
			continue;
		found = true;
		if (!each->ifa_addr)
			continue;
		if (each->ifa_addr->sa_family == AF_INET || each->ifa_addr->sa_family == AF_INET6)
			add_addr(netdev, each->ifa_addr);
		if (each->ifa_addr->sa_family != AF_PACKET)
			continue;
		link = (void *)each->ifa_addr;
		ethernet = link->sll_hatype == ARPHRD_ETHER || link->sll_hatype == ARPHRD_LOOPBACK;
		memcpy(netdev->mac, link->sll_addr, sizeof(netdev->mac));
		netdev->tx_packets = ((struct rtnl_link_stats *)each->ifa_data)->tx_packets;
	}
	freeifaddrs(all);
	if (!found)
		return -ENODEV;
	return ethernet ? 0 : -EPFNOSUPPORT;
}

/* Returns 0 or -errno. */
static int ask(const char *name, unsigned long what, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	strncpy(request->ifr_name, name, IF_NAMESIZE - 1);
	err = ioctl(fd, what, request) ? -errno : 0;
	close(fd);
	return err;
}

bool xrdma_netdev_is_veth(const char *name)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq request = { .ifr_data = (char *)&info };

	return !ask(name, SIOCETHTOOL, &request) && !strcmp(info.driver, "veth");
}

int xrdma_netdev_mtu(const char *name)
{
	struct ifreq request = { 0 };
	int err = ask(name, SIOCGIFMTU, &request);

	return err ? err : request.ifr_mtu;
}

int xrdma_netdev_mac(const char *name, __u8 mac[6])
{
	struct ifreq request = { 0 };
	int err = ask(name, SIOCGIFHWADDR, &request);

	if (!err)
		memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	return err;
}

__u64 xrdma_netns_cookie(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	__u64 cookie = 0;
	socklen_t len = sizeof(cookie);

	if (fd < 0)
		return 0;
	getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	close(fd);
	return cookie;
}

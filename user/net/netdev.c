// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/addr.h"
#include "lib/error.h"
#include "net/netlink.h"

static bool is_of_kind(const struct nlattr *info, const char *kind)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, info)
	{
		if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
			return !strcmp(mnl_attr_get_str(attr), kind);
	}
	return false;
}

static void read_attr(struct xrdma_netdev *netdev, const struct nlattr *attr)
{
	const void *payload = mnl_attr_get_payload(attr);
	__u32 len = mnl_attr_get_payload_len(attr);

	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		strncpy(netdev->name, mnl_attr_get_str(attr), sizeof(netdev->name) - 1);
		break;
	case IFLA_ADDRESS:
		if (len == sizeof(netdev->mac))
			memcpy(netdev->mac, payload, len);
		break;
	case IFLA_MTU:
		netdev->mtu = mnl_attr_get_u32(attr);
		break;
	case IFLA_STATS64:
		memcpy(&netdev->tx_packets,
		       payload + offsetof(struct rtnl_link_stats64, tx_packets),
		       sizeof(netdev->tx_packets));
		break;
	case IFLA_LINKINFO:
		netdev->is_veth = is_of_kind(attr, "veth");
		break;
	}
}

static int read_link(const struct nlmsghdr *message, void *arg)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(message);
	struct xrdma_netdev *netdev = arg;
	const struct nlattr *attr;

	if (message->nlmsg_type != RTM_NEWLINK)
		return MNL_CB_OK;
	netdev->ifindex = link->ifi_index;
	netdev->is_running = (link->ifi_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	netdev->is_ethernet = link->ifi_type == ARPHRD_ETHER || link->ifi_type == ARPHRD_LOOPBACK;
	netdev->is_ip = link->ifi_type == ARPHRD_NONE || link->ifi_type == ARPHRD_TUNNEL;
	mnl_attr_for_each(attr, message, sizeof(*link)) read_attr(netdev, attr);
	return MNL_CB_OK;
}

int xrdma_netdev_query(__u32 ifindex, struct xrdma_netdev *netdev)
{
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *link = mnl_nlmsg_put_extra_header(request, sizeof(*link));

	memset(netdev, 0, sizeof(*netdev));
	if (!ifindex)
		return -ENODEV;
	request->nlmsg_type = RTM_GETLINK;
	link->ifi_index = ifindex;
	return xrdma_netlink_request(NETLINK_ROUTE, request, read_link, netdev);
}

struct visitor {
	void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg);
	void *arg;
};

/* Read an address. On a point-to-point link IFA_ADDRESS is the peer's, and IFA_LOCAL is present. */
static int read_addr(const struct nlmsghdr *message, void *arg)
{
	const struct ifaddrmsg *head = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr, *own = NULL;
	const struct visitor *visitor = arg;
	__u32 flags = head->ifa_flags;
	__be32 addr[4];

	if (message->nlmsg_type != RTM_NEWADDR)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, message, sizeof(*head))
	{
		if (mnl_attr_get_type(attr) == IFA_FLAGS)
			flags = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == IFA_LOCAL ||
		    (mnl_attr_get_type(attr) == IFA_ADDRESS && !own))
			own = attr;
	}
	if (!own || flags & IFA_F_DADFAILED ||
	    (flags & IFA_F_TENTATIVE && !(flags & IFA_F_OPTIMISTIC)))
		return MNL_CB_OK;
	xrdma_addr_set(addr, mnl_attr_get_payload(own), mnl_attr_get_payload_len(own));
	visitor->visit(head->ifa_index, addr, visitor->arg);
	return MNL_CB_OK;
}

int xrdma_netdev_addrs(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg)
{
	struct visitor visitor = { visit, arg };
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	mnl_nlmsg_put_extra_header(request, sizeof(struct ifaddrmsg)); /* room for both families */
	request->nlmsg_type = RTM_GETADDR;
	request->nlmsg_flags = NLM_F_DUMP;
	return xrdma_netlink_request(NETLINK_ROUTE, request, read_addr, &visitor);
}

static int ask_ethtool(const char *name, struct ethtool_value *value)
{
	struct ifreq request = { .ifr_data = (void *)value };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	err = ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
	close(fd);
	return err;
}

bool xrdma_netdev_takes_tags(const char *name)
{
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };

	return !ask_ethtool(name, &flags) && flags.data & ETH_FLAG_RXVLAN;
}

int xrdma_netdev_take_tags(const char *name, bool take)
{
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };
	int err = ask_ethtool(name, &flags);

	if (err)
		return err;
	flags.cmd = ETHTOOL_SFLAGS;
	flags.data = take ? flags.data | ETH_FLAG_RXVLAN : flags.data & ~ETH_FLAG_RXVLAN;
	err = ask_ethtool(name, &flags);
	return err ? err : xrdma_netdev_takes_tags(name) == take ? 0 : -EOPNOTSUPP;
}

int xrdma_netns_cookie(__u64 *cookie)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;
	socklen_t len = sizeof(*cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &len))
		err = errno;
	if (fd >= 0)
		close(fd);
	return err ? xrdma_fail(err, "cannot find out which network namespace this is: %s",
				strerror(err))
		   : 0;
}

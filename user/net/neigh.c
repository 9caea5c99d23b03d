// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/neigh.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "lib/addr.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "net/netlink.h"

/* Address in the kernel's form. */
struct address {
	const void *bytes;
	__u8 family;
	__u8 len;
};

static struct address kernel_address(const __be32 addr[4])
{
	if (xrdma_addr_is_ipv4(addr))
		return (struct address){ .bytes = &addr[3], .family = AF_INET, .len = 4 };
	return (struct address){ .bytes = addr, .family = AF_INET6, .len = 16 };
}

static void take(__be32 addr[4], const struct nlattr *attr)
{
	xrdma_addr_set(addr, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

/* Route that the kernel returned. */
struct hop {
	__u8 type; /* RTN_* */
	__u32 ifindex;
	__u32 mtu; /* 0: not set */
	__be32 via[4], source[4];
};

static void read_metrics(const struct nlattr *metrics, struct hop *hop)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, metrics)
	{
		if (mnl_attr_get_type(attr) == RTAX_MTU)
			hop->mtu = mnl_attr_get_u32(attr);
	}
}

static int read_route(const struct nlmsghdr *message, void *arg)
{
	const struct rtmsg *route = mnl_nlmsg_get_payload(message);
	struct hop *hop = arg;
	const struct nlattr *attr;

	if (message->nlmsg_type != RTM_NEWROUTE)
		return MNL_CB_OK;
	hop->type = route->rtm_type;
	mnl_attr_for_each(attr, message, sizeof(*route))
	{
		switch (mnl_attr_get_type(attr)) {
		case RTA_OIF:
			hop->ifindex = mnl_attr_get_u32(attr);
			break;
		case RTA_GATEWAY:
			take(hop->via, attr);
			break;
		case RTA_PREFSRC:
			take(hop->source, attr);
			break;
		case RTA_METRICS:
			read_metrics(attr, hop);
			break;
		}
	}
	return MNL_CB_OK;
}

/*
 * Ask the kernel for ROUTE, and set HOP. With RTM_F_FIB_MATCH in FLAGS, the kernel returns the
 * entry of the routing table. Without it, the kernel returns the route that results.
 */
static int ask_route(const struct xrdma_route *route, __u32 flags, struct hop *hop)
{
	struct address dest = kernel_address(route->dest), source = kernel_address(route->source);
	char buffer[256];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct rtmsg *message = mnl_nlmsg_put_extra_header(request, sizeof(*message));

	request->nlmsg_type = RTM_GETROUTE;
	message->rtm_family = dest.family;
	message->rtm_flags = flags;
	message->rtm_dst_len = dest.len * 8;
	mnl_attr_put(request, RTA_DST, dest.len, dest.bytes);
	if (!xrdma_addr_is_unset(route->source)) {
		message->rtm_src_len = source.len * 8;
		mnl_attr_put(request, RTA_SRC, source.len, source.bytes);
	}
	if (route->ifindex)
		mnl_attr_put_u32(request, RTA_OIF, route->ifindex);
	memset(hop, 0, sizeof(*hop));
	return xrdma_netlink_request(NETLINK_ROUTE, request, read_route, hop);
}

bool xrdma_route_is_local(__u32 ifindex, const __be32 dest[4])
{
	struct xrdma_route route = { .ifindex = xrdma_addr_is_link_local(dest) ? ifindex : 0 };
	struct hop hop;

	memcpy(route.dest, dest, sizeof(route.dest));
	return !ask_route(&route, 0, &hop) && hop.type == RTN_LOCAL;
}

/* Returns the smaller of the MTU of the netdev IFINDEX and MOST, unless MOST is 0. Or -errno. */
static int limited_mtu(__u32 ifindex, __u32 most)
{
	struct xrdma_netdev netdev;
	int err = xrdma_netdev_query(ifindex, &netdev);

	if (err)
		return xrdma_fail(-err, "cannot request the MTU of a netdev: %s", strerror(-err));
	return most && most < netdev.mtu ? most : netdev.mtu;
}

/*
 * Find the next hop. The entry of the routing table is requested first, for two reasons. If there
 * is no entry, the kernel assumes that an IPv4 address is on the link. And only the entry has the
 * MTU that was configured: an ICMP message can change the MTU of the resulting route.
 */
static int find_hop(const struct xrdma_route *route, struct hop *hop)
{
	char text[INET6_ADDRSTRLEN];
	struct hop entry;
	int err = ask_route(route, RTM_F_FIB_MATCH, &entry);

	if (!err)
		err = ask_route(route, 0, hop);
	hop->mtu = entry.mtu;
	if (err && err != -ENETUNREACH && err != -EHOSTUNREACH)
		return xrdma_fail(-err, "cannot request the route to %s: %s",
				  xrdma_addr_print(route->dest, text), strerror(-err));
	if (err || hop->type != RTN_UNICAST || hop->ifindex != route->ifindex)
		return xrdma_fail(ENETUNREACH, "the device has no route to %s: see ip route get",
				  xrdma_addr_print(route->dest, text));
	if (xrdma_addr_is_unset(hop->via))
		memcpy(hop->via, route->dest, sizeof(hop->via));
	return 0;
}

/* Neighbour that the kernel returned. */
struct neighbour {
	__u16 state; /* NUD_* */
	__u8 mac[6];
};

static int read_neighbour(const struct nlmsghdr *message, void *arg)
{
	const struct ndmsg *entry = mnl_nlmsg_get_payload(message);
	struct neighbour *neighbour = arg;
	const struct nlattr *attr;

	if (message->nlmsg_type != RTM_NEWNEIGH)
		return MNL_CB_OK;
	neighbour->state = entry->ndm_state;
	mnl_attr_for_each(attr, message, sizeof(*entry))
	{
		if (mnl_attr_get_type(attr) == NDA_LLADDR &&
		    mnl_attr_get_payload_len(attr) == sizeof(neighbour->mac))
			memcpy(neighbour->mac, mnl_attr_get_payload(attr), sizeof(neighbour->mac));
	}
	return MNL_CB_OK;
}

static bool is_known(const struct neighbour *neighbour)
{
	return neighbour->state &
	       (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY);
}

struct visitor {
	void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg);
	void *arg;
};

static int visit_neighbour(const struct nlmsghdr *message, void *arg)
{
	const struct ndmsg *entry = mnl_nlmsg_get_payload(message);
	const struct visitor *visitor = arg;
	struct neighbour neighbour = { 0 };
	__be32 addr[4] = { 0 };
	const struct nlattr *attr;

	read_neighbour(message, &neighbour);
	mnl_attr_for_each(attr, message, sizeof(*entry))
	{
		if (mnl_attr_get_type(attr) == NDA_DST)
			take(addr, attr);
	}
	if (is_known(&neighbour) && !(neighbour.state & NUD_NOARP))
		visitor->visit(entry->ndm_ifindex, addr, visitor->arg);
	return MNL_CB_OK;
}

int xrdma_neighbours(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg)
{
	struct visitor visitor = { visit, arg };
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	mnl_nlmsg_put_extra_header(request, sizeof(struct ndmsg)); /* room for both families */
	request->nlmsg_type = RTM_GETNEIGH;
	request->nlmsg_flags = NLM_F_DUMP;
	return xrdma_netlink_request(NETLINK_ROUTE, request, visit_neighbour, &visitor);
}

static int find_neighbour(struct xrdma_route *route, const struct hop *hop)
{
	struct address via = kernel_address(hop->via);
	struct neighbour neighbour = { 0 };
	char buffer[256], text[INET6_ADDRSTRLEN];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ndmsg *entry = mnl_nlmsg_put_extra_header(request, sizeof(*entry));
	int err;

	request->nlmsg_type = RTM_GETNEIGH;
	entry->ndm_family = via.family;
	entry->ndm_ifindex = route->ifindex;
	mnl_attr_put(request, NDA_DST, via.len, via.bytes);
	err = xrdma_netlink_request(NETLINK_ROUTE, request, read_neighbour, &neighbour);
	if (err && err != -ENOENT)
		return xrdma_fail(-err, "cannot request the neighbour %s: %s",
				  xrdma_addr_print(hop->via, text), strerror(-err));
	route->has_mac = is_known(&neighbour);
	memcpy(route->mac, neighbour.mac, sizeof(route->mac));
	return 0;
}

/*
 * Choice of the source address by which the netdev IFINDEX reaches DEST, an address of this host.
 */
struct choice {
	__u32 ifindex;
	const __be32 *dest;
	__be32 *source; /* all 0: the netdev has none */
};

static void look(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct choice *choice = arg;
	bool is_dest = !memcmp(addr, choice->dest, sizeof(__be32[4]));

	if (ifindex == choice->ifindex && (is_dest || xrdma_addr_is_unset(choice->source)) &&
	    xrdma_addr_is_ipv4(addr) == xrdma_addr_is_ipv4(choice->dest))
		memcpy(choice->source, addr, sizeof(__be32[4]));
}

static int choose_source(__u32 ifindex, const __be32 dest[4], __be32 source[4])
{
	struct choice choice = { ifindex, dest, source };
	int err = xrdma_netdev_addrs(look, &choice);

	return err ? xrdma_fail(-err, "cannot request the netdev's addresses: %s", strerror(-err))
		   : 0;
}

int xrdma_route_source(__u32 ifindex, const __be32 dest[4], __be32 source[4])
{
	memset(source, 0, sizeof(__be32[4]));
	return xrdma_route_is_local(ifindex, dest) ? choose_source(ifindex, dest, source) : 0;
}

int xrdma_route_mtu(__u32 ifindex, const __be32 dest[4])
{
	struct xrdma_route route = { .ifindex = ifindex };
	struct hop hop;
	int err;

	if (xrdma_route_is_local(ifindex, dest))
		return limited_mtu(XRDMA_LO, 0);
	memcpy(route.dest, dest, sizeof(route.dest));
	err = find_hop(&route, &hop);
	return err ?: limited_mtu(ifindex, hop.mtu);
}

int xrdma_route_resolve(struct xrdma_route *route)
{
	struct hop hop;
	int err;

	route->is_local = xrdma_route_is_local(route->ifindex, route->dest);
	if (route->is_local)
		return xrdma_addr_is_unset(route->source)
			       ? choose_source(route->ifindex, route->dest, route->source)
			       : 0;
	err = find_hop(route, &hop);
	if (!err)
		err = find_neighbour(route, &hop);
	if (!err && xrdma_addr_is_unset(route->source))
		memcpy(route->source, hop.source, sizeof(route->source));
	return err;
}

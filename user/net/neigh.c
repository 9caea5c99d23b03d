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

/* An address as the kernel takes it. */
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

/* What the kernel says of a route. */
struct hop {
	__u8 type; /* RTN_* */
	__u32 ifindex;
	__be32 via[4], source[4];
};

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
		}
	}
	return MNL_CB_OK;
}

/* FLAGS: RTM_F_FIB_MATCH asks for the entry of the table, 0 for what follows from it. */
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
	mnl_attr_put_u32(request, RTA_OIF, route->ifindex);
	memset(hop, 0, sizeof(*hop));
	return xrdma_netlink_ask(request, read_route, hop);
}

/*
 * Without an entry in the table the kernel takes an IPv4 address to be on the link, so that is
 * asked for first.
 */
static int find_hop(const struct xrdma_route *route, struct hop *hop)
{
	char text[INET6_ADDRSTRLEN];
	int err = ask_route(route, RTM_F_FIB_MATCH, hop);

	if (!err)
		err = ask_route(route, 0, hop);
	if (err && err != -ENETUNREACH && err != -EHOSTUNREACH)
		return xrdma_fail(-err, "cannot ask for the route to %s: %s",
				  xrdma_addr_print(route->dest, text), strerror(-err));
	if (err || hop->type != RTN_UNICAST || hop->ifindex != route->ifindex)
		return xrdma_fail(ENETUNREACH, "the device has no route to %s: see ip route get",
				  xrdma_addr_print(route->dest, text));
	if (xrdma_addr_is_unset(hop->via))
		memcpy(hop->via, route->dest, sizeof(hop->via));
	return 0;
}

/* What the kernel says of a neighbour. */
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

	mnl_nlmsg_put_extra_header(request, sizeof(struct ndmsg)); /* of both families */
	request->nlmsg_type = RTM_GETNEIGH;
	request->nlmsg_flags = NLM_F_DUMP;
	return xrdma_netlink_ask(request, visit_neighbour, &visitor);
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
	err = xrdma_netlink_ask(request, read_neighbour, &neighbour);
	if (err && err != -ENOENT)
		return xrdma_fail(-err, "cannot ask for the neighbour %s: %s",
				  xrdma_addr_print(hop->via, text), strerror(-err));
	route->has_mac = is_known(&neighbour);
	memcpy(route->mac, neighbour.mac, sizeof(route->mac));
	return 0;
}

/*
 * Which of this host's netdevs has DEST, and the first address of its family that the netdev
 * IFINDEX has.
 */
struct owners {
	__u32 ifindex;
	const __be32 *dest;
	__u32 owner;
	__be32 source[4];
};

static void look(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct owners *owners = arg;

	if (!memcmp(addr, owners->dest, sizeof(owners->source)))
		owners->owner = ifindex;
	if (ifindex == owners->ifindex && xrdma_addr_is_unset(owners->source) &&
	    xrdma_addr_is_ipv4(addr) == xrdma_addr_is_ipv4(owners->dest))
		memcpy(owners->source, addr, sizeof(owners->source));
}

static int find_owners(__u32 ifindex, const __be32 dest[4], struct owners *owners)
{
	int err;

	*owners = (struct owners){ .ifindex = ifindex, .dest = dest };
	err = xrdma_netdev_addrs(look, owners);
	return err ? xrdma_fail(-err, "cannot ask for addresses: %s", strerror(-err)) : 0;
}

int xrdma_route_source(__u32 ifindex, const __be32 dest[4], __be32 source[4])
{
	struct owners owners;
	int err = find_owners(ifindex, dest, &owners);

	if (!err && owners.owner && owners.owner != ifindex)
		memcpy(source, owners.source, sizeof(owners.source));
	else
		memset(source, 0, sizeof(owners.source));
	return err;
}

/*
 * To another netdev of this host, which the kernel's routes would not have left it for: as if both
 * were cabled to each other, or to one switch.
 */
static int cross(struct xrdma_route *route, const struct owners *owners)
{
	char text[INET6_ADDRSTRLEN];
	struct xrdma_netdev netdev;
	int err = xrdma_netdev_query(owners->owner, &netdev);

	if (err)
		return xrdma_fail(-err, "cannot ask for the netdev of %s: %s",
				  xrdma_addr_print(route->dest, text), strerror(-err));
	if (owners->owner == route->ifindex)
		return xrdma_fail(ENETUNREACH,
				  "%s is the device's own address: no packet leaves for that, use "
				  "two netdevs that are cabled to each other",
				  xrdma_addr_print(route->dest, text));
	if (!netdev.is_ethernet || netdev.is_loopback)
		return xrdma_fail(
			ENETUNREACH,
			"%s is an address of %s, to which no frame goes from another netdev",
			xrdma_addr_print(route->dest, text), netdev.name);
	route->is_cable = route->has_mac = true;
	memcpy(route->mac, netdev.mac, sizeof(route->mac));
	if (xrdma_addr_is_unset(route->source))
		memcpy(route->source, owners->source, sizeof(route->source));
	return 0;
}

int xrdma_route_resolve(struct xrdma_route *route)
{
	struct owners owners;
	struct hop hop;
	int err = find_owners(route->ifindex, route->dest, &owners);

	if (err)
		return err;
	if (owners.owner)
		return cross(route, &owners);
	err = find_hop(route, &hop);
	if (!err)
		err = find_neighbour(route, &hop);
	if (!err && xrdma_addr_is_unset(route->source))
		memcpy(route->source, hop.source, sizeof(route->source));
	return err;
}

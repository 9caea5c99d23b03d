// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "neigh.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "addr.h"
#include "error.h"

enum { WAIT_S = 4, PAUSE_MS = 1 };

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

static const char *print(const __be32 addr[4], char text[INET6_ADDRSTRLEN])
{
	struct address address = kernel_address(addr);

	return inet_ntop(address.family, address.bytes, text, INET6_ADDRSTRLEN);
}

static void take(__be32 addr[4], const struct nlattr *attr)
{
	xrdma_addr_set(addr, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

/* Send REQUEST and hand the answer to VISIT. Returns 0 or -errno. */
static int ask(struct nlmsghdr *request, mnl_cb_t visit, void *arg)
{
	char answer[8192];
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int err = 0;
	ssize_t len;

	if (!socket)
		return -errno;
	request->nlmsg_seq = 1;
	request->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		err = -errno;
	while (!err) {
		len = mnl_socket_recvfrom(socket, answer, sizeof(answer));
		if (len < 0)
			err = -errno;
		else if (mnl_cb_run(answer, len, request->nlmsg_seq, 0, visit, arg) < 0)
			err = -errno;
		else if (((struct nlmsghdr *)answer)->nlmsg_type == NLMSG_ERROR)
			break;
	}
	mnl_socket_close(socket);
	return err;
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
	return ask(request, read_route, hop);
}

/* Without an entry in the table the kernel takes an IPv4 address to be on the link, so that is asked for first. */
static int find_hop(const struct xrdma_route *route, struct hop *hop)
{
	char text[INET6_ADDRSTRLEN];
	int err = ask_route(route, RTM_F_FIB_MATCH, hop);

	if (!err)
		err = ask_route(route, 0, hop);
	if (err && err != -ENETUNREACH && err != -EHOSTUNREACH)
		return xrdma_fail(-err, "cannot ask for the route to %s: %s",
				  print(route->dest, text), strerror(-err));
	if (err || hop->type != RTN_UNICAST || hop->ifindex != route->ifindex)
		return xrdma_fail(ENETUNREACH, "the device has no route to %s: see ip route get",
				  print(route->dest, text));
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

static int ask_neighbour(__u16 type, __u32 ifindex, const struct hop *hop,
			 struct neighbour *neighbour)
{
	struct address via = kernel_address(hop->via);
	char buffer[256];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ndmsg *entry = mnl_nlmsg_put_extra_header(request, sizeof(*entry));

	request->nlmsg_type = type;
	entry->ndm_family = via.family;
	entry->ndm_ifindex = ifindex;
	if (type == RTM_NEWNEIGH) { /* as if a packet were on its way there */
		request->nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
		entry->ndm_flags = NTF_USE;
		entry->ndm_state = NUD_NONE;
	}
	mnl_attr_put(request, NDA_DST, via.len, via.bytes);
	memset(neighbour, 0, sizeof(*neighbour));
	return ask(request, read_neighbour, neighbour);
}

static bool is_known(const struct neighbour *neighbour)
{
	return neighbour->state &
	       (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY);
}

static bool is_late(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - start->tv_sec >= WAIT_S;
}

static int find_neighbour(struct xrdma_route *route, const struct hop *hop)
{
	char text[INET6_ADDRSTRLEN];
	struct neighbour neighbour;
	struct timespec start;
	int err = ask_neighbour(RTM_GETNEIGH, route->ifindex, hop, &neighbour);

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (err == -ENOENT || (!err && !is_known(&neighbour)))
		err = ask_neighbour(RTM_NEWNEIGH, route->ifindex, hop, &neighbour);
	while (!err && !is_known(&neighbour) && !(neighbour.state & NUD_FAILED) &&
	       !is_late(&start)) {
		poll(NULL, 0, PAUSE_MS);
		err = ask_neighbour(RTM_GETNEIGH, route->ifindex, hop, &neighbour);
	}
	if (err)
		return xrdma_fail(-err, "cannot ask for the neighbour %s: %s",
				  print(hop->via, text), strerror(-err));
	if (!is_known(&neighbour))
		return xrdma_fail(EHOSTUNREACH, "the neighbour %s does not answer",
				  print(hop->via, text));
	memcpy(route->mac, neighbour.mac, sizeof(route->mac));
	return 0;
}

int xrdma_route_resolve(struct xrdma_route *route)
{
	struct hop hop;
	int err = find_hop(route, &hop);

	if (!err)
		err = find_neighbour(route, &hop);
	if (!err && xrdma_addr_is_unset(route->source))
		memcpy(route->source, hop.source, sizeof(route->source));
	return err;
}

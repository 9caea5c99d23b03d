// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/path.h"

#include <errno.h>

#include "lib/addr.h"
#include "dev/device.h"
#include "lib/error.h"
#include "net/ipsec.h"
#include "net/neigh.h"
#include "net/netdev.h"
#include "wire/header.h"

enum { FLOW_PORTS = 0xc000, FLOW_PORTS_COUNT = 0x4000, FLOW_PORTS_TRIED = 64 };

/*
 * What the longest packet has beside its payload: IP header, UDP, BTH, RETH, immediate data, ICRC.
 */
static int overhead(bool ipv4)
{
	return (ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + sizeof(struct udphdr) +
	       sizeof(struct xrdma_bth) + sizeof(struct xrdma_reth) + sizeof(struct xrdma_immdt) +
	       XRDMA_ICRC_LEN;
}

/* Returns 0 or -ENODEV. */
static int query(const struct xrdma_context *context, struct xrdma_netdev *netdev)
{
	int err = xrdma_netdev_query(context->device.ifindex, netdev);

	return err ? xrdma_fail(-err, "the context's netdev has gone") : 0;
}

/* What the route carries counts where there is one: who connects is told elsewhere. */
int xrdma_path_mtu(const struct xrdma_context *context, const __be32 dest[4])
{
	struct xrdma_netdev netdev;
	int fits = XRDMA_MTU_MAX, err = query(context, &netdev), mtu;

	if (err)
		return err;
	mtu = xrdma_route_mtu(netdev.ifindex, dest);
	if (mtu < 0)
		mtu = netdev.mtu;
	while (fits > XRDMA_MTU_MIN && fits + overhead(xrdma_addr_is_ipv4(dest)) > mtu)
		fits /= 2;
	return fits;
}

/* Of the route. The responder answers by the netdev, which has one too, but for what is local. */
static int check_mtu(const struct xrdma_netdev *netdev, const struct xrdma_route *route,
		     __u16 path_mtu)
{
	int needs = path_mtu + overhead(xrdma_addr_is_ipv4(route->dest));
	int mtu = xrdma_route_mtu(route->ifindex, route->dest);
	char text[INET6_ADDRSTRLEN];

	if (mtu < 0)
		return mtu;
	if (needs > (int)netdev->mtu && !route->is_local)
		return xrdma_fail(EINVAL,
				  "path_mtu %u needs packets of %d bytes, but the MTU of %s is %u",
				  path_mtu, needs, netdev->name, netdev->mtu);
	if (needs > mtu)
		return xrdma_fail(
			EINVAL,
			"path_mtu %u needs packets of %d bytes, but the route to %s has an MTU of "
			"%d",
			path_mtu, needs, xrdma_addr_print(route->dest, text), mtu);
	return 0;
}

/* An address that is looked for among those of netdevs. */
struct search {
	__u32 ifindex;
	const __be32 *addr;
	bool found;
};

static void compare(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct search *search = arg;

	if (ifindex == search->ifindex && !memcmp(addr, search->addr, sizeof(__be32[4])))
		search->found = true;
}

int xrdma_path_check_source(const struct xrdma_context *context, const __be32 source[4])
{
	struct search search = { .ifindex = context->device.ifindex, .addr = source };
	char name[IF_NAMESIZE];
	int err = xrdma_device_refresh(&context->device);

	if (err)
		return err;
	err = xrdma_netdev_addrs(compare, &search);
	if (err)
		return xrdma_fail(-err, "cannot ask for addresses: %s", strerror(-err));
	if (search.found)
		return 0;
	return xrdma_fail(EADDRNOTAVAIL,
			  "the source address is none of the device's: see xrdma status %s",
			  if_indextoname(context->device.ifindex, name) ? name : "");
}

static int check_source(const struct xrdma_context *context, const struct xrdma_route *route)
{
	if (xrdma_addr_is_ipv4(route->source) != xrdma_addr_is_ipv4(route->dest))
		return xrdma_fail(EADDRNOTAVAIL,
				  "source and destination are not both IPv4 or IPv6");
	return xrdma_path_check_source(context, route->source);
}

/* Packets that stay on this host go by lo, to which the kernel applies no policy by default. */
static int check_ipsec(const struct xrdma_route *route)
{
	struct xrdma_ipsec_path path = { .ifindex = route->ifindex };

	memcpy(path.ours, route->source, sizeof(path.ours));
	memcpy(path.peer, route->dest, sizeof(path.peer));
	return route->is_local ? 0 : xrdma_ipsec_check(&path);
}

static int resolve(const struct xrdma_context *context, const struct xrdma_qp_attr *attr,
		   struct xrdma_route *route, struct xrdma_netdev *netdev)
{
	int err = query(context, netdev);

	*route = (struct xrdma_route){ .ifindex = context->device.ifindex };
	memcpy(route->dest, attr->av.dest, sizeof(route->dest));
	memcpy(route->source, attr->av.source, sizeof(route->source));
	if (!err && !xrdma_addr_is_unset(route->source))
		err = check_source(context, route);
	if (!err)
		err = xrdma_route_resolve(route);
	if (!err)
		err = check_source(context, route);
	if (!err)
		err = check_ipsec(route);
	return err ?: check_mtu(netdev, route, attr->path_mtu);
}

/* A flow of its own for each connection, in the range that A17.9.2.2 suggests. */
static __u16 flow_port(__u32 qpn, __u32 dest_qpn, __u32 attempt)
{
	return FLOW_PORTS | (((qpn ^ dest_qpn ^ dest_qpn >> 14) * 2654435761U >> 18) + attempt) %
				    FLOW_PORTS_COUNT;
}

/*
 * By the source port that the queue pair is to have, or by one that is free. If somebody holds
 * those of the range, the kernel chooses one.
 */
static int open_socket(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, bool is_local,
		       struct xrdma_path *path)
{
	struct xrdma_udp_attr udp = {
		.ifindex = qp->pd->context->device.ifindex,
		.is_local = is_local,
		.sport = attr->av.udp_sport,
		.tclass = attr->av.tclass,
		.hop_limit = path->hop_limit,
	};
	int err;

	memcpy(udp.dest, attr->av.dest, sizeof(udp.dest));
	memcpy(udp.source, path->source, sizeof(udp.source));
	for (__u32 i = 0;; i++) {
		if (!attr->av.udp_sport)
			udp.sport = flow_port(qp->qpn, attr->dest_qpn, i);
		err = xrdma_udp_open(&path->udp, &udp);
		if (err != -EADDRINUSE || attr->av.udp_sport || i == FLOW_PORTS_TRIED)
			break;
	}
	if (err == -EADDRINUSE && !attr->av.udp_sport) {
		udp.sport = 0;
		err = xrdma_udp_open(&path->udp, &udp);
	}
	path->udp_sport = path->udp.sport;
	return err;
}

void xrdma_path_set_peer_sport(struct xrdma_qp *qp, __u16 sport)
{
	const __u32 is = qp->attr.av.any_peer_sport ? XRDMA_SPORT_ANY : sport;

	qp->attr.av.peer_sport = sport;
	XRDMA_WRITE(qp->row->resp.peer_sport, is);
	XRDMA_WRITE(qp->row->req.peer_sport, is);
}

int xrdma_path_open(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
		    struct xrdma_path *path)
{
	struct xrdma_netdev netdev;
	struct xrdma_route route;
	int err = resolve(qp->pd->context, attr, &route, &netdev);

	if (err)
		return err;
	*path = (struct xrdma_path){
		.hop_limit = attr->av.hop_limit ?: XRDMA_HOP_LIMIT,
		.next_hop = { .is_known = route.has_mac },
	};
	memcpy(path->source, route.source, sizeof(path->source));
	memcpy(path->next_hop.mac, route.mac, sizeof(path->next_hop.mac));
	memcpy(path->next_hop.own_mac, netdev.mac, sizeof(path->next_hop.own_mac));
	return open_socket(qp, attr, route.is_local, path);
}

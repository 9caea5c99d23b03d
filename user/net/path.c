// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/path.h"

#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "net/ipsec.h"
#include "net/neigh.h"
#include "net/netdev.h"
#include "wire/header.h"

/*
 * Return the bytes of the longest packet without its payload: IP header, UDP, BTH, RETH, immediate
 * data, ICRC.
 */
static int overhead(const __be32 dest[4])
{
	const size_t ip = xrdma_addr_is_ipv4(dest) ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

	return ip + sizeof(struct udphdr) + sizeof(struct xrdma_bth) + sizeof(struct xrdma_reth) +
	       sizeof(struct xrdma_immdt) + XRDMA_ICRC_LEN;
}

/* Query the netdev IFINDEX. Returns 0 or -ENODEV. */
static int query(__u32 ifindex, struct xrdma_netdev *netdev)
{
	int err = xrdma_netdev_query(ifindex, netdev);

	return err ? xrdma_fail(-err, "the context's netdev is gone") : 0;
}

/* Returns the largest path MTU whose packets, with so many bytes of HEADERS, fit into MTU bytes. */
static int fit(int mtu, int headers)
{
	int fits = XRDMA_MTU_MAX;

	while (fits > XRDMA_MTU_MIN && fits + headers > mtu)
		fits /= 2;
	return fits;
}

int xrdma_port_mtu(__u32 ifindex)
{
	static const __be32 any[4]; /* IPv6, whose headers are longer */
	struct xrdma_netdev netdev;
	int err = query(ifindex, &netdev);

	return err ? err : fit(netdev.mtu, overhead(any));
}

/*
 * Return the path MTU. If the route has an MTU, it counts even if it is larger than that of the
 * netdev.
 */
int xrdma_path_mtu(__u32 ifindex, const __be32 dest[4])
{
	struct xrdma_netdev netdev;
	int err = query(ifindex, &netdev), mtu;

	if (err)
		return err;
	mtu = xrdma_route_mtu(ifindex, dest);
	if (mtu < 0)
		mtu = netdev.mtu;
	return fit(mtu, overhead(dest));
}

/*
 * Check the path MTU. Requests follow the route. Responses leave by the netdev, so its MTU limits
 * them, too, unless both ends are on this host.
 */
static int check_mtu(const struct xrdma_path *path, const struct xrdma_netdev *netdev)
{
	int needs = path->mtu + overhead(path->dest);
	int mtu = xrdma_route_mtu(path->ifindex, path->dest);
	char text[INET6_ADDRSTRLEN];

	if (mtu < 0)
		return mtu;
	if (needs > (int)netdev->mtu && !path->is_local)
		return xrdma_fail(EINVAL,
				  "path_mtu %u needs packets of %d bytes, but the MTU of %s is %u",
				  path->mtu, needs, netdev->name, netdev->mtu);
	if (needs > mtu)
		return xrdma_fail(
			EINVAL,
			"path_mtu %u needs packets of %d bytes, but the route to %s has an MTU of "
			"%d",
			path->mtu, needs, xrdma_addr_print(path->dest, text), mtu);
	return 0;
}

/* A search for ADDR among the addresses of the netdev IFINDEX. */
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

int xrdma_path_check_source(__u32 ifindex, const __be32 source[4])
{
	struct search search = { .ifindex = ifindex, .addr = source };
	char name[IF_NAMESIZE];
	int err = xrdma_netdev_addrs(compare, &search);

	if (err)
		return xrdma_fail(-err, "cannot request the netdev's addresses: %s",
				  strerror(-err));
	if (search.found)
		return 0;
	return xrdma_fail(EADDRNOTAVAIL,
			  "the source address is not one of the device: see xrdma status %s",
			  if_indextoname(ifindex, name) ? name : "");
}

static int check_source(const struct xrdma_path *path)
{
	if (xrdma_addr_is_ipv4(path->source) != xrdma_addr_is_ipv4(path->dest))
		return xrdma_fail(EADDRNOTAVAIL,
				  "source and destination must both be IPv4, or both IPv6");
	return xrdma_path_check_source(path->ifindex, path->source);
}

/*
 * Check for IPsec policies. Packets that stay on this host use lo, to which the kernel applies none
 * by default.
 */
static int check_ipsec(const struct xrdma_path *path)
{
	struct xrdma_ipsec_path ipsec = { .ifindex = path->ifindex };

	memcpy(ipsec.ours, path->source, sizeof(ipsec.ours));
	memcpy(ipsec.peer, path->dest, sizeof(ipsec.peer));
	return path->is_local ? 0 : xrdma_ipsec_check(&ipsec);
}

static int find_route(struct xrdma_path *path)
{
	struct xrdma_route route = { .ifindex = path->ifindex };
	int err;

	memcpy(route.dest, path->dest, sizeof(route.dest));
	memcpy(route.source, path->source, sizeof(route.source));
	err = xrdma_route_resolve(&route);
	if (err)
		return err;
	memcpy(path->source, route.source, sizeof(path->source));
	memcpy(path->dest_mac, route.mac, sizeof(path->dest_mac));
	path->is_local = route.is_local;
	path->has_mac = route.has_mac;
	return 0;
}

int xrdma_path_resolve(struct xrdma_path *path)
{
	struct xrdma_netdev netdev;
	int err = query(path->ifindex, &netdev);

	if (!err && !xrdma_addr_is_unset(path->source))
		err = check_source(path);
	if (!err)
		err = find_route(path);
	if (!err)
		err = check_source(path);
	if (!err)
		err = check_ipsec(path);
	if (err)
		return err;
	memcpy(path->source_mac, netdev.mac, sizeof(path->source_mac));
	return check_mtu(path, &netdev);
}

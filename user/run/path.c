// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/path.h"

#include <errno.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "lib/addr.h"
#include "dev/device.h"
#include "lib/error.h"
#include "net/netdev.h"

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

int xrdma_path_mtu(const struct xrdma_context *context, bool ipv4)
{
	struct xrdma_netdev netdev;
	int fits = XRDMA_MTU_MAX, err = query(context, &netdev);

	if (err)
		return err;
	while (fits > XRDMA_MTU_MIN && fits + overhead(ipv4) > (int)netdev.mtu)
		fits /= 2;
	return fits;
}

static int check_mtu(const struct xrdma_netdev *netdev, const struct xrdma_qp_attr *attr)
{
	int needs = attr->path_mtu + overhead(xrdma_addr_is_ipv4(attr->av.dest));

	if (needs <= (int)netdev->mtu)
		return 0;
	return xrdma_fail(EINVAL, "path_mtu %u needs packets of %d bytes, but the MTU of %s is %u",
			  attr->path_mtu, needs, netdev->name, netdev->mtu);
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

int xrdma_path_resolve(const struct xrdma_context *context, const struct xrdma_qp_attr *attr,
		       struct xrdma_path *path)
{
	struct xrdma_route *route = &path->route;
	struct xrdma_netdev netdev;
	int err = query(context, &netdev);

	*route = (struct xrdma_route){ .ifindex = context->device.ifindex };
	memcpy(route->dest, attr->av.dest, sizeof(route->dest));
	memcpy(route->source, attr->av.source, sizeof(route->source));
	if (!err)
		err = check_mtu(&netdev, attr);
	if (!err && !xrdma_addr_is_unset(route->source))
		err = check_source(context, route);
	if (!err)
		err = xrdma_route_resolve(route);
	if (!err)
		err = check_source(context, route);
	memcpy(path->own_mac, netdev.mac, sizeof(path->own_mac));
	return err;
}

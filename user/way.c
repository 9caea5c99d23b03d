// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "way.h"

#include <errno.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "addr.h"
#include "device.h"
#include "error.h"
#include "netdev.h"

/* What the longest packet has beside its payload: IP header, UDP, BTH, RETH, immediate data, ICRC. */
static int overhead(bool ipv4)
{
	return (ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + sizeof(struct udphdr) +
	       sizeof(struct xrdma_bth) + sizeof(struct xrdma_reth) + sizeof(struct xrdma_immdt) +
	       XRDMA_ICRC_LEN;
}

/* Or -ENODEV. */
static int netdev_mtu(const char *device)
{
	int mtu = xrdma_netdev_mtu(device);

	return mtu < 0 ? xrdma_fail(-mtu, "the netdev %s has gone", device) : mtu;
}

int xrdma_way_mtu(const char *device, bool ipv4)
{
	int fits = XRDMA_MTU_MAX, mtu = netdev_mtu(device);

	if (mtu < 0)
		return mtu;
	while (fits > XRDMA_MTU_MIN && fits + overhead(ipv4) > mtu)
		fits /= 2;
	return fits;
}

static int check_mtu(const char *device, const struct xrdma_qp_attr *attr)
{
	int needs = attr->path_mtu + overhead(xrdma_addr_is_ipv4(attr->av.dest));
	int mtu = netdev_mtu(device);

	if (mtu < 0)
		return mtu;
	if (needs > mtu)
		return xrdma_fail(EINVAL,
				  "path_mtu %u needs packets of %d bytes, but the MTU of %s is %d",
				  attr->path_mtu, needs, device, mtu);
	return 0;
}

int xrdma_way_check_source(const char *device, const __be32 source[4])
{
	struct xrdma_device_row row;
	int err = xrdma_device_refresh(device, &row);

	if (err)
		return err;
	for (__u32 i = 0; i < row.addr_count; i++)
		if (!memcmp(row.addrs[i], source, sizeof(row.addrs[i])))
			return 0;
	return xrdma_fail(EADDRNOTAVAIL,
			  "the source address is none of the device's: see xrdma status %s",
			  device);
}

static int check_source(const char *device, const struct xrdma_route *route)
{
	if (xrdma_addr_is_ipv4(route->source) != xrdma_addr_is_ipv4(route->dest))
		return xrdma_fail(EADDRNOTAVAIL,
				  "source and destination are not both IPv4 or IPv6");
	return xrdma_way_check_source(device, route->source);
}

int xrdma_way_find(const struct xrdma_context *context, const struct xrdma_qp_attr *attr,
		   struct xrdma_way *way)
{
	struct xrdma_route *route = &way->route;
	int err = check_mtu(context->device, attr);

	*route = (struct xrdma_route){ .ifindex = context->ifindex };
	memcpy(route->dest, attr->av.dest, sizeof(route->dest));
	memcpy(route->source, attr->av.source, sizeof(route->source));
	if (!err && !xrdma_addr_is_unset(route->source))
		err = check_source(context->device, route);
	if (!err)
		err = xrdma_route_resolve(route);
	if (!err)
		err = check_source(context->device, route);
	return err ? err : xrdma_netdev_mac(context->device, way->own_mac);
}

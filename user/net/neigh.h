/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Read routes and neighbours from the kernel by rtnetlink. Thread safe. */
#ifndef XRDMA_USER_NET_NEIGH_H
#define XRDMA_USER_NET_NEIGH_H

#include <linux/types.h>
#include <stdbool.h>

struct xrdma_route {
	__u32 ifindex;	  /* the netdev that packets must leave by */
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* all 0: filled in with the preferred source of the route */
	/* Filled in: */
	bool is_local; /* DEST is an address of this host: packets go through lo */
	bool has_mac;  /* the kernel knows the MAC address of the next hop now */
	__u8 mac[6];
	__u32 mtu; /* bytes of the longest IP packet, see xrdma_route_mtu() */
};

/*
 * Find the next hop to DEST, and its MAC address if the kernel knows it. If DEST is an address of
 * this host, set IS_LOCAL instead. Returns 0 or, with xrdma_error() set, -ENETUNREACH or another
 * error of netlink.
 */
int xrdma_route_resolve(struct xrdma_route *route);

/*
 * Returns the length in bytes of the longest IP packet from the netdev IFINDEX to DEST, or through
 * lo if DEST is an address of this host. This is the configured MTU of the route or the netdev.
 * ICMP messages do not change it, because anybody can forge them. Returns -errno on error, with
 * xrdma_error() set.
 */
int xrdma_route_mtu(__u32 ifindex, const __be32 dest[4]);

/*
 * Returns whether packets to DEST stay on this host. For a link-local address, IFINDEX is its
 * netdev.
 */
bool xrdma_route_is_local(__u32 ifindex, const __be32 dest[4]);

/*
 * Set SOURCE to the address by which the netdev IFINDEX reaches DEST, an address of this host. This
 * is DEST itself if IFINDEX has it, and otherwise IFINDEX's first address of that family. If DEST
 * is not an address of this host, SOURCE becomes all 0. Returns 0 or, with xrdma_error() set, an
 * error of netlink.
 */
int xrdma_route_source(__u32 ifindex, const __be32 dest[4], __be32 source[4]);

/*
 * Call VISIT for each neighbour whose MAC address the kernel knows, with the netdev of the
 * neighbour. Returns 0 or an error of netlink.
 */
int xrdma_neighbours(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg);

#endif

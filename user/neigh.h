/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Routes and neighbours, asked of the kernel by rtnetlink. Thread safe. */
#ifndef XRDMA_USER_NEIGH_H
#define XRDMA_USER_NEIGH_H

#include <linux/types.h>

struct xrdma_route {
	__u32 ifindex;	  /* the netdev that it must leave by */
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* all 0: xrdma_route_resolve() fills in what the route prefers */
	__u8 mac[6];	  /* filled in: of the next hop */
};

/*
 * Find the next hop to DEST, and its MAC address; when the kernel does not know that, have it asked for, which takes
 * up to 4 s. Returns 0 or, with xrdma_error() set, -ENETUNREACH, -EHOSTUNREACH, or what netlink said.
 */
int xrdma_route_resolve(struct xrdma_route *route);

#endif

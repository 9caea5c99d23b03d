/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Routes and neighbours, as the kernel says by rtnetlink. Thread safe. */
#ifndef XRDMA_USER_NET_NEIGH_H
#define XRDMA_USER_NET_NEIGH_H

#include <linux/types.h>
#include <stdbool.h>

struct xrdma_route {
	__u32 ifindex;	  /* the netdev that it must leave by */
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* all 0: xrdma_route_resolve() fills in what the route prefers */
	/* Filled in: */
	bool is_local; /* DEST is this host's: packets go by lo */
	bool has_mac;  /* else: the kernel knows, now, that of the next hop */
	__u8 mac[6];
	__u32 mtu; /* bytes of the longest IP packet, as at xrdma_route_mtu() */
};

/*
 * Find the next hop to DEST, and its MAC address if the kernel knows it; or that there is none, as
 * DEST is this host's. Returns 0 or, with xrdma_error() set, -ENETUNREACH or what netlink said.
 */
int xrdma_route_resolve(struct xrdma_route *route);

/*
 * Returns the longest IP packet that goes from the netdev IFINDEX to DEST, or by lo if DEST is this
 * host's, in bytes. It is what the administrator has set, for the route or else for the netdev, and
 * not what ICMP messages say, which anybody can forge. Or -errno, with xrdma_error() set.
 */
int xrdma_route_mtu(__u32 ifindex, const __be32 dest[4]);

/* Whether packets to DEST stay on this host. IFINDEX: the netdev of a link-local address. */
bool xrdma_route_is_local(__u32 ifindex, const __be32 dest[4]);

/*
 * SOURCE becomes the address that IFINDEX goes to DEST by, where that is this host's: DEST, if it
 * has that, else its first of the family. Else it is all 0. Returns 0 or what netlink said, with
 * xrdma_error() set.
 */
int xrdma_route_source(__u32 ifindex, const __be32 dest[4], __be32 source[4]);

/*
 * Call VISIT with each neighbour whose MAC address the kernel knows, and the netdev that it is
 * behind. Returns 0 or what netlink said.
 */
int xrdma_neighbours(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg);

#endif

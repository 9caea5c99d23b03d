/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The path of packets to one destination: their addresses, their next hop, and the fields of their
 * IP and UDP headers. A path belongs to no queue pair and has no socket. Thread safe.
 */
#ifndef XRDMA_USER_NET_PATH_H
#define XRDMA_USER_NET_PATH_H

#include <linux/types.h>
#include <stdbool.h>

#include "lib/addr.h"

struct xrdma_path {
	__u32 ifindex;	  /* netdev of the packets */
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* address of IFINDEX */
	__u16 mtu;	  /* path MTU: bytes of the longest payload of a packet */
	__u16 udp_sport;  /* source port; 0: xrdma_udp_open() chooses one */
	__u8 tclass;
	__u8 hop_limit;
	bool is_local;	    /* DEST is an address of this host: packets leave by lo */
	bool has_mac;	    /* the MAC address of the next hop is known */
	__u8 dest_mac[6];   /* of the next hop */
	__u8 source_mac[6]; /* of IFINDEX */
};

static inline bool xrdma_path_is_ipv4(const struct xrdma_path *path)
{
	return xrdma_addr_is_ipv4(path->dest);
}

/*
 * Find the route from PATH->ifindex to PATH->dest and write the rest of PATH: is_local, the MAC
 * addresses, and the source address that the route prefers if PATH->source is all 0. Returns 0 or,
 * with xrdma_error() set:
 *
 * -ENODEV: the netdev is gone.
 * -ENETUNREACH: there is no route.
 * -EADDRNOTAVAIL: the source address is not an address of the netdev, or of another IP version than
 *  the destination.
 * -EACCES: an IPsec policy protects or blocks such packets (net/ipsec.h).
 * -EINVAL: packets with a payload of PATH->mtu bytes are longer than netdev or route allow.
 */
int xrdma_path_resolve(struct xrdma_path *path);

/*
 * Check that the netdev IFINDEX has the address SOURCE. Returns 0 or, with xrdma_error() set,
 * -EADDRNOTAVAIL.
 */
int xrdma_path_check_source(__u32 ifindex, const __be32 source[4]);

/*
 * Return the largest path MTU whose packets the netdev IFINDEX, and the route to DEST if there is
 * one, allow. The result is at least XRDMA_MTU_MIN. Or return -ENODEV with xrdma_error() set.
 */
int xrdma_path_mtu(__u32 ifindex, const __be32 dest[4]);

/*
 * Return the largest path MTU whose packets the netdev IFINDEX allows, to any destination.
 * Otherwise like xrdma_path_mtu().
 */
int xrdma_port_mtu(__u32 ifindex);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The netdevs of the caller's network namespace, from the kernel. Thread safe. */
#ifndef XRDMA_USER_NET_NETDEV_H
#define XRDMA_USER_NET_NETDEV_H

#include <linux/types.h>
#include <net/if.h>
#include <stdbool.h>

enum { XRDMA_LO = 1 }; /* ifindex of lo, in every network namespace */

struct xrdma_netdev {
	__u32 ifindex;
	char name[IF_NAMESIZE];
	bool is_ethernet; /* its frames are Ethernet frames, as on lo */
	bool is_ip;	  /* its frames are IP packets: tun, WireGuard, IP in IPv4 */
	bool is_veth;
	bool is_running; /* netdev and link are up */
	__u8 mac[6];
	__u32 mtu; /* bytes of the longest IP packet */
	__u64 tx_packets;
};

/* Query a netdev. Returns 0, -ENODEV (none has IFINDEX), or an error of netlink. */
int xrdma_netdev_query(__u32 ifindex, struct xrdma_netdev *netdev);

/*
 * Call VISIT with each address, IPv4 as ::ffff:a.b.c.d, and its netdev. Tentative addresses and
 * duplicates are skipped (RFC 4862, 5.4). Returns 0 or an error of netlink.
 */
int xrdma_netdev_addrs(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg);

/*
 * Returns whether the netdev NAME removes VLAN tags from received frames (ethtool's rxvlan), so
 * that XDP does not see them.
 */
bool xrdma_netdev_takes_tags(const char *name);

/*
 * Turn the removal of VLAN tags on or off. Needs CAP_NET_ADMIN. Returns 0 or -errno: some drivers
 * cannot change it.
 */
int xrdma_netdev_take_tags(const char *name, bool take);

/*
 * Return the cookie of the caller's network namespace in *COOKIE. Returns 0, or -errno with
 * xrdma_error() set.
 */
int xrdma_netns_cookie(__u64 *cookie);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the kernel says of the netdevs of the caller's network namespace. Thread safe. */
#ifndef XRDMA_USER_NET_NETDEV_H
#define XRDMA_USER_NET_NETDEV_H

#include <linux/types.h>
#include <net/if.h>
#include <stdbool.h>

enum { XRDMA_LO = 1 }; /* the ifindex of lo, in every network namespace */

struct xrdma_netdev {
	__u32 ifindex;
	char name[IF_NAMESIZE];
	bool is_ethernet; /* its frames are Ethernet's, as lo's too */
	bool is_ip;	  /* its frames are IP packets: tun, WireGuard, IP in IPv4 */
	bool is_veth;
	bool is_running; /* up, and so is its link */
	__u8 mac[6];
	__u32 mtu; /* bytes of the longest IP packet */
	__u64 tx_packets;
};

/* Returns 0, -ENODEV (none has IFINDEX), or what netlink said. */
int xrdma_netdev_query(__u32 ifindex, struct xrdma_netdev *netdev);

/*
 * Call VISIT with each address, IPv4 as ::ffff:a.b.c.d, and the netdev that has it; not with one
 * that is still being looked for elsewhere, or was found there (RFC 4862, 5.4). Returns 0 or what
 * netlink said.
 */
int xrdma_netdev_addrs(void (*visit)(__u32 ifindex, const __be32 addr[4], void *arg), void *arg);

/*
 * Whether the netdev NAME takes VLAN tags off what it receives (ethtool's rxvlan), so that XDP does
 * not see them.
 */
bool xrdma_netdev_takes_tags(const char *name);

/* Have it do so, or not. Needs CAP_NET_ADMIN. Returns 0 or -errno: for some it is fixed. */
int xrdma_netdev_take_tags(const char *name, bool take);

/*
 * *COOKIE becomes the cookie of the caller's network namespace. Returns 0, or -errno with
 * xrdma_error() set.
 */
int xrdma_netns_cookie(__u64 *cookie);

#endif

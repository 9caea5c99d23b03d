/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the kernel says of a netdev of the caller's network namespace. */
#ifndef XRDMA_USER_NETDEV_H
#define XRDMA_USER_NETDEV_H

#include <stdbool.h>

#include <xrdma/abi.h>

struct xrdma_netdev {
	__u8 mac[6];
	__u32 tx_packets;
	__u32 addr_count;
	__be32 addrs[XRDMA_ADDRS_MAX][4]; /* IPv4 as ::ffff:a.b.c.d */
};

/* Returns 0, -ENODEV (there is no NAME), -EPFNOSUPPORT (its frames are not Ethernet's), or what getifaddrs() said. */
int xrdma_netdev_query(const char *name, struct xrdma_netdev *netdev);

bool xrdma_netdev_is_veth(const char *name);

/* Bytes of the longest IP packet. Or -ENODEV. */
int xrdma_netdev_mtu(const char *name);

/* Its MAC address. Returns 0 or -ENODEV. */
int xrdma_netdev_mac(const char *name, __u8 mac[6]);

/* The cookie of the caller's network namespace. */
__u64 xrdma_netns_cookie(void);

#endif

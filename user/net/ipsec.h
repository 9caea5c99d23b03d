/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Check the host's IPsec policies. The programs bypass them: RoCE packets arrive before the kernel
 * applies a policy, and responses leave without one. Thread safe.
 */
#ifndef XRDMA_USER_NET_IPSEC_H
#define XRDMA_USER_NET_IPSEC_H

#include <linux/types.h>

/* Path between two addresses. */
struct xrdma_ipsec_path {
	__u32 ifindex;
	__be32 ours[4]; /* IPv4 as ::ffff:a.b.c.d */
	__be32 peer[4];
};

/*
 * Check that the policies of the network namespace allow unprotected UDP packets between the two
 * addresses in both directions. Without CAP_NET_ADMIN the policies cannot be read, and this
 * function returns 0. Returns 0 or, with xrdma_error() set, -EACCES (a policy protects or blocks
 * these packets), or an error of netlink.
 *
 * Source: ip-xfrm(8), and xfrm_policy_lookup() of the kernel: of the policies that match, the one
 * with the lowest number of priority counts.
 */
int xrdma_ipsec_check(const struct xrdma_ipsec_path *path);

#endif

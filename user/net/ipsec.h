/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * IPsec, whose policies the programs do not see: RoCE packets arrive before the kernel looks at a
 * policy, and replies leave without one. Thread safe.
 */
#ifndef XRDMA_USER_NET_IPSEC_H
#define XRDMA_USER_NET_IPSEC_H

#include <linux/types.h>

/* The way between two addresses. */
struct xrdma_ipsec_path {
	__u32 ifindex;
	__be32 ours[4]; /* IPv4 as ::ffff:a.b.c.d */
	__be32 peer[4];
};

/*
 * Returns 0 if the policies of the network namespace let UDP packets between the two addresses pass
 * as they are, in both directions, or if they cannot be known: that needs CAP_NET_ADMIN. Or, with
 * xrdma_error() set, -EACCES (they are to be protected, or blocked), or what netlink said.
 *
 * Source: ip-xfrm(8), and xfrm_policy_lookup() of the kernel: of the policies that match, the one
 * with the lowest number of priority counts.
 */
int xrdma_ipsec_check(const struct xrdma_ipsec_path *path);

#endif

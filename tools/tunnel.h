/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * RoCE v2 packets that are carried by others: behind any VLAN tags, in VXLAN, Geneve, GRE, or IP in
 * IP.
 */
#ifndef XRDMA_TOOLS_TUNNEL_H
#define XRDMA_TOOLS_TUNNEL_H

#include <linux/types.h>
#include <stddef.h>

enum tunnel_kind {
	TUNNEL_NONE, /* nothing of the kind */
	TUNNEL_ROCE, /* leads to a RoCE v2 packet */
	/* May, but is one that is not looked into: RoCE v1, MPLS, PPPoE, MACsec, IPsec. */
	TUNNEL_CLOSED,
};

/* Where one leads to. */
struct tunnel {
	__u32 at;	  /* of the IP header in the frame */
	__be16 ethertype; /* of that */
	char via[64];	  /* what it goes through, as "VLAN VXLAN"; or what it ends at */
};

/* Follow the tunnels of an Ethernet frame, whose first LEN bytes are at BYTES. */
enum tunnel_kind tunnel_follow(const __u8 *bytes, size_t len, struct tunnel *tunnel);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Find RoCE v2 packets behind VLAN tags, and in tunnels: VXLAN, Geneve, GRE, or IP in IP. */
#ifndef XRDMA_TOOLS_TUNNEL_H
#define XRDMA_TOOLS_TUNNEL_H

#include <linux/types.h>
#include <stddef.h>

enum tunnel_kind {
	TUNNEL_NONE, /* no tunnel */
	TUNNEL_ROCE, /* a RoCE v2 packet was found */
	/*
	 * Another tunnel, which is not followed: RoCE v1, MPLS, PPPoE, MACsec, IPsec.
	 */
	TUNNEL_CLOSED,
};

/* Result of following the tunnels of a frame. */
struct tunnel {
	__u32 at;	  /* place of the IP header in the frame */
	__be16 ethertype; /* of the IP header */
	char via[64]; /* names of the tunnels ("VLAN VXLAN"), or of the one that is not followed */
};

/* Follow the tunnels of an Ethernet frame. Its first LEN bytes are at BYTES. */
enum tunnel_kind tunnel_follow(const __u8 *bytes, size_t len, struct tunnel *tunnel);

#endif

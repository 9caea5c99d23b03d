// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "tunnel.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <xrdma/abi/wire.h>

enum {
	LAYERS_MAX = 16,
	ROCE_V1 = 0x8915,
	QINQ_OLD = 0x9100,
	BRIDGED = 0x6558, /* an Ethernet frame follows (RFC 1701) */
	VXLAN_PORT = 4789,
	GENEVE_PORT = 6081,
	IP_FRAGMENT_OFFSET = 0x1fff,
};

/* Position in the frame, while tunnels are followed. */
struct walk {
	const __u8 *bytes;
	size_t len;
	size_t at;
	__u16 ethertype; /* of the header at this position */
	struct tunnel *tunnel;
};

static bool has(const struct walk *walk, size_t len)
{
	return walk->at + len <= walk->len;
}

static __u16 word(const struct walk *walk, size_t offset)
{
	const __u8 *at = walk->bytes + walk->at + offset;

	return at[0] << 8 | at[1];
}

static void add_name(const struct walk *walk, const char *name)
{
	char *via = walk->tunnel->via;

	if (*via)
		strncat(via, " ", sizeof(walk->tunnel->via) - strlen(via) - 1);
	strncat(via, name, sizeof(walk->tunnel->via) - strlen(via) - 1);
}

static enum tunnel_kind end_at(const struct walk *walk, const char *name)
{
	add_name(walk, name);
	return TUNNEL_CLOSED;
}

/* Read an Ethernet header, at the current position. */
static bool enter_ethernet(struct walk *walk)
{
	if (!has(walk, ETH_HLEN))
		return false;
	walk->ethertype = word(walk, offsetof(struct ethhdr, h_proto));
	walk->at += ETH_HLEN;
	return true;
}

/* Skip SKIP bytes. A header of type ETHERTYPE follows, and NAME is the tunnel's name. */
static bool enter(struct walk *walk, size_t skip, __u16 ethertype, const char *name)
{
	add_name(walk, name);
	walk->at += skip;
	walk->ethertype = ethertype;
	return ethertype != BRIDGED || enter_ethernet(walk);
}

/* Read a GRE header (RFC 2784, 2890). */
static bool enter_gre(struct walk *walk)
{
	__u16 flags;

	if (!has(walk, 4))
		return false;
	flags = word(walk, 0);
	if (flags & 0x4007) /* routing, or other versions */
		return false;
	return enter(walk, 4 + 4 * (!!(flags & 0x8000) + !!(flags & 0x2000) + !!(flags & 0x1000)),
		     word(walk, 2), "GRE");
}

/* Read a UDP header, and VXLAN or Geneve behind it (RFC 7348; RFC 8926). */
static bool enter_udp(struct walk *walk)
{
	__u16 port;

	if (!has(walk, 16))
		return false;
	port = word(walk, 2);
	if (port == VXLAN_PORT)
		return enter(walk, 16, BRIDGED, "VXLAN");
	if (port == GENEVE_PORT)
		return enter(walk, 16 + 4 * (walk->bytes[walk->at + 8] & 0x3f), word(walk, 10),
			     "Geneve");
	return false;
}

/* Read an IP header, and return its protocol. Returns 0 if it leads to no known tunnel. */
static __u8 enter_ip(struct walk *walk)
{
	const __u8 *ip = walk->bytes + walk->at;
	size_t len = sizeof(__u32) * 5;
	__u8 protocol;

	if (walk->ethertype == ETH_P_IPV6)
		len = 40;
	if (!has(walk, len))
		return 0;
	if (walk->ethertype == ETH_P_IPV6) {
		protocol = ip[6];
	} else {
		protocol = word(walk, 6) & IP_FRAGMENT_OFFSET ? 0 : ip[9];
		len = 4 * (ip[0] & 15);
	}
	walk->at += len;
	return protocol;
}

/* Read one IP header, and the tunnel in it. *MORE becomes true if another IP header may follow. */
static enum tunnel_kind follow_ip(struct walk *walk, bool *more)
{
	struct tunnel *tunnel = walk->tunnel;

	tunnel->at = walk->at;
	tunnel->ethertype = htons(walk->ethertype);
	*more = false;
	switch (enter_ip(walk)) {
	case IPPROTO_UDP:
		if (has(walk, 4) && word(walk, 2) == XRDMA_UDP_PORT)
			return TUNNEL_ROCE;
		*more = enter_udp(walk);
		break;
	case IPPROTO_IPIP:
		*more = enter(walk, 0, ETH_P_IP, "IPIP");
		break;
	case IPPROTO_IPV6:
		*more = enter(walk, 0, ETH_P_IPV6, "IPIP");
		break;
	case IPPROTO_GRE:
		*more = enter_gre(walk);
		break;
	case IPPROTO_ESP:
	case IPPROTO_AH:
		return end_at(walk, "IPsec");
	}
	return TUNNEL_NONE;
}

static enum tunnel_kind follow_layer(struct walk *walk, bool *more)
{
	*more = false;
	switch (walk->ethertype) {
	case ETH_P_8021Q:
	case ETH_P_8021AD:
	case QINQ_OLD:
		*more = has(walk, 4) && enter(walk, 4, word(walk, 2), "VLAN");
		return TUNNEL_NONE;
	case ETH_P_IP:
	case ETH_P_IPV6:
		return follow_ip(walk, more);
	case ROCE_V1:
		return end_at(walk, "RoCE v1");
	case ETH_P_MPLS_UC:
	case ETH_P_MPLS_MC:
		return end_at(walk, "MPLS");
	case ETH_P_PPP_SES:
		return end_at(walk, "PPPoE");
	case ETH_P_MACSEC:
		return end_at(walk, "MACsec");
	}
	return TUNNEL_NONE;
}

enum tunnel_kind tunnel_follow(const __u8 *bytes, size_t len, struct tunnel *tunnel)
{
	struct walk walk = { .bytes = bytes, .len = len, .tunnel = tunnel };
	enum tunnel_kind kind = TUNNEL_NONE;
	bool more = enter_ethernet(&walk);

	tunnel->via[0] = 0;
	for (int i = 0; more && i < LAYERS_MAX; i++)
		kind = follow_layer(&walk, &more);
	return kind;
}

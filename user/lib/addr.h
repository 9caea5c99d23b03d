/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses in the format of the contract: 16 bytes, IPv4 as ::ffff:a.b.c.d. */
#ifndef XRDMA_USER_LIB_ADDR_H
#define XRDMA_USER_LIB_ADDR_H

#include <arpa/inet.h>
#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

static inline bool xrdma_addr_is_ipv4(const __be32 addr[4])
{
	return !addr[0] && !addr[1] && addr[2] == htonl(0xffff);
}

static inline bool xrdma_addr_is_unset(const __be32 addr[4])
{
	return !(addr[0] | addr[1] | addr[2] | addr[3]);
}

/*
 * Returns whether ADDR is a link-local IPv6 address (RFC 4291, 2.5.6), which needs a netdev to be
 * meaningful.
 */
static inline bool xrdma_addr_is_link_local(const __be32 addr[4])
{
	return (ntohl(addr[0]) & 0xffc00000) == 0xfe800000;
}

static inline bool xrdma_addr_is_multicast(const __be32 addr[4])
{
	if (xrdma_addr_is_ipv4(addr))
		return (ntohl(addr[3]) & 0xf0000000) == 0xe0000000;
	return (ntohl(addr[0]) & 0xff000000) == 0xff000000;
}

static inline const char *xrdma_addr_print(const __be32 addr[4], char text[INET6_ADDRSTRLEN])
{
	if (xrdma_addr_is_ipv4(addr))
		return inet_ntop(AF_INET, &addr[3], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, addr, text, INET6_ADDRSTRLEN);
}

/* Set ADDR from LEN bytes of a packet, a socket or a netlink message: 4 for IPv4, 16 for IPv6. */
static inline void xrdma_addr_set(__be32 addr[4], const void *bytes, size_t len)
{
	addr[0] = addr[1] = 0;
	addr[2] = htonl(0xffff);
	memcpy(len == 4 ? &addr[3] : addr, bytes, len);
}

/* Convert a socket address of IPv4 or IPv6. */
static inline void xrdma_addr_of_socket(__be32 addr[4], const struct sockaddr *from)
{
	if (from->sa_family == AF_INET6)
		xrdma_addr_set(addr, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	else
		xrdma_addr_set(addr, &((const struct sockaddr_in *)from)->sin_addr, 4);
}

/*
 * Convert to a socket address. IFINDEX is the netdev of a link-local address. Returns the length of
 * *TO.
 */
static inline socklen_t xrdma_addr_to_socket(const __be32 addr[4], __u32 ifindex,
					     struct sockaddr_storage *to)
{
	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)to;
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)to;

	memset(to, 0, sizeof(*to));
	if (xrdma_addr_is_ipv4(addr)) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_addr.s_addr = addr[3];
		return sizeof(*ipv4);
	}
	ipv6->sin6_family = AF_INET6;
	ipv6->sin6_scope_id = xrdma_addr_is_link_local(addr) ? ifindex : 0;
	memcpy(&ipv6->sin6_addr, addr, sizeof(ipv6->sin6_addr));
	return sizeof(*ipv6);
}

#endif

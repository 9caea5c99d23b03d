/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses as the contract has them: 16 bytes, IPv4 as ::ffff:a.b.c.d. */
#ifndef XRDMA_USER_ADDR_H
#define XRDMA_USER_ADDR_H

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

/* From LEN bytes as they stand in packets, sockets and netlink messages: 4 of IPv4 or 16 of IPv6. */
static inline void xrdma_addr_set(__be32 addr[4], const void *bytes, size_t len)
{
	addr[0] = addr[1] = 0;
	addr[2] = htonl(0xffff);
	memcpy(len == 4 ? &addr[3] : addr, bytes, len);
}

/* Of a socket address of IPv4 or IPv6. */
static inline void xrdma_addr_of_socket(__be32 addr[4], const struct sockaddr *from)
{
	if (from->sa_family == AF_INET6)
		xrdma_addr_set(addr, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	else
		xrdma_addr_set(addr, &((const struct sockaddr_in *)from)->sin_addr, 4);
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * UDP sockets that send what a queue pair sends, and receive nothing: the kernel's routes,
 * neighbours and path MTUs apply to each packet, and no privilege is needed. Thread safe, but for
 * opening and closing.
 */
#ifndef XRDMA_USER_NET_UDP_H
#define XRDMA_USER_NET_UDP_H

#include "net/burst.h"
#include "net/path.h"

struct xrdma_udp {
	int fd; /* -1: there is none */
	__u16 sport;
	/*
	 * Destination for IPv4. A connected socket gives each packet its own identification, and
	 * the ICRC covers that. An unconnected one with DF uses 0. IPv6 has no identification: its
	 * sockets are connected, which is faster.
	 */
	struct sockaddr_storage to;
	socklen_t to_len; /* 0: it is connected */
	/*
	 * No messages of several datagrams leave by it. The kernel may cut none, because the netdev
	 * computes no checksums, or because its MTU has become too small for what they would be
	 * cut into. Or they are cut, but not with the IPv4 identifications that are expected.
	 */
	bool is_single;
};

/*
 * Open a socket that sends on PATH. If PATH->udp_sport is 0, choose a source port: one of the range
 * that A17.9.2.2 suggests, which follows from SEED, so that routers tell flows apart, or any free
 * port if other users have those. The caller ends UDP with xrdma_udp_close(). Returns 0 or, with
 * xrdma_error() set, -EADDRINUSE (another user has the source port), -EMFILE, or another -errno of
 * the kernel.
 */
int xrdma_udp_open(struct xrdma_udp *udp, const struct xrdma_path *path, __u32 seed);
void xrdma_udp_close(struct xrdma_udp *udp);

/*
 * Send BURST. Returns how many of its messages are gone: those behind had no room in the kernel, or
 * are to be sent as single datagrams, as IS_SINGLE says from then on. What else the kernel refuses,
 * as there is no route any more, or the path MTU is too small now, counts as lost on the way.
 */
__u32 xrdma_udp_send(struct xrdma_udp *udp, struct xrdma_burst *burst);

#endif

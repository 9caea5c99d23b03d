/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * UDP sockets for the packets of a queue pair. They receive nothing. The kernel's routes,
 * neighbours and path MTUs apply to each packet, and no privilege is needed. Thread safe, except
 * for opening and closing.
 */
#ifndef XRDMA_USER_NET_UDP_H
#define XRDMA_USER_NET_UDP_H

#include "net/burst.h"
#include "net/path.h"

struct xrdma_udp {
	int fd; /* -1: no socket */
	__u16 sport;
	/*
	 * Destination for IPv4. A connected socket gives each packet its own identification, and
	 * the ICRC covers that. An unconnected one with DF uses 0. IPv6 has no identification: its
	 * sockets are connected, which is faster.
	 */
	struct sockaddr_storage to;
	socklen_t to_len; /* 0: the socket is connected */
	/*
	 * No message of several datagrams leaves by it. The kernel cannot cut them, because the
	 * netdev computes no checksums, or its MTU has become too small. Or they are cut with other
	 * IPv4 identifications than expected.
	 */
	bool is_single;
};

/*
 * Open a socket for PATH. If PATH->udp_sport is 0, choose a source port from the range in
 * A17.9.2.2, by SEED, so that routers distinguish flows; or any free port, if other users have
 * those. Close UDP with xrdma_udp_close(). Returns 0 or, with xrdma_error() set, -EADDRINUSE
 * (another user has the source port), -EMFILE, or another -errno of the kernel.
 */
int xrdma_udp_open(struct xrdma_udp *udp, const struct xrdma_path *path, __u32 seed);

/*
 * Open a socket for datagrams to any destination: each message of a burst names its own. Otherwise
 * like xrdma_udp_open().
 */
int xrdma_udp_open_any(struct xrdma_udp *udp, __u32 seed);
void xrdma_udp_close(struct xrdma_udp *udp);

/*
 * Send BURST. Returns the number of messages that are done: for the others the kernel had no room,
 * or they must be sent as single datagrams, which IS_SINGLE says from then on. Messages that the
 * kernel refuses for other reasons, such as a missing route or a smaller path MTU, count as lost.
 */
__u32 xrdma_udp_send(struct xrdma_udp *udp, struct xrdma_burst *burst);

#endif

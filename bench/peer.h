/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A queue pair on host a (hosts.h), connected to one on host b, for requests to the memory of host
 * b.
 */
#ifndef XRDMA_BENCH_PEER_H
#define XRDMA_BENCH_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "../examples/endpoint.h"
#include <xrdma/device.h>

enum { PEER_WRS = 128 }; /* requests in flight */

struct peer_attr {
	enum xrdma_mode mode; /* mode of both devices */
	enum xrdma_tx tx;     /* transmit mode of host a */
	__u32 bytes;	      /* bytes of memory on each side */
	__u16 path_mtu;	      /* 0: the largest possible */
	bool receives;	      /* host b posts receives; otherwise it sleeps */
	bool events; /* both wait for messages by events, and host b answers each message */
};

struct peer {
	struct endpoint e;    /* its queue pair has room for PEER_WRS requests */
	struct xrdma_sge sge; /* all memory */
	struct offer offer;
	pid_t target;
};

/*
 * Connect PEER to host b. Both devices are loaded in the mode of ATTR. peer_close() unloads them,
 * but a quick run keeps them for the next peer of this mode: call peers_unload() after the last
 * peer.
 */
void peer_open(struct peer *peer, const struct peer_attr *attr);
void peer_close(struct peer *peer);
void peers_unload(void);

/*
 * Send WR of a peer with events, and wait for the answer without polling. Completions of earlier
 * requests are removed.
 */
void peer_ask(const struct peer *peer, const struct xrdma_send_wr *wr);

/* Returns a signaled request for LEN bytes, at the beginning of both memories. */
struct xrdma_send_wr peer_request(struct peer *peer, enum xrdma_wr_opcode opcode, __u32 len);

#endif

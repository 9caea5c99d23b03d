/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A queue pair on host a (hosts.h), connected to one on host b, for requests to its memory. */
#ifndef XRDMA_BENCH_PEER_H
#define XRDMA_BENCH_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "../examples/endpoint.h"
#include <xrdma/device.h>

enum { PEER_WRS = 128 }; /* requests under way */

struct peer_attr {
	enum xrdma_mode mode; /* of both devices */
	enum xrdma_tx tx;     /* of host a */
	__u32 bytes;	      /* of memory, on either side */
	__u16 path_mtu;	      /* 0: what there is room for */
	bool receives;	      /* host b posts receives; else it sleeps */
};

struct peer {
	struct endpoint e;    /* whose queue pair takes PEER_WRS requests */
	struct xrdma_sge sge; /* of all memory */
	struct offer offer;
	pid_t target;
};

/*
 * The two devices are loaded in the mode of ATTR, and unloaded by peer_close(). A quick run keeps
 * them for the next peer of this mode; after the last peer, call peers_unload().
 */
void peer_open(struct peer *peer, const struct peer_attr *attr);
void peer_close(struct peer *peer);
void peers_unload(void);

/* A signaled request of LEN bytes from, or to, the beginning of both memories. */
struct xrdma_send_wr peer_request(struct peer *peer, enum xrdma_wr_opcode opcode, __u32 len);

#endif

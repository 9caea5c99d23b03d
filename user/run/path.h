/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The path of a connection's packets through the device of a context. */
#ifndef XRDMA_USER_RUN_PATH_H
#define XRDMA_USER_RUN_PATH_H

#include <xrdma/qp.h>

#include "queue/qp.h"

/* Where packets to the peer go, and what they go by. */
struct xrdma_path {
	__be32 source[4];
	__u16 udp_sport;
	__u8 hop_limit;
	struct xrdma_next_hop next_hop;
	struct xrdma_udp udp; /* open */
};

/*
 * For the address and the path MTU of ATTR, which is of QP. Returns 0 or -errno as
 * xrdma_qp_modify().
 */
int xrdma_path_open(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
		    struct xrdma_path *path);

/*
 * XDP takes for the peer's only what has the source port SPORT, or if that is 0, the port of the
 * first that counts.
 */
void xrdma_path_set_peer_sport(struct xrdma_qp *qp, __u16 sport);

/*
 * XDP answers to the device's addresses only. Returns 0 or, with xrdma_error() set, -EADDRNOTAVAIL.
 */
int xrdma_path_check_source(const struct xrdma_context *context, const __be32 source[4]);

/*
 * The largest path MTU whose packets the netdev, and the route to DEST if there is one, carry; at
 * least XRDMA_MTU_MIN. Or -ENODEV. Sets xrdma_error().
 */
int xrdma_path_mtu(const struct xrdma_context *context, const __be32 dest[4]);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The path of a connection's packets through the device of a context. */
#ifndef XRDMA_USER_RUN_PATH_H
#define XRDMA_USER_RUN_PATH_H

#include <xrdma/qp.h>

#include "obj/context.h"
#include "net/neigh.h"

/* Where packets to the peer go: network layer and link layer. */
struct xrdma_path {
	struct xrdma_route route;
	__u8 own_mac[6];
};

/*
 * For the address and the path MTU of ATTR. Returns 0 or -errno as xrdma_qp_modify(). May take
 * seconds.
 */
int xrdma_path_resolve(const struct xrdma_context *context, const struct xrdma_qp_attr *attr,
		       struct xrdma_path *path);

/*
 * XDP answers to the device's addresses only. Returns 0 or, with xrdma_error() set, -EADDRNOTAVAIL.
 */
int xrdma_path_check_source(const struct xrdma_context *context, const __be32 source[4]);

/*
 * The largest path MTU whose packets the netdev carries, at least XRDMA_MTU_MIN. Or -ENODEV. Sets
 * xrdma_error().
 */
int xrdma_path_mtu(const struct xrdma_context *context, bool ipv4);

#endif

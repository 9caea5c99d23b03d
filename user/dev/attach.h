/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The programs on a netdev: one at tc ingress, and in native mode an XDP program before it. */
#ifndef XRDMA_USER_DEV_ATTACH_H
#define XRDMA_USER_DEV_ATTACH_H

#include <stdbool.h>

#include <xrdma/device.h>

struct xrdma_bpf;
struct xrdma_netdev;
struct xrdma_program_visitor;

/*
 * Load the programs of MODE, which is not AUTO, attach them to NETDEV and pin them. MAPS is loaded,
 * and its maps are pinned: xrdma_detach() finds by them what a process has left that was killed
 * here. Returns 0 or, with nothing attached or pinned, -errno with xrdma_error() set.
 */
int xrdma_attach(const struct xrdma_bpf *maps, const struct xrdma_netdev *netdev,
		 enum xrdma_mode mode);

/*
 * Take the programs of DEVICE, which stand on the netdev IFINDEX, off it, and remove their pins.
 * Returns 0, also where there are none, or -errno: the pins of what may still be there stay.
 */
int xrdma_detach(const char *device, int ifindex);

/*
 * Returns 1 if the programs that DEVICE needs in MODE are on the netdev IFINDEX, else 0 or -errno:
 * the kernel does not tell.
 */
int xrdma_attached(const char *device, int ifindex, enum xrdma_mode mode);

/*
 * Tell VISITOR of the programs that see packets before those of DEVICE do, which stand on the
 * netdev IFINDEX and on lo. Returns what the last visit returned, 0 or -errno.
 */
int xrdma_attach_each_before(const char *device, int ifindex,
			     const struct xrdma_program_visitor *visitor);

#endif

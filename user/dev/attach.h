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
 * and its maps are pinned: by them xrdma_detach() finds programs that a killed process has left.
 * Returns 0 or, with nothing attached or pinned, -errno with xrdma_error() set.
 */
int xrdma_attach(const struct xrdma_bpf *maps, const struct xrdma_netdev *netdev,
		 enum xrdma_mode mode);

/*
 * Detach the programs of DEVICE from the netdev IFINDEX, and remove their pins. Returns 0, also if
 * there are none, or -errno: then the pins of programs that may still be attached stay.
 */
int xrdma_detach(const char *device, int ifindex);

/*
 * Check if the programs that DEVICE needs in MODE are on the netdev IFINDEX. Returns 1, 0, or
 * -errno if the kernel does not report them.
 */
int xrdma_attached(const char *device, int ifindex, enum xrdma_mode mode);

/*
 * Call VISITOR for each program that gets packets before those of DEVICE, on the netdev IFINDEX and
 * on lo. Returns the value of the last call, 0 or -errno.
 */
int xrdma_attach_each_before(const char *device, int ifindex,
			     const struct xrdma_program_visitor *visitor);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * XDP program of a device. It is recognized on a netdev by the map xrdma_device that it uses. So it
 * is found even if the process was killed before it pinned the program. Errors are -errno, without
 * a message.
 */
#ifndef XRDMA_USER_DEV_XDP_H
#define XRDMA_USER_DEV_XDP_H

#include <stdbool.h>

struct xrdma_bpf;
struct xrdma_program_visitor;

/*
 * Attach the program of DEVICE to the netdev IFINDEX in native mode, and pin it. It uses the pinned
 * maps of MAPS. libxdp's dispatcher is tried first, because it allows other programs beside ours.
 * If the dispatcher does not work, the program is attached alone.
 */
int xrdma_xdp_attach(const struct xrdma_bpf *maps, const char *device, int ifindex);

/*
 * Detach the program of DEVICE, and remove its pin. Returns 0, also when the program is not
 * attached, or -errno; then the pin remains.
 */
int xrdma_xdp_detach(const char *device, int ifindex);

/* Returns 1 if the program of DEVICE is on the netdev IFINDEX, else 0 or -errno. */
int xrdma_xdp_attached(const char *device, int ifindex);

/* Returns whether an XDP program of any xrdma device is on the netdev. */
bool xrdma_xdp_is_ours(int ifindex);

/*
 * Call VISITOR for each XDP program of the netdev IFINDEX that gets packets before that of DEVICE.
 * If DEVICE has no program there, visit all. Returns 0, the result of the last visit, or -errno
 * with xrdma_error() set.
 */
int xrdma_xdp_each_before(const char *device, int ifindex,
			  const struct xrdma_program_visitor *visitor);

#endif

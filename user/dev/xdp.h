/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The XDP program of a device. It is found on a netdev by the map xrdma_device that it uses, even
 * if the process was killed before it pinned the program. Errors are -errno, without a message.
 */
#ifndef XRDMA_USER_DEV_XDP_H
#define XRDMA_USER_DEV_XDP_H

#include <stdbool.h>

struct xrdma_bpf;
struct xrdma_program_visitor;

/*
 * Attach the program of DEVICE to the netdev IFINDEX in native mode, with the maps of MAPS, which
 * are pinned, and pin the program. First libxdp's dispatcher is tried, which lets it stand beside
 * others; if that does not work, the program is attached alone.
 */
int xrdma_xdp_attach(const struct xrdma_bpf *maps, const char *device, int ifindex);

/*
 * Take the program of DEVICE off, and remove its pin. Returns 0 also when it is not there, or
 * -errno: the pin stays.
 */
int xrdma_xdp_detach(const char *device, int ifindex);

/* Returns 1 if the program of DEVICE is on the netdev, else 0 or -errno. */
int xrdma_xdp_attached(const char *device, int ifindex);

/* Returns true if an XDP program of xrdma, of whatever device, is on the netdev. */
bool xrdma_xdp_is_ours(int ifindex);

/*
 * Tell VISITOR of the XDP programs of the netdev IFINDEX that see packets before that of DEVICE
 * does; of all of them if DEVICE has none there. Returns what the last visit returned, 0, or -errno
 * with xrdma_error() set.
 */
int xrdma_xdp_each_before(const char *device, int ifindex,
			  const struct xrdma_program_visitor *visitor);

#endif

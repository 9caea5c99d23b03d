/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A device's maps are kept as its netdev is: addresses come and go. When the netdev leaves the
 * network namespace, the context gets no packets any more.
 */
#ifndef XRDMA_USER_OBJ_WATCH_H
#define XRDMA_USER_OBJ_WATCH_H

#include <libmnl/libmnl.h>

#include "dev/device.h"
#include "dev/slot.h"

struct xrdma_watch {
	struct mnl_socket *socket; /* tells of changes */
	const struct xrdma_device *device;
	const struct xrdma_slots *slots;
	__u32 slot; /* of the context */
};

/*
 * Watch the netdev of DEVICE for the context in SLOT. DEVICE and SLOTS stay until
 * xrdma_watch_close(). Returns 0 or -errno with xrdma_error() set.
 */
int xrdma_watch_open(struct xrdma_watch *watch, const struct xrdma_device *device,
		     const struct xrdma_slots *slots, __u32 slot);
void xrdma_watch_close(const struct xrdma_watch *watch);

/* The file descriptor that is readable when xrdma_watch_look() is to be called. */
int xrdma_watch_fd(const struct xrdma_watch *watch);

/*
 * Write what has changed of the netdev into the device's maps. Returns when to look again, in ns:
 * XRDMA_NEVER, unless the kernel refused to say what there is.
 */
__u64 xrdma_watch_look(const struct xrdma_watch *watch);

#endif

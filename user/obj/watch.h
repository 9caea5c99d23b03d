/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Watch the netdev of a device, and update the device's maps when its addresses change. When the
 * netdev leaves the network namespace, mark the context as unloaded.
 */
#ifndef XRDMA_USER_OBJ_WATCH_H
#define XRDMA_USER_OBJ_WATCH_H

#include <libmnl/libmnl.h>

#include "dev/device.h"
#include "dev/slot.h"

struct xrdma_watch {
	struct mnl_socket *socket; /* reports changes */
	const struct xrdma_device *device;
	const struct xrdma_slots *slots;
	__u32 slot; /* the context's slot */
};

/*
 * Watch the netdev of DEVICE for the context in SLOT. DEVICE and SLOTS must exist until
 * xrdma_watch_close(). Returns 0 or -errno with xrdma_error() set.
 */
int xrdma_watch_open(struct xrdma_watch *watch, const struct xrdma_device *device,
		     const struct xrdma_slots *slots, __u32 slot);
void xrdma_watch_close(const struct xrdma_watch *watch);

/* Returns a file descriptor that becomes readable when xrdma_watch_look() must be called. */
int xrdma_watch_fd(const struct xrdma_watch *watch);

/*
 * Write changes of the netdev into the device's maps. Returns the time of the next call in ns. This
 * is XRDMA_NEVER, unless the kernel failed to report its state.
 */
__u64 xrdma_watch_look(const struct xrdma_watch *watch);

#endif

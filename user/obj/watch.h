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
#include "obj/channel.h"

struct xrdma_watch {
	struct mnl_socket *socket; /* reports changes of the netdev */
	int pins;		   /* reports that pins were removed, or is negative */
	const struct xrdma_device *device;
	const struct xrdma_slots *slots;
	__u32 slot; /* the context's slot */
	/* Events about the netdev go to ASYNC, as those of PORT. */
	struct xrdma_channel *async;
	struct xrdma_channel_source *port;
	struct xrdma_port_state last; /* as last reported */
	bool is_gone;		      /* the device was unloaded, or the netdev has left */
};

/*
 * Begin to watch the device with this name. The members of WATCH from DEVICE to PORT were set
 * before. Returns 0 or -errno with xrdma_error() set.
 */
int xrdma_watch_open(struct xrdma_watch *watch, const char *name);
void xrdma_watch_close(const struct xrdma_watch *watch);

/*
 * Return file descriptors that become readable when xrdma_watch_look() must be called. The second
 * may be negative, which poll(2) ignores.
 */
int xrdma_watch_fd(const struct xrdma_watch *watch);
int xrdma_watch_pins_fd(const struct xrdma_watch *watch);

/*
 * Write changes of the netdev into the device's maps. Returns the time of the next call in ns. This
 * is XRDMA_NEVER, unless the kernel failed to report its state.
 */
__u64 xrdma_watch_look(struct xrdma_watch *watch);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A thread that keeps a device's maps as its netdev is: addresses come and go. When the netdev
 * leaves the network namespace, the context gets no packets any more.
 */
#ifndef XRDMA_USER_OBJ_WATCH_H
#define XRDMA_USER_OBJ_WATCH_H

#include <libmnl/libmnl.h>
#include <pthread.h>

#include "dev/device.h"
#include "dev/slot.h"

struct xrdma_watch {
	struct mnl_socket *socket; /* tells of changes */
	int stop;		   /* an eventfd */
	pthread_t thread;
	const struct xrdma_device *device;
	const struct xrdma_slots *slots;
	__u32 slot; /* of the context */
};

/*
 * For the context in SLOT. DEVICE and SLOTS stay until xrdma_watch_stop(). Returns 0 or -errno with
 * xrdma_error() set.
 */
int xrdma_watch_start(struct xrdma_watch *watch, const struct xrdma_device *device,
		      const struct xrdma_slots *slots, __u32 slot);
void xrdma_watch_stop(struct xrdma_watch *watch);

/* In a child that was forked, which has no such thread: closes the files. */
void xrdma_watch_forget(const struct xrdma_watch *watch);

#endif

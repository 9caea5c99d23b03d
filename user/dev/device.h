/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A loaded device, opened by its pins, and the facts about its netdev in its maps. */
#ifndef XRDMA_USER_DEV_DEVICE_H
#define XRDMA_USER_DEV_DEVICE_H

#include <xrdma/device.h>

#include "dev/pin.h"
#include <xrdma/abi/device.h>

struct xrdma_device {
	__u32 ifindex;
	int row, addrs; /* file descriptors of xrdma_device and xrdma_addrs */
};

/*
 * Read the row of the device NAME. Returns 0 or, with xrdma_error() set, -ENOENT (not loaded),
 * -EPERM, -EPROTO (loaded by another version).
 */
int xrdma_device_read(const char *name, struct xrdma_device_row *row);

/* Do the work of xrdma_device_query() for a device that is locked. */
int xrdma_device_look(const char *name, struct xrdma_device_status *status);

/* Rename devices whose netdev was renamed. */
void xrdma_device_follow_names(void);

/* Find the device and lock it by xrdma_pin_lock(). */
int xrdma_device_lock(const char *name, enum xrdma_pin_mode hold);

/*
 * Open the device NAME, which is locked. Close it with xrdma_device_close(). Returns 0 or, with
 * xrdma_error() set, -ENOENT (not loaded), -EPERM, -EPROTO (loaded by another version).
 */
int xrdma_device_open(struct xrdma_device *device, const char *name);
void xrdma_device_close(const struct xrdma_device *device);

/*
 * Update the device's maps from the netdev, where they differ: addresses, MAC address, and whether
 * the kernel has an RDMA device on it. If the netdev has left the network namespace of the load,
 * the device loses its addresses, and so gets no packets. Thread safe. Returns 0, -ENODEV (the
 * netdev is gone, or in another network namespace), or another -errno with xrdma_error() set.
 */
int xrdma_device_refresh(const struct xrdma_device *device);

/* The state of a netdev. */
struct xrdma_port_state {
	__u64 addrs;	 /* changes with its addresses */
	bool is_running; /* netdev and link are up */
};

/* Refresh DEVICE as xrdma_device_refresh() does, and return the state of its netdev in *STATE. */
int xrdma_device_refresh_to(const struct xrdma_device *device, struct xrdma_port_state *state);

/*
 * Refresh DEVICE, and check that its netdev has the address SOURCE. Thread safe. Returns 0 or, with
 * xrdma_error() set, -EADDRNOTAVAIL or an error of xrdma_device_refresh().
 */
int xrdma_device_check_source(const struct xrdma_device *device, const __be32 source[4]);

#endif

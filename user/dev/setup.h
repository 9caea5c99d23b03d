/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Set up a device, and tear it down: its maps, their pins, and the programs on its netdev. The
 * caller has locked the device.
 */
#ifndef XRDMA_USER_DEV_SETUP_H
#define XRDMA_USER_DEV_SETUP_H

#include <xrdma/abi/device.h>
#include <xrdma/device.h>

/*
 * Set up the device NETDEV, which has no pins. If the process is killed meanwhile, the device has
 * pins by which xrdma_teardown() finds all that is done. Returns 0 or, having changed nothing,
 * -errno with xrdma_error() set, as xrdma_device_load().
 */
int xrdma_setup(const char *netdev, enum xrdma_mode mode);

/*
 * Take the programs of the device NAME off its netdev, as its row ROW says. Returns 0 or -errno
 * with xrdma_error() set.
 */
int xrdma_teardown(const char *name, const struct xrdma_device_row *row);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Set up a device, and tear it down. A device consists of its maps, their pins, and the programs on
 * its netdev. The caller holds the device's lock.
 */
#ifndef XRDMA_USER_DEV_SETUP_H
#define XRDMA_USER_DEV_SETUP_H

#include <xrdma/abi/device.h>
#include <xrdma/device.h>

/*
 * Set up the device NETDEV, which has no pins yet. If the process is killed in the meantime, the
 * device's pins tell xrdma_teardown() what to undo. Returns 0 or, with nothing changed and
 * xrdma_error() set, an error of xrdma_device_load().
 */
int xrdma_setup(const char *netdev, enum xrdma_mode mode);

/*
 * Detach the programs of the device NAME from its netdev. ROW records where they are. Returns 0 or
 * -errno with xrdma_error() set.
 */
int xrdma_teardown(const char *name, const struct xrdma_device_row *row);

#endif

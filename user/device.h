/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A loaded device as another process finds it: its row, checked against the contract. */
#ifndef XRDMA_USER_DEVICE_H
#define XRDMA_USER_DEVICE_H

#include <xrdma/device.h>

/*
 * Read the row of the device NAME. Returns 0 or, with xrdma_error() set, -ENOENT (not loaded), -EPERM,
 * -EPROTO (loaded by another version).
 */
int xrdma_device_read(const char *name, struct xrdma_device_row *row);

/*
 * Write the netdev's present addresses into the device's row, where they differ. ROW receives it. Returns 0 or -errno
 * with xrdma_error() set.
 */
int xrdma_device_refresh(const char *name, struct xrdma_device_row *row);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a device's maps and programs are pinned: $XRDMA_BPFFS/xrdma/NAME/. Errors set xrdma_error(). */
#ifndef XRDMA_USER_PIN_H
#define XRDMA_USER_PIN_H

#include <limits.h>
#include <stdbool.h>

/*
 * Take the lock that loading, unloading and the claiming of slots hold; CREATE: make the directory when it is
 * missing. Returns a file descriptor that holds the lock until it is closed, or -ENOTDIR (no bpffs), -ENOENT (nothing
 * was ever loaded), -EPERM.
 */
int xrdma_pin_lock(bool create);

/* The path of pin NAME of a device, or of its directory when NAME is "". Returns 0 or -EINVAL (not a device's name). */
int xrdma_pin_path(char path[PATH_MAX], const char *device, const char *name);

/* Open a pinned map or program. Returns a file descriptor or -errno. */
int xrdma_pin_get(const char *device, const char *name);

/* Remove a device's pins and their directory. Returns 0 or -errno. */
int xrdma_pin_remove(const char *device);

/* Call VISIT with each device's name; as xrdma_device_each(). */
int xrdma_pin_each(int (*visit)(const char *name, void *arg), void *arg);

#endif

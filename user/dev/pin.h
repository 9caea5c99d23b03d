/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Pins of a device's maps and programs: $XRDMA_BPFFS/xrdma/NAME/, with colons for dots in the name.
 * Errors set xrdma_error().
 */
#ifndef XRDMA_USER_DEV_PIN_H
#define XRDMA_USER_DEV_PIN_H

#include <limits.h>
#include <stdbool.h>

/* Kinds of locks of a device. */
enum xrdma_pin_mode {
	XRDMA_PIN_SHARED,    /* by its users, so that it stays loaded */
	XRDMA_PIN_EXCLUSIVE, /* to unload it */
	/* Exclusive, and its directory is made if it is missing: to load it. */
	XRDMA_PIN_CREATE,
};

/*
 * Lock a device by its directory, and wait for that. Returns a file descriptor for
 * xrdma_pin_unlock(), or -ENOTDIR (there is no BPF file system, and none can be mounted), -ENOENT
 * (not loaded), -EPERM.
 */
int xrdma_pin_lock(const char *device, enum xrdma_pin_mode hold);

/* Unlock a device. Children forked meanwhile do not hold the lock. */
void xrdma_pin_unlock(int lock);

/*
 * Return the path of pin NAME of a device, or of its directory for NAME "". Returns 0 or -EINVAL
 * (not a device's name).
 */
int xrdma_pin_path(char path[PATH_MAX], const char *device, const char *name);

/* Open a pinned map or program. Returns a file descriptor or -errno. */
int xrdma_pin_get(const char *device, const char *name);

/* Pin the map, program or link of file descriptor FD. Returns 0 or -errno, without a message. */
int xrdma_pin_put(const char *device, const char *name, int fd);

/* Remove the pin NAME, if it exists. */
void xrdma_pin_remove(const char *device, const char *name);

/* Remove a device's pins, but not their directory. Returns 0 or -errno. */
int xrdma_pin_clear(const char *device);

/*
 * Remove a device's directory if it is empty. Processes that wait for its lock then find no device.
 */
void xrdma_pin_drop(const char *device);

/*
 * Watch the pins of a device. Returns a file descriptor, to be closed after use, that becomes
 * readable when a pin is removed, or -errno without a message. Reading does not block.
 */
int xrdma_pin_watch(const char *device);

/*
 * Rename the device DEVICE, which is locked, to NAME. A device with this name gets the other name.
 */
void xrdma_pin_rename(const char *device, const char *name);

/* Call VISIT with each device's name, as xrdma_device_each() does. */
int xrdma_pin_each(int (*visit)(const char *name, void *arg), void *arg);

#endif

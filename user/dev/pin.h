/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where a device's maps and programs are pinned: $XRDMA_BPFFS/xrdma/NAME/, dots of the name being
 * colons there. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_DEV_PIN_H
#define XRDMA_USER_DEV_PIN_H

#include <limits.h>
#include <stdbool.h>

/* How a device is locked. */
enum xrdma_pin_hold {
	XRDMA_PIN_SHARED,    /* by who uses it, so that it stays loaded */
	XRDMA_PIN_EXCLUSIVE, /* by who unloads it */
	/* Exclusive, and its directory is made when it is missing: by who loads it. */
	XRDMA_PIN_CREATE,
};

/*
 * Lock a device; the lock is its directory's. Waits for who has it. Returns a file descriptor for
 * xrdma_pin_unlock(), or -ENOTDIR (no bpffs, and none can be mounted), -ENOENT (not loaded),
 * -EPERM.
 */
int xrdma_pin_lock(const char *device, enum xrdma_pin_hold hold);

/* Children that are forked meanwhile have no part in it. */
void xrdma_pin_unlock(int lock);

/*
 * The path of pin NAME of a device, or of its directory when NAME is "". Returns 0 or -EINVAL (not
 * a device's name).
 */
int xrdma_pin_path(char path[PATH_MAX], const char *device, const char *name);

/* Open a pinned map or program. Returns a file descriptor or -errno. */
int xrdma_pin_get(const char *device, const char *name);

/* Pin the map, program or link of file descriptor FD. Returns 0 or -errno, without a message. */
int xrdma_pin_put(const char *device, const char *name, int fd);

/* Remove the pin NAME, if it is there. */
void xrdma_pin_remove(const char *device, const char *name);

/* Remove a device's pins, not their directory. Returns 0 or -errno. */
int xrdma_pin_clear(const char *device);

/* Remove a device's directory if it is empty; who waits for the lock then finds no device. */
void xrdma_pin_drop(const char *device);

/*
 * The device DEVICE, which is locked, is called NAME from now on; one that had this name has the
 * other's.
 */
void xrdma_pin_rename(const char *device, const char *name);

/* Call VISIT with each device's name; as xrdma_device_each(). */
int xrdma_pin_each(int (*visit)(const char *name, void *arg), void *arg);

#endif

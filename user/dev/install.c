// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Load and unload devices: xrdma_device_load() and xrdma_device_unload(). */
#include <errno.h>
#include <net/if.h>

#include "dev/device.h"
#include "dev/quiet.h"
#include "dev/setup.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "dev/slot.h"

/*
 * Mark the contexts of the device as unloaded. Without FORCE a device with contexts is refused
 * (-EBUSY). It has none if a load was killed before it had made all pins. Returns 0 or -errno.
 */
static int end_contexts(const char *name, bool force)
{
	struct xrdma_slots slots;
	__u32 owner, count = 0;
	int err = xrdma_slots_open(&slots, name);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (!force)
		count = xrdma_slots_alive(&slots, &owner);
	if (!count)
		xrdma_slots_unload(&slots);
	xrdma_slots_close(&slots);
	if (!count)
		return 0;
	return xrdma_fail(
		EBUSY, "%s is used by process %u (contexts in all: %u): end the process, or use -f",
		name, owner, count);
}

/* Detach a device's programs and remove its pins. The device is locked. */
static int unload(const char *name, bool force)
{
	struct xrdma_device_row row;
	bool is_foreign;
	__u64 here;
	int err = xrdma_netns_cookie(&here);

	if (err)
		return err;
	err = xrdma_device_read(name, &row);
	is_foreign = err == -EPROTO;
	if (is_foreign)
		row = (struct xrdma_device_row){ .netns = here, .ifindex = if_nametoindex(name) };
	else if (err)
		return err;
	if (row.netns != here && !force)
		return xrdma_fail(EXDEV,
				  "the netdev %s is in another network namespace: unload it "
				  "there, or use -f if that is gone",
				  name);
	err = is_foreign ? 0 : end_contexts(name, force);
	if (!err && row.netns == here)
		err = xrdma_teardown(name, &row);
	return err ?: xrdma_pin_clear(name);
}

int xrdma_device_unload(const char *netdev, bool force)
{
	int err, lock = xrdma_device_lock(netdev, XRDMA_PIN_EXCLUSIVE);

	if (lock == -ENOENT)
		return xrdma_fail(ENOENT, "%s is not loaded", netdev);
	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = unload(netdev, force);
	if (!err)
		xrdma_pin_drop(netdev);
	xrdma_quiet_end();
	xrdma_pin_unlock(lock);
	return err;
}

/* Remove pins of a device that no longer exists, or of a load that was killed. */
static int make_room(const char *netdev)
{
	struct xrdma_device_status status = { .sz = sizeof(status) };
	int err = xrdma_device_look(netdev, &status);

	if (err)
		return err == -ENOENT ? xrdma_pin_clear(netdev) : err;
	switch (status.state) {
	case XRDMA_DEVICE_DETACHED:
		return unload(netdev, true); /* its contexts get no traffic */
	case XRDMA_DEVICE_ELSEWHERE:
		return xrdma_fail(EEXIST,
				  "a netdev %s of another network namespace is loaded: give "
				  "XRDMA_BPFFS a BPF file system of its own, or xrdma unload -f %s "
				  "if it is gone",
				  netdev, netdev);
	case XRDMA_DEVICE_FOREIGN:
		return -EPROTO; /* with the message of check_version() */
	default:
		return xrdma_fail(EEXIST, "%s is loaded already: xrdma unload %s", netdev, netdev);
	}
}

int xrdma_device_load(const char *netdev, const struct xrdma_load_attr *attr)
{
	struct xrdma_load_attr all;
	int err = xrdma_attr_read(attr, &all, sizeof(all), "xrdma_load_attr"), lock;

	if (err)
		return err;
	lock = xrdma_device_lock(netdev, XRDMA_PIN_CREATE);
	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = make_room(netdev);
	if (!err)
		err = xrdma_setup(netdev, all.mode);
	xrdma_quiet_end();
	if (err)
		xrdma_pin_drop(netdev);
	xrdma_pin_unlock(lock);
	return err;
}

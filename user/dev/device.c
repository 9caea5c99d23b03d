// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/device.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dev/attach.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "dev/pin.h"
#include "dev/slot.h"
#include "xrdma.skel.h"
#include "abi_version.h"

static const __u32 only_row;

/*
 * Check the version of the contract: a row of the size, the magic and the version of this library.
 */
static int check_version(const char *name, int fd, struct xrdma_device_row *row)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	__u8 any[4096] = { 0 };
	int err = bpf_obj_get_info_by_fd(fd, &info, &len);

	if (!err && info.value_size <= sizeof(any))
		err = bpf_map_lookup_elem(fd, &only_row, any);
	if (err)
		return xrdma_fail(-err, "cannot read the row of %s: %s", name, strerror(-err));
	memcpy(row, any, sizeof(*row));
	if (row->magic != XRDMA_ABI_MAGIC)
		row->abi_version = 0;
	if (info.value_size == sizeof(*row) && row->abi_version == XRDMA_ABI_VERSION)
		return 0;
	return xrdma_fail(
		EPROTO,
		"%s was loaded by another version of xrdma (contract %08x, this is %08x): "
		"xrdma unload %s, then load it again",
		name, row->abi_version, XRDMA_ABI_VERSION, name);
}

int xrdma_device_read(const char *name, struct xrdma_device_row *row)
{
	int err, fd = xrdma_pin_get(name, "xrdma_device");

	memset(row, 0, sizeof(*row));
	if (fd < 0)
		return fd;
	err = check_version(name, fd, row);
	close(fd);
	return err;
}

int xrdma_device_open(struct xrdma_device *device, const char *name)
{
	struct xrdma_device_row row;
	int err, fd = xrdma_pin_get(name, "xrdma_device");

	if (fd < 0)
		return fd;
	err = check_version(name, fd, &row);
	*device = (struct xrdma_device){ .ifindex = row.ifindex, .row = fd };
	if (!err) {
		device->addrs = xrdma_pin_get(name, "xrdma_addrs");
		err = device->addrs < 0 ? device->addrs : 0;
	}
	if (err)
		close(fd);
	return err;
}

void xrdma_device_close(const struct xrdma_device *device)
{
	close(device->row);
	close(device->addrs);
}

/*
 * Return in PRESENT the new name of device NAME's netdev. Returns false if it has not changed, or
 * the netdev is gone.
 */
static bool was_renamed(const char *name, char present[IF_NAMESIZE])
{
	struct xrdma_device_row row;
	__u64 here;

	return !xrdma_device_read(name, &row) && !xrdma_netns_cookie(&here) && row.netns == here &&
	       if_indextoname(row.ifindex, present) && strcmp(present, name);
}

static int follow_name(const char *name, void *unused)
{
	char present[IF_NAMESIZE];
	int lock;

	(void)unused;
	if (!was_renamed(name, present))
		return 0;
	lock = xrdma_pin_lock(name, XRDMA_PIN_EXCLUSIVE);
	if (lock < 0)
		return 0;
	if (was_renamed(name, present))
		xrdma_pin_rename(name, present);
	xrdma_pin_unlock(lock);
	return 0;
}

void xrdma_device_follow_names(void)
{
	xrdma_pin_each(follow_name, NULL);
}

int xrdma_device_lock(const char *name, enum xrdma_pin_mode hold)
{
	xrdma_device_follow_names();
	return xrdma_pin_lock(name, hold);
}

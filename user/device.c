// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "device.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "error.h"
#include "netdev.h"
#include "pin.h"
#include "slot.h"
#include "xrdma.skel.h"

static const __u32 only_row;

/* The handshake: a row of the size, the magic and the version that this library was built for. */
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
	return xrdma_fail(EPROTO,
			  "%s was loaded by another version of xrdma (contract %u, this is %u): "
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

static void fill_addrs(struct xrdma_device_row *row, const struct xrdma_netdev *netdev)
{
	row->addr_count = netdev->addr_count;
	memcpy(row->addrs, netdev->addrs, sizeof(row->addrs));
}

static int write_row(const char *name, int fd, const struct xrdma_device_row *row)
{
	int err = bpf_map_update_elem(fd, &only_row, row, BPF_ANY);

	return err ? xrdma_fail(-err, "cannot write the row of %s: %s", name, strerror(-err)) : 0;
}

int xrdma_device_refresh(const char *name, struct xrdma_device_row *row)
{
	struct xrdma_device_row was;
	struct xrdma_netdev netdev;
	int err, fd = xrdma_pin_get(name, "xrdma_device");

	if (fd < 0)
		return fd;
	err = check_version(name, fd, &was);
	if (err)
		goto out;
	err = xrdma_netdev_query(name, &netdev);
	if (err || was.netns != xrdma_netns_cookie()) {
		err = xrdma_fail(ENODEV, "the netdev %s is not in this network namespace", name);
		goto out;
	}
	*row = was;
	fill_addrs(row, &netdev);
	if (memcmp(row, &was, sizeof(was)))
		err = write_row(name, fd, row);
out:
	close(fd);
	return err;
}

static enum xrdma_device_state state_of(const char *name, const struct xrdma_device_row *row)
{
	enum xrdma_device_state state = XRDMA_DEVICE_DETACHED;
	int program;

	if (row->netns != xrdma_netns_cookie())
		return XRDMA_DEVICE_ELSEWHERE;
	program = xrdma_pin_get(name, "xrdma");
	if (program < 0)
		return state;
	if (xrdma_attached(program, row->ifindex))
		state = XRDMA_DEVICE_ATTACHED;
	close(program);
	return state;
}

/* How many contexts the device has; *OWNER is the process of one. */
static int count_contexts(const char *name, __u32 *owner)
{
	struct xrdma_slots slots;
	int err = xrdma_slots_open(&slots, name);
	__u32 alive;

	if (err)
		return err;
	alive = xrdma_slots_alive(&slots, owner);
	xrdma_slots_close(&slots);
	return alive;
}

static int query(const char *name, struct xrdma_device_status *status)
{
	struct xrdma_device_status all = { .sz = status->sz };
	struct xrdma_device_row row;
	int contexts = 0, err = xrdma_device_read(name, &row);
	__u32 owner;

	if (err && err != -EPROTO)
		return err;
	if (!err)
		contexts = count_contexts(name, &owner);
	if (contexts < 0)
		return contexts;
	strncpy(all.name, name, sizeof(all.name) - 1);
	all.abi_version = row.abi_version;
	all.state = XRDMA_DEVICE_FOREIGN;
	if (!err) {
		all.state = state_of(name, &row);
		all.ifindex = row.ifindex;
		all.mode = row.mode;
		all.contexts = contexts;
		all.addr_count = row.addr_count;
		memcpy(all.addrs, row.addrs, sizeof(all.addrs));
	}
	memcpy(status, &all, all.sz < sizeof(all) ? all.sz : sizeof(all));
	return 0;
}

int xrdma_device_query(const char *name, struct xrdma_device_status *status)
{
	int err, lock = xrdma_pin_lock(name, XRDMA_PIN_SHARED);

	if (lock < 0)
		return lock;
	err = query(name, status);
	xrdma_pin_unlock(lock);
	return err;
}

int xrdma_device_each(int (*visit)(const char *name, void *arg), void *arg)
{
	return xrdma_pin_each(visit, arg);
}

/* Take a device's program off and remove its pins. It is locked. */
static int unload(const char *name, bool force)
{
	struct xrdma_device_row row;
	__u32 owner;
	int program, err = xrdma_device_read(name, &row);

	if (err == -EPROTO)
		row.netns = xrdma_netns_cookie(), row.ifindex = if_nametoindex(name);
	else if (err)
		return err;
	if (row.netns != xrdma_netns_cookie() && !force)
		return xrdma_fail(EXDEV,
				  "the netdev %s is in another network namespace: unload it "
				  "there, or use -f if that is gone",
				  name);
	if (!err && !force) {
		err = count_contexts(name, &owner);
		if (err > 0)
			return xrdma_fail(
				EBUSY, "%s has %d contexts, one of process %u: end it, or use -f",
				name, err, owner);
	}
	program = xrdma_pin_get(name, "xrdma");
	if (program >= 0 && row.netns == xrdma_netns_cookie())
		err = xrdma_detach(program, row.ifindex);
	close(program);
	if (err)
		return xrdma_fail(-err, "cannot detach from %s: %s", name, strerror(-err));
	return xrdma_pin_clear(name);
}

int xrdma_device_unload(const char *netdev, bool force)
{
	int err, lock = xrdma_pin_lock(netdev, XRDMA_PIN_EXCLUSIVE);

	if (lock < 0)
		return lock;
	err = unload(netdev, force);
	if (!err)
		xrdma_pin_drop(netdev);
	xrdma_pin_unlock(lock);
	return err;
}

/* Pins of a device that is no longer there give way, and so do those of a load that was killed. */
static int make_room(const char *netdev)
{
	struct xrdma_device_status status = { .sz = sizeof(status) };
	int err = query(netdev, &status);

	if (err)
		return err == -ENOENT ? xrdma_pin_clear(netdev) : err;
	switch (status.state) {
	case XRDMA_DEVICE_DETACHED:
		return unload(netdev, true); /* no traffic reaches what contexts it has */
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

/* Attached for as long as its pin is there. */
static int pin_attached(const struct bpf_program *program, const char *netdev)
{
	struct bpf_link *link = bpf_program__attach(program);
	char path[PATH_MAX];
	int err;

	if (!link)
		return -errno;
	xrdma_pin_path(path, netdev, bpf_program__name(program));
	err = bpf_link__pin(link, path);
	bpf_link__destroy(link);
	return err;
}

static int pin_programs(const struct xrdma_bpf *bpf, const char *netdev)
{
	struct bpf_program *const called[] = { bpf->progs.xrdma, bpf->progs.xrdma_claim };
	char path[PATH_MAX];
	int err;

	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		xrdma_pin_path(path, netdev, bpf_program__name(called[i]));
		err = bpf_program__pin(called[i], path);
		if (err)
			return err;
	}
	err = pin_attached(bpf->progs.xrdma_exit, netdev);
	return err ? err : pin_attached(bpf->progs.xrdma_exec, netdev);
}

static int pin_all(const struct xrdma_bpf *bpf, const char *netdev)
{
	char path[PATH_MAX];
	struct bpf_map *map;
	int err;

	bpf_object__for_each_map(map, bpf->obj)
	{
		if (strncmp(bpf_map__name(map), "xrdma_", 6) || strchr(bpf_map__name(map), '.'))
			continue;
		xrdma_pin_path(path, netdev, bpf_map__name(map));
		err = bpf_map__pin(map, path);
		if (err)
			return err;
	}
	return pin_programs(bpf, netdev);
}

static int load(const char *netdev, enum xrdma_mode mode)
{
	struct xrdma_device_row row = { .magic = XRDMA_ABI_MAGIC,
					.abi_version = XRDMA_ABI_VERSION,
					.ifindex = if_nametoindex(netdev),
					.netns = xrdma_netns_cookie() };
	struct xrdma_netdev facts;
	struct xrdma_bpf *bpf;
	int err = xrdma_netdev_query(netdev, &facts);

	if (err == -EPFNOSUPPORT)
		return xrdma_fail(-err, "%s is no Ethernet netdev: RoCE needs one", netdev);
	if (err)
		return xrdma_fail(-err, "there is no netdev %s in this network namespace", netdev);
	err = xrdma_attach(&bpf, netdev, &mode);
	if (err)
		return err;
	row.mode = mode;
	fill_addrs(&row, &facts);
	err = write_row(netdev, bpf_map__fd(bpf->maps.xrdma_device), &row);
	if (err)
		goto err_attached;
	err = pin_all(bpf, netdev);
	if (err) {
		xrdma_fail(-err, "cannot pin the maps of %s: %s", netdev, strerror(-err));
		goto err_pinned;
	}
	xrdma_bpf__destroy(bpf);
	return 0;

err_pinned:
	xrdma_pin_clear(netdev);
err_attached:
	xrdma_detach(bpf_program__fd(bpf->progs.xrdma), row.ifindex);
	xrdma_bpf__destroy(bpf);
	return err;
}

int xrdma_device_load(const char *netdev, const struct xrdma_device_attr *attr)
{
	struct xrdma_device_attr all = { .mode = XRDMA_MODE_AUTO };
	int err, lock = xrdma_pin_lock(netdev, XRDMA_PIN_CREATE);

	if (lock < 0)
		return lock;
	if (attr)
		memcpy(&all, attr, attr->sz < sizeof(all) ? attr->sz : sizeof(all));
	err = make_room(netdev);
	if (!err)
		err = load(netdev, all.mode);
	if (err)
		xrdma_pin_drop(netdev);
	xrdma_pin_unlock(lock);
	return err;
}

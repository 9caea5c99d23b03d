// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* How the programs come to a netdev, and leave it. */
#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "dev/attach.h"
#include "dev/device.h"
#include "dev/quiet.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "dev/slot.h"
#include "dev/tc.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"
#include "abi_version.h"

static const __u32 only_row;

static void tell_contexts(const char *name)
{
	struct xrdma_slots slots;

	if (xrdma_slots_open(&slots, name))
		return; /* of another version, or only a part of a device */
	xrdma_slots_unload(&slots);
	xrdma_slots_close(&slots);
}

/* What a link holds at tc goes with the link's pin. */
static int detach(const char *name, const struct xrdma_device_row *row)
{
	int xdp = xrdma_pin_get(name, "xrdma"), tc = xrdma_pin_get(name, "xrdma_tc");
	int err = 0;

	if (xdp >= 0) {
		err = xrdma_detach(xdp, row->ifindex);
		close(xdp);
	}
	if (tc >= 0) {
		err = err ?: xrdma_tc_detach_filters(tc, row->ifindex);
		close(tc);
	}
	if (row->took_tags)
		xrdma_netdev_take_tags(name, true);
	return err;
}

/* Take a device's program off and remove its pins. It is locked. */
static int unload(const char *name, bool force)
{
	struct xrdma_device_row row;
	__u32 owner;
	int err = xrdma_device_read(name, &row);

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
		err = xrdma_device_contexts(name, &owner);
		if (err > 0)
			return xrdma_fail(
				EBUSY, "%s has %d contexts, one of process %u: end it, or use -f",
				name, err, owner);
	}
	tell_contexts(name);
	err = row.netns == xrdma_netns_cookie() ? detach(name, &row) : 0;
	if (err)
		return xrdma_fail(-err, "cannot detach from %s: %s", name, strerror(-err));
	return xrdma_pin_clear(name);
}

int xrdma_device_unload(const char *netdev, bool force)
{
	int err, lock = xrdma_device_lock(netdev, XRDMA_PIN_EXCLUSIVE);

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

/* Pins of a device that is no longer there give way, and so do those of a load that was killed. */
static int make_room(const char *netdev)
{
	struct xrdma_device_status status = { .sz = sizeof(status) };
	int err = xrdma_device_look(netdev, &status);

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

static int pin_program(const struct bpf_program *program, const char *netdev)
{
	char path[PATH_MAX];

	xrdma_pin_path(path, netdev, bpf_program__name(program));
	return bpf_obj_pin(bpf_program__fd(program), path);
}

static int pin_links(const int links[XRDMA_TC_PLACES], const char *netdev)
{
	char path[PATH_MAX];
	int err = 0;

	for (int i = 0; !err && i < XRDMA_TC_PLACES; i++)
		if (links[i] >= 0) {
			xrdma_pin_path(path, netdev, xrdma_tc_pins[i]);
			err = bpf_obj_pin(links[i], path);
		}
	return err;
}

static int pin_tc(const struct xrdma_attachment *attachment, const char *netdev)
{
	char path[PATH_MAX];
	int err;

	xrdma_pin_path(path, netdev, "xrdma_tc");
	err = bpf_obj_pin(bpf_program__fd(attachment->at_tc), path);
	if (!err) { /* it is empty once no process has it and no pin */
		xrdma_pin_path(path, netdev, "xrdma_follow");
		err = bpf_map__pin(attachment->tc->maps.xrdma_follow, path);
	}
	return err ?: pin_links(attachment->tc_links, netdev);
}

static int pin_programs(const struct xrdma_attachment *attachment, const char *netdev)
{
	const struct xrdma_bpf *bpf = attachment->bpf;
	int err = pin_tc(attachment, netdev);

	if (!err && attachment->mode == XRDMA_MODE_NATIVE)
		err = pin_program(bpf->progs.xrdma, netdev);
	if (!err)
		err = pin_program(bpf->progs.xrdma_claim, netdev);
	if (!err)
		err = pin_program(bpf->progs.xrdma_release, netdev);
	if (!err)
		err = pin_attached(bpf->progs.xrdma_exit, netdev);
	return err ? err : pin_attached(bpf->progs.xrdma_exec, netdev);
}

static int pin_all(const struct xrdma_attachment *attachment, const char *netdev)
{
	const struct xrdma_bpf *bpf = attachment->bpf;
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
	return pin_programs(attachment, netdev);
}

static int write_row(const struct xrdma_device *device, const char *netdev,
		     const struct xrdma_attachment *attachment)
{
	const struct xrdma_device_row row = {
		.magic = XRDMA_ABI_MAGIC,
		.abi_version = XRDMA_ABI_VERSION,
		.ifindex = device->ifindex,
		.mode = attachment->mode,
		.reason = attachment->reason,
		.took_tags = attachment->took_tags,
		.netns = xrdma_netns_cookie(),
	};
	int err = bpf_map_update_elem(device->row, &only_row, &row, BPF_ANY);

	if (err)
		return xrdma_fail(-err, "cannot write the row of %s: %s", netdev, strerror(-err));
	return xrdma_device_refresh(device);
}

static int query(const char *name, struct xrdma_netdev *netdev)
{
	int err = xrdma_netdev_query(if_nametoindex(name), netdev);

	if (err)
		return xrdma_fail(-err, "there is no netdev %s in this network namespace", name);
	if (!netdev->is_ethernet && !netdev->is_ip)
		return xrdma_fail(EPFNOSUPPORT,
				  "%s carries neither Ethernet nor IP alone: RoCE needs one that "
				  "does",
				  name);
	return 0;
}

static int load(const char *netdev, enum xrdma_mode mode)
{
	struct xrdma_attachment attachment;
	struct xrdma_device device = { 0 };
	struct xrdma_netdev facts;
	int err = query(netdev, &facts);

	if (!err)
		err = xrdma_attach(&attachment, &facts, mode);
	if (err)
		return err;
	device.ifindex = facts.ifindex;
	device.row = bpf_map__fd(attachment.bpf->maps.xrdma_device);
	device.addrs = bpf_map__fd(attachment.bpf->maps.xrdma_addrs);
	err = write_row(&device, netdev, &attachment);
	if (err)
		goto err_attached;
	err = pin_all(&attachment, netdev);
	if (err) {
		xrdma_fail(-err, "cannot pin the maps of %s: %s", netdev, strerror(-err));
		goto err_pinned;
	}
	xrdma_attachment_close(&attachment);
	return 0;

err_pinned:
	xrdma_pin_clear(netdev);
err_attached:
	xrdma_attachment_end(&attachment, &facts);
	return err;
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
		err = load(netdev, all.mode);
	xrdma_quiet_end();
	if (err)
		xrdma_pin_drop(netdev);
	xrdma_pin_unlock(lock);
	return err;
}

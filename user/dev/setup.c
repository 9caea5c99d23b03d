// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/setup.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "abi_version.h"
#include "dev/attach.h"
#include "dev/device.h"
#include "dev/load.h"
#include "dev/pin.h"
#include "dev/probe.h"
#include "dev/refusal.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "xrdma.skel.h"

static const __u32 only_row;

int xrdma_teardown(const char *name, const struct xrdma_device_row *row)
{
	int err = xrdma_detach(name, row->ifindex);

	if (row->took_tags)
		xrdma_netdev_take_tags(name, true);
	return err ? xrdma_fail(-err, "cannot detach from %s: %s", name, strerror(-err)) : 0;
}

/* Pin the link of PROGRAM. The program stays attached as long as the pin exists. */
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

static int pin_maps(const struct xrdma_bpf *maps, const char *netdev)
{
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, maps->obj)
	{
		const char *name = bpf_map__name(map);

		if (!err && !strncmp(name, "xrdma_", 6) && !strchr(name, '.'))
			err = xrdma_pin_put(netdev, name, bpf_map__fd(map));
	}
	return err;
}

/* Pin the maps, and the programs that claim and release slots. */
static int pin_all(const struct xrdma_bpf *maps, const char *netdev)
{
	int err = pin_maps(maps, netdev);

	if (!err)
		err = xrdma_pin_put(netdev, "xrdma_claim",
				    bpf_program__fd(maps->progs.xrdma_claim));
	if (!err)
		err = xrdma_pin_put(netdev, "xrdma_release",
				    bpf_program__fd(maps->progs.xrdma_release));
	if (!err)
		err = pin_attached(maps->progs.xrdma_exit, netdev);
	if (!err)
		err = pin_attached(maps->progs.xrdma_exec, netdev);
	return err ? xrdma_fail(-err, "cannot pin the maps of %s: %s", netdev, strerror(-err)) : 0;
}

/* A device that is being loaded. */
struct install {
	struct xrdma_netdev netdev;
	struct xrdma_bpf *maps;
	struct xrdma_device_row row; /* as it was written last */
};

/* Write the device's row without its addresses. xrdma_device_refresh() adds them. */
static int write_row(const struct install *install)
{
	const int map = bpf_map__fd(install->maps->maps.xrdma_device);
	int err = bpf_map_update_elem(map, &only_row, &install->row, BPF_ANY);

	return err ? xrdma_fail(-err, "cannot write the row of %s: %s", install->netdev.name,
				strerror(-err))
		   : 0;
}

static int refresh(const struct install *install)
{
	const struct xrdma_device device = {
		.ifindex = install->netdev.ifindex,
		.row = bpf_map__fd(install->maps->maps.xrdma_device),
		.addrs = bpf_map__fd(install->maps->maps.xrdma_addrs),
	};

	return xrdma_device_refresh(&device);
}

/*
 * Make the netdev leave VLAN tags in packets. XDP does not see tags that the netdev has removed,
 * and would take packets of VLANs for packets without one. The row records this change first, so
 * that unloading can undo it if this process is killed.
 */
static int keep_tags(struct install *install)
{
	const char *name = install->netdev.name;
	int err;

	if (!xrdma_netdev_takes_tags(name))
		return 0;
	install->row.took_tags = true;
	err = write_row(install);
	if (err || !xrdma_netdev_take_tags(name, false))
		return err;
	install->row.took_tags = false;
	install->row.reason = XRDMA_REASON_TAGS;
	return xrdma_fail(
		EOPNOTSUPP,
		"%s strips VLAN tags from received packets, which cannot be disabled. XDP would "
		"not see the VLAN: load it in tc mode",
		name);
}

static int attach_native(struct install *install)
{
	int err = keep_tags(install);

	if (!err)
		err = xrdma_attach(install->maps, &install->netdev, XRDMA_MODE_NATIVE);
	if (err && install->row.took_tags) {
		xrdma_netdev_take_tags(install->netdev.name, true);
		install->row.took_tags = false;
	}
	return err;
}

/*
 * Decide whether NETDEV can use native mode. Returns XRDMA_REASON_PROVED, or the reason against
 * native mode.
 */
static enum xrdma_mode_reason judge_native(const struct xrdma_netdev *netdev)
{
	if (netdev->is_ip)
		return XRDMA_REASON_NO_ETHERNET;
	if (netdev->is_veth)
		return XRDMA_REASON_VETH;
	return netdev->ifindex == XRDMA_LO ? XRDMA_REASON_NO_NATIVE
					   : xrdma_prove_native(netdev->ifindex);
}

/* Attach the programs in the row's mode, which is then set to the mode in use. */
static int attach(struct install *install)
{
	struct xrdma_device_row *row = &install->row;
	bool is_auto = row->mode == XRDMA_MODE_AUTO;

	if (is_auto)
		row->reason = judge_native(&install->netdev);
	else if (row->mode == XRDMA_MODE_NATIVE && install->netdev.is_veth)
		row->reason = XRDMA_REASON_VETH_ASKED_FOR;
	if (row->mode == XRDMA_MODE_NATIVE || row->reason == XRDMA_REASON_PROVED) {
		row->mode = XRDMA_MODE_NATIVE;
		int err = attach_native(install);

		if (!err || !is_auto)
			return err;
		if (row->reason == XRDMA_REASON_PROVED)
			row->reason = XRDMA_REASON_NO_NATIVE;
	}
	row->mode = XRDMA_MODE_TC;
	return xrdma_attach(install->maps, &install->netdev, XRDMA_MODE_TC);
}

static int query(const char *name, enum xrdma_mode mode, struct xrdma_netdev *netdev)
{
	int err = xrdma_netdev_query(if_nametoindex(name), netdev);

	if (err)
		return xrdma_fail(-err, "there is no netdev %s in this network namespace", name);
	if (!netdev->is_ethernet && !netdev->is_ip)
		return xrdma_fail(
			EPFNOSUPPORT,
			"%s carries neither Ethernet frames nor bare IP packets, and RoCE needs "
			"either",
			name);
	if (netdev->is_ip && mode == XRDMA_MODE_NATIVE)
		return xrdma_fail(EOPNOTSUPP,
				  "%s has no Ethernet frames, which native mode needs: load it in "
				  "tc mode",
				  name);
	return 0;
}

/*
 * Set up the device. The row and the pins are made before the netdev is changed, because they
 * record how to undo the changes. If this process is killed in between, the device can still be
 * unloaded or loaded again.
 */
static int set_up(struct install *install)
{
	const char *name = install->netdev.name;
	int err = write_row(install);

	if (!err)
		err = pin_all(install->maps, name);
	if (!err)
		err = attach(install);
	if (err)
		return err;
	err = write_row(install) ?: refresh(install);
	if (err)
		xrdma_teardown(name, &install->row);
	return err;
}

int xrdma_setup(const char *netdev, enum xrdma_mode mode)
{
	struct install install = {
		.row = { .magic = XRDMA_ABI_MAGIC, .abi_version = XRDMA_ABI_VERSION, .mode = mode }
	};
	int err = query(netdev, mode, &install.netdev) ?: xrdma_netns_cookie(&install.row.netns);

	if (err)
		return err;
	install.row.ifindex = install.netdev.ifindex;
	err = xrdma_load_maps(&install.maps);
	if (err)
		return xrdma_refusal(&install.netdev, mode, -err);
	err = set_up(&install);
	if (err)
		xrdma_pin_clear(netdev);
	xrdma_bpf__destroy(install.maps);
	return err;
}

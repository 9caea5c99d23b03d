// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/xdp.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "dev/load.h"
#include "dev/pin.h"
#include "dev/program.h"
#include "dev/verifier.h"
#include "lib/error.h"
#include "xrdma.skel.h"

static const char program_pin[] = "xrdma";

/* Attach through libxdp's dispatcher, which makes the program an extension of itself. */
static int attach_beside(struct xrdma_bpf *xdp, int ifindex)
{
	struct xdp_program *program = xdp_program__from_bpf_obj(xdp->obj, "xdp.frags");
	int err = libxdp_get_error(program);

	if (err)
		return err;
	err = xdp_program__set_xdp_frags_support(program, true);
	if (!err)
		err = xdp_program__attach(program, ifindex, XDP_MODE_NATIVE, 0);
	xdp_program__close(program);
	return err;
}

/*
 * Attach without the dispatcher, by netlink. A link would do as well, but for links the kernel
 * gives no reason (extack) when it refuses.
 */
static int attach_alone(struct xrdma_bpf *xdp, int ifindex)
{
	const __u32 flags = XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST;
	int err = xrdma_bpf__load(xdp);

	return err ?: bpf_xdp_attach(ifindex, bpf_program__fd(xdp->progs.xrdma), flags, NULL);
}

/*
 * Try the dispatcher first. It does not work on all kernels: some are built without extensions, and
 * since 6.12 an extension may change packets only if the function that it replaces does. In libxdp
 * before 1.5 that function does not, and the kernel returns EINVAL.
 */
int xrdma_xdp_attach(const struct xrdma_bpf *maps, const char *device, int ifindex)
{
	struct xrdma_bpf *xdp;
	int err = xrdma_open_xdp(maps, &xdp);

	if (err)
		return err;
	err = attach_beside(xdp, ifindex);
	if (err && err != -EBUSY && err != -EEXIST && err != -EPERM) {
		xrdma_verifier_message();
		xrdma_bpf__destroy(xdp);
		err = xrdma_open_xdp(maps, &xdp);
		if (err)
			return err;
		err = attach_alone(xdp, ifindex);
	}
	if (!err)
		err = xrdma_pin_put(device, program_pin, bpf_program__fd(xdp->progs.xrdma));
	xrdma_bpf__destroy(xdp);
	if (err)
		xrdma_xdp_detach(device, ifindex);
	return err;
}

/*
 * Returns the program after PROGRAM in ON, the programs of a netdev, or NULL at the end. If PROGRAM
 * is NULL, returns the first one.
 */
static struct xdp_program *next(const struct xdp_multiprog *on, struct xdp_program *program)
{
	if (!xdp_multiprog__is_legacy(on))
		return xdp_multiprog__next_prog(program, on);
	return program ? NULL : xdp_multiprog__main_prog(on);
}

/*
 * Returns 1 if PROGRAM uses the map xrdma_device with id DEVICE, else 0 or -errno. If DEVICE is 0,
 * the map of any device counts.
 */
static int is_of(const struct xdp_program *program, __u32 device)
{
	__u32 its;
	int err = xrdma_program_device(xdp_program__fd(program), &its);

	return err ?: its && (!device || its == device);
}

/*
 * Set *PROGRAM to the program in ON that uses the map DEVICE (0: any device's), or to NULL. Returns
 * 0 or -errno.
 */
static int find(const struct xdp_multiprog *on, __u32 device, struct xdp_program **program)
{
	int is;

	*program = NULL;
	do {
		*program = next(on, *program);
		is = *program ? is_of(*program, device) : 1;
	} while (!is);
	return is < 0 ? is : 0;
}

/* Set *ID to the id of the map xrdma_device that DEVICE has pinned. Returns 0 or -errno. */
static int find_pinned(const char *device, __u32 *id)
{
	int map = xrdma_pin_get(device, "xrdma_device");

	if (map < 0)
		return map;
	*id = xrdma_program_device_map(map);
	close(map);
	return *id ? 0 : -ENOENT;
}

/*
 * Set *ON to the programs on the netdev IFINDEX, or to NULL if there are none or there is no
 * netdev. Returns 0 or -errno.
 */
static int open_netdev(int ifindex, struct xdp_multiprog **on)
{
	int err;

	*on = xdp_multiprog__get_from_ifindex(ifindex);
	err = libxdp_get_error(*on);
	if (err)
		*on = NULL;
	return err == -ENOENT || err == -ENODEV ? 0 : err;
}

/*
 * Returns 1 if a program on the netdev IFINDEX uses the map DEVICE (0: any device's), else 0 or
 * -errno. If TAKE_OFF is true, that program is detached.
 */
static int look(int ifindex, __u32 device, bool take_off)
{
	struct xdp_program *program;
	struct xdp_multiprog *on;
	int err = open_netdev(ifindex, &on);

	if (!on)
		return err;
	err = find(on, device, &program);
	if (!err && program && take_off)
		err = xdp_program__detach(program, ifindex, xdp_multiprog__attach_mode(on), 0);
	xdp_multiprog__close(on);
	return err ?: program != NULL;
}

/*
 * Call look() for the map that DEVICE has pinned, and return its result. Returns 0 if DEVICE has
 * none.
 */
static int look_for(const char *device, int ifindex, bool take_off)
{
	__u32 map;
	int err = find_pinned(device, &map);

	return err ? err == -ENOENT ? 0 : err : look(ifindex, map, take_off);
}

int xrdma_xdp_detach(const char *device, int ifindex)
{
	int err = look_for(device, ifindex, true);

	if (err < 0)
		return err;
	xrdma_pin_remove(device, program_pin);
	return 0;
}

int xrdma_xdp_attached(const char *device, int ifindex)
{
	return look_for(device, ifindex, false);
}

bool xrdma_xdp_is_ours(int ifindex)
{
	return look(ifindex, 0, false) > 0;
}

static int fail_unknown(const char *device, int err)
{
	return xrdma_fail(-err, "cannot find out which XDP programs are before %s: %s", device,
			  strerror(-err));
}

int xrdma_xdp_each_before(const char *device, int ifindex,
			  const struct xrdma_program_visitor *visitor)
{
	struct xdp_program *program = NULL;
	char netdev[IF_NAMESIZE];
	struct xdp_multiprog *on;
	__u32 map;
	int err = find_pinned(device, &map) ?: open_netdev(ifindex, &on), is = 0;

	if (err)
		return fail_unknown(device, err);
	if (!on)
		return 0;
	if (if_indextoname(ifindex, netdev))
		while (!err && (program = next(on, program)) && !(is = is_of(program, map)))
			err = xrdma_program_report(visitor, XRDMA_HOOK_XDP, netdev,
						   xdp_program__id(program));
	xdp_multiprog__close(on);
	return is < 0 ? fail_unknown(device, is) : err;
}

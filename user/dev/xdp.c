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
#include "xrdma.skel.h"

static const char program_pin[] = "xrdma";

/* libxdp's dispatcher makes the program an extension of itself. */
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

/* This goes by netlink, to which the kernel says why it refuses (extack); to links it does not. */
static int attach_alone(struct xrdma_bpf *xdp, int ifindex)
{
	const __u32 flags = XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST;
	int err = xrdma_bpf__load(xdp);

	return err ?: bpf_xdp_attach(ifindex, bpf_program__fd(xdp->progs.xrdma), flags, NULL);
}

/*
 * Kernels from 6.12 on refuse an extension that changes packets where the dispatcher's placeholder
 * does not, which that of libxdp before 1.5 does not (EINVAL); some are built without extensions.
 */
int xrdma_xdp_attach(const struct xrdma_bpf *maps, const char *device, int ifindex)
{
	struct xrdma_bpf *xdp;
	int err = xrdma_open_xdp(maps, &xdp);

	if (err)
		return err;
	err = attach_beside(xdp, ifindex);
	if (err && err != -EBUSY && err != -EEXIST && err != -EPERM) {
		xrdma_verifier_said();
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

/* Returns the program behind PROGRAM ON a netdev, or NULL; if PROGRAM is NULL, the first one. */
static struct xdp_program *next(const struct xdp_multiprog *on, struct xdp_program *program)
{
	if (!xdp_multiprog__is_legacy(on))
		return xdp_multiprog__next_prog(program, on);
	return program ? NULL : xdp_multiprog__main_prog(on);
}

/* DEVICE is the id of a map xrdma_device, or 0 for that of any device. */
static bool is_of(const struct xdp_program *program, __u32 device)
{
	const __u32 its = xrdma_program_device(xdp_program__fd(program));

	return its && (!device || its == device);
}

/* Returns the program ON a netdev that uses the map DEVICE (0: any device's), or NULL. */
static struct xdp_program *find(const struct xdp_multiprog *on, __u32 device)
{
	struct xdp_program *program = next(on, NULL);

	while (program && !is_of(program, device))
		program = next(on, program);
	return program;
}

/* Returns the id of the map xrdma_device that DEVICE has pinned, or 0. */
static __u32 pinned_device(const char *device)
{
	int map = xrdma_pin_get(device, "xrdma_device");
	__u32 id = xrdma_program_device_map(map);

	if (map >= 0)
		close(map);
	return id;
}

int xrdma_xdp_detach(const char *device, int ifindex)
{
	const __u32 map = pinned_device(device);
	struct xdp_multiprog *on = map ? xdp_multiprog__get_from_ifindex(ifindex) : NULL;
	struct xdp_program *program;
	int err = 0;

	xrdma_pin_remove(device, program_pin);
	if (!on || libxdp_get_error(on))
		return 0;
	program = find(on, map);
	if (program)
		err = xdp_program__detach(program, ifindex, xdp_multiprog__attach_mode(on), 0);
	xdp_multiprog__close(on);
	return err;
}

static bool has(int ifindex, __u32 device)
{
	struct xdp_multiprog *on = xdp_multiprog__get_from_ifindex(ifindex);
	bool has;

	if (libxdp_get_error(on))
		return false;
	has = find(on, device);
	xdp_multiprog__close(on);
	return has;
}

bool xrdma_xdp_attached(const char *device, int ifindex)
{
	const __u32 map = pinned_device(device);

	return map && has(ifindex, map);
}

bool xrdma_xdp_is_ours(int ifindex)
{
	return has(ifindex, 0);
}

int xrdma_xdp_each_before(const char *device, int ifindex,
			  const struct xrdma_program_visitor *visitor)
{
	struct xdp_multiprog *on = xdp_multiprog__get_from_ifindex(ifindex);
	const __u32 map = pinned_device(device);
	char netdev[IF_NAMESIZE];
	int err = 0;

	if (libxdp_get_error(on))
		return 0;
	if (if_indextoname(ifindex, netdev))
		for (struct xdp_program *program = next(on, NULL);
		     !err && program && !is_of(program, map); program = next(on, program))
			err = xrdma_program_tell(visitor, XRDMA_HOOK_XDP, netdev,
						 xdp_program__id(program));
	xdp_multiprog__close(on);
	return err;
}

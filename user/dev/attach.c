// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/attach.h"

#include <errno.h>
#include <unistd.h>

#include "dev/load.h"
#include "dev/pin.h"
#include "dev/refusal.h"
#include "dev/tc.h"
#include "dev/xdp.h"
#include "net/netdev.h"
#include "xrdma_tc.skel.h"

static const char tc_pin[] = "xrdma_tc", tailcalls_pin[] = "xrdma_tailcalls";

/*
 * Return the settings of the tc program for NETDEV. The other end of a veth in native mode most
 * likely is in native mode, too, and receives by NAPI.
 */
static struct xrdma_tc_settings settings_of(const struct xrdma_netdev *netdev, enum xrdma_mode mode)
{
	enum { USUAL_WEIGHT = 64 };
	const bool is_behind = mode == XRDMA_MODE_NATIVE;

	return (struct xrdma_tc_settings){
		.local = XRDMA_LO,
		.is_behind = is_behind,
		.yields = is_behind && netdev->is_veth ? USUAL_WEIGHT : 0,
	};
}

/*
 * Pin the tc program and its maps. The map of tail calls is emptied when no process and no pin has
 * it any more.
 */
static int pin_tc(const struct xrdma_tc_bpf *tc, int program, const char *device)
{
	int err = xrdma_pin_put(device, tc_pin, program);

	return err ?: xrdma_pin_put(device, tailcalls_pin, bpf_map__fd(tc->maps.xrdma_tailcalls));
}

static int pin_links(const int links[XRDMA_TC_PLACES], const char *device)
{
	int err = 0;

	for (int i = 0; !err && i < XRDMA_TC_PLACES; i++)
		if (links[i] >= 0)
			err = xrdma_pin_put(device, xrdma_tc_pins[i], links[i]);
	return err;
}

/*
 * Attach the tc program. It is pinned first: filters that a killed process has left are found by
 * this pin.
 */
static int attach_tc(const struct xrdma_tc_bpf *tc, const struct xrdma_netdev *netdev)
{
	const int program =
		bpf_program__fd(netdev->is_ip ? tc->progs.xrdma_tc_ip : tc->progs.xrdma_tc);
	int links[XRDMA_TC_PLACES];
	int err = pin_tc(tc, program, netdev->name);

	if (!err)
		err = xrdma_tc_attach(program, netdev->ifindex, links);
	if (err)
		return err;
	err = pin_links(links, netdev->name);
	xrdma_tc_close(links);
	return err;
}

/*
 * Get the pinned links. If a place has a filter instead of a link, its number becomes -ENOENT.
 * Returns 0 or -errno.
 */
static int get_links(const char *device, int links[XRDMA_TC_PLACES])
{
	int err = 0;

	for (int i = 0; i < XRDMA_TC_PLACES; i++) {
		links[i] = xrdma_pin_get(device, xrdma_tc_pins[i]);
		if (links[i] < 0 && links[i] != -ENOENT)
			err = links[i];
	}
	return err;
}

static int detach_tc(const char *device, int ifindex)
{
	int program = xrdma_pin_get(device, tc_pin), err = program;

	if (program >= 0) {
		err = xrdma_tc_detach_filters(program, ifindex);
		close(program);
	}
	if (err && err != -ENOENT)
		return err;
	for (int i = 0; i < XRDMA_TC_PLACES; i++)
		xrdma_pin_remove(device, xrdma_tc_pins[i]);
	xrdma_pin_remove(device, tailcalls_pin);
	xrdma_pin_remove(device, tc_pin);
	return 0;
}

/*
 * Load and attach the programs. The tc program must pass the verifier before the XDP program is
 * attached. *PART is the mode of the program that an error is about.
 */
static int attach(const struct xrdma_bpf *maps, const struct xrdma_netdev *netdev,
		  enum xrdma_mode mode, enum xrdma_mode *part)
{
	const struct xrdma_tc_settings settings = settings_of(netdev, mode);
	struct xrdma_tc_bpf *tc;
	int err;

	*part = XRDMA_MODE_TC;
	err = xrdma_load_tc(maps, &settings, &tc);
	if (err)
		return err;
	if (mode == XRDMA_MODE_NATIVE) {
		*part = XRDMA_MODE_NATIVE;
		err = xrdma_xdp_attach(maps, netdev->name, netdev->ifindex);
	}
	if (!err) {
		*part = XRDMA_MODE_TC;
		err = attach_tc(tc, netdev);
	}
	xrdma_tc_bpf__destroy(tc);
	return err;
}

int xrdma_attach(const struct xrdma_bpf *maps, const struct xrdma_netdev *netdev,
		 enum xrdma_mode mode)
{
	enum xrdma_mode part;
	int err = attach(maps, netdev, mode, &part);

	if (!err)
		return 0;
	xrdma_detach(netdev->name, netdev->ifindex);
	return xrdma_refusal(netdev, part, -err);
}

int xrdma_detach(const char *device, int ifindex)
{
	return xrdma_xdp_detach(device, ifindex) ?: detach_tc(device, ifindex);
}

static int is_at_tc(const char *device, int ifindex)
{
	int program = xrdma_pin_get(device, tc_pin), links[XRDMA_TC_PLACES], is;

	if (program < 0)
		return program == -ENOENT ? 0 : program;
	is = get_links(device, links) ?: xrdma_tc_attached(program, links, ifindex);
	xrdma_tc_close(links);
	close(program);
	return is;
}

int xrdma_attached(const char *device, int ifindex, enum xrdma_mode mode)
{
	int is = is_at_tc(device, ifindex);

	return is <= 0 || mode == XRDMA_MODE_TC ? is : xrdma_xdp_attached(device, ifindex);
}

/* Visit XDP programs first, then tc programs. */
int xrdma_attach_each_before(const char *device, int ifindex,
			     const struct xrdma_program_visitor *visitor)
{
	int program = xrdma_pin_get(device, tc_pin), err;

	if (program < 0)
		return program;
	err = xrdma_xdp_each_before(device, ifindex, visitor);
	if (!err && ifindex != XRDMA_LO)
		err = xrdma_xdp_each_before(device, XRDMA_LO, visitor);
	if (!err)
		err = xrdma_tc_each_before(program, ifindex, visitor);
	close(program);
	return err;
}

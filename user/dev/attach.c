// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <xdp/libxdp.h>

#include "dev/proof.h"
#include "dev/refusal.h"
#include "dev/verifier.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

/* Beside others, by libxdp's dispatcher, which makes the program an extension of itself. */
static int attach_beside(struct xrdma_bpf *bpf, int ifindex)
{
	struct xdp_program *program = xdp_program__from_bpf_obj(bpf->obj, "xdp.frags");
	int err = libxdp_get_error(program);

	if (err)
		return err;
	err = xdp_program__set_xdp_frags_support(program, true);
	if (!err)
		err = xdp_program__attach(program, ifindex, XDP_MODE_NATIVE, 0);
	xdp_program__close(program);
	return err;
}

static int attach_alone(struct xrdma_bpf *bpf, int ifindex)
{
	const __u32 flags = XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST;
	int err = xrdma_bpf__load(bpf);

	return err ? err : bpf_xdp_attach(ifindex, bpf_program__fd(bpf->progs.xrdma), flags, NULL);
}

static int open_and(int (*attach)(struct xrdma_bpf *bpf, int ifindex), struct xrdma_bpf **bpf,
		    int ifindex)
{
	int err = xrdma_open(bpf);

	if (err)
		return err;
	err = attach(*bpf, ifindex);
	if (err)
		xrdma_bpf__destroy(*bpf);
	return err;
}

/*
 * Kernels from 6.12 on refuse an extension that changes packets where the dispatcher's placeholder
 * does not, which that of libxdp before 1.5 does not (EINVAL); some are built without extensions.
 */
static int attach_xdp(struct xrdma_attachment *to, int ifindex)
{
	int err;

	to->part = XRDMA_MODE_NATIVE;
	err = open_and(attach_beside, &to->bpf, ifindex);
	if (!err || err == -EBUSY || err == -EEXIST || err == -EPERM)
		return err;
	xrdma_verifier_said();
	return open_and(attach_alone, &to->bpf, ifindex);
}

/* The peer of a veth in native mode most likely is another, and receives by NAPI. */
static struct xrdma_tc_settings settings_of(const struct xrdma_attachment *to,
					    const struct xrdma_netdev *netdev)
{
	enum { USUAL_WEIGHT = 64 };
	const bool is_behind = to->mode == XRDMA_MODE_NATIVE;

	return (struct xrdma_tc_settings){
		.local = XRDMA_LO,
		.is_behind = is_behind,
		.turns = is_behind && netdev->is_veth ? USUAL_WEIGHT : 0,
	};
}

/* The program at tc, for which the maps are loaded. */
static int attach_tc_part(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	const struct xrdma_tc_settings settings = settings_of(to, netdev);
	int err;

	to->part = XRDMA_MODE_TC;
	err = xrdma_load_tc(to->bpf, &settings, &to->tc);
	if (err)
		return err;
	to->at_tc = netdev->is_ip ? to->tc->progs.xrdma_tc_ip : to->tc->progs.xrdma_tc;
	err = xrdma_tc_attach(bpf_program__fd(to->at_tc), netdev->ifindex, to->tc_links);
	if (err)
		xrdma_tc_bpf__destroy(to->tc);
	return err;
}

static int attach_native(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	int err = attach_xdp(to, netdev->ifindex);

	if (err)
		return err;
	err = attach_tc_part(to, netdev);
	if (!err)
		return 0;
	xrdma_detach(bpf_program__fd(to->bpf->progs.xrdma), netdev->ifindex);
	xrdma_bpf__destroy(to->bpf);
	return err;
}

/* The maps, and no XDP program. */
static int load_maps(struct xrdma_bpf **bpf)
{
	int err = xrdma_open(bpf);

	if (err)
		return err;
	err = bpf_program__set_autoload((*bpf)->progs.xrdma, false);
	if (!err)
		err = xrdma_bpf__load(*bpf);
	if (err)
		xrdma_bpf__destroy(*bpf);
	return err;
}

static int attach_tc(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	int err;

	to->part = XRDMA_MODE_TC;
	err = load_maps(&to->bpf);
	if (err)
		return err;
	err = attach_tc_part(to, netdev);
	if (err)
		xrdma_bpf__destroy(to->bpf);
	return err;
}

/* What the netdev takes off, XDP does not see: packets of VLANs would be served as of none. */
static int attach_seeing_tags(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	int err;

	to->took_tags = xrdma_netdev_takes_tags(netdev->name);
	if (to->took_tags && xrdma_netdev_take_tags(netdev->name, false)) {
		to->took_tags = false;
		to->reason = XRDMA_REASON_TAGS;
		return -EOPNOTSUPP;
	}
	err = attach_native(to, netdev);
	if (err && to->took_tags) {
		xrdma_netdev_take_tags(netdev->name, true);
		to->took_tags = false;
	}
	return err;
}

/* XRDMA_REASON_PROVED, or what speaks against native mode. */
static enum xrdma_mode_reason judge_native(const struct xrdma_netdev *netdev)
{
	if (netdev->is_ip)
		return XRDMA_REASON_NO_ETHERNET;
	if (netdev->is_veth)
		return XRDMA_REASON_VETH;
	return netdev->ifindex == XRDMA_LO ? XRDMA_REASON_NO_NATIVE
					   : xrdma_prove_native(netdev->ifindex);
}

static int attach_auto(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	to->reason = judge_native(netdev);
	if (to->reason == XRDMA_REASON_PROVED) {
		to->mode = XRDMA_MODE_NATIVE;
		if (!attach_seeing_tags(to, netdev))
			return 0;
		if (to->reason == XRDMA_REASON_PROVED)
			to->reason = XRDMA_REASON_NO_NATIVE;
	}
	to->mode = XRDMA_MODE_TC;
	return attach_tc(to, netdev);
}

static int attach(struct xrdma_attachment *to, const struct xrdma_netdev *netdev)
{
	switch (to->mode) {
	case XRDMA_MODE_AUTO:
		return attach_auto(to, netdev);
	case XRDMA_MODE_NATIVE:
		if (netdev->is_veth)
			to->reason = XRDMA_REASON_VETH_ASKED_FOR;
		return attach_seeing_tags(to, netdev);
	default:
		return attach_tc(to, netdev);
	}
}

int xrdma_attach(struct xrdma_attachment *to, const struct xrdma_netdev *netdev,
		 enum xrdma_mode mode)
{
	int err;

	if (netdev->is_ip && mode == XRDMA_MODE_NATIVE)
		return xrdma_fail(EOPNOTSUPP,
				  "%s has no Ethernet frames, which native mode needs: load it in "
				  "tc mode",
				  netdev->name);
	*to = (struct xrdma_attachment){ .tc_links = { -1, -1 }, .mode = mode };
	err = attach(to, netdev);
	if (err && to->mode == XRDMA_MODE_NATIVE && to->reason == XRDMA_REASON_TAGS)
		return xrdma_fail(EOPNOTSUPP,
				  "%s takes VLAN tags off its packets and cannot but do so, so XDP "
				  "would not see whose they are: load it in tc mode",
				  netdev->name);
	return err ? xrdma_refusal(netdev->name, to->part, -err) : 0;
}

void xrdma_attachment_close(struct xrdma_attachment *attachment)
{
	xrdma_tc_close(attachment->tc_links);
	xrdma_tc_bpf__destroy(attachment->tc);
	xrdma_bpf__destroy(attachment->bpf);
	*attachment = (struct xrdma_attachment){ .tc_links = { -1, -1 } };
}

void xrdma_attachment_end(struct xrdma_attachment *attachment, const struct xrdma_netdev *netdev)
{
	xrdma_tc_detach_filters(bpf_program__fd(attachment->at_tc), netdev->ifindex);
	if (attachment->mode == XRDMA_MODE_NATIVE)
		xrdma_detach(bpf_program__fd(attachment->bpf->progs.xrdma), netdev->ifindex);
	if (attachment->took_tags)
		xrdma_netdev_take_tags(netdev->name, true);
	xrdma_attachment_close(attachment);
}

int xrdma_detach(int program, int ifindex)
{
	struct xdp_program *attached = xdp_program__from_fd(program);
	enum xdp_attach_mode mode;
	int err = libxdp_get_error(attached);

	if (err)
		return err;
	mode = xdp_program__is_attached(attached, ifindex);
	if (mode != XDP_MODE_UNSPEC)
		err = xdp_program__detach(attached, ifindex, mode, 0);
	xdp_program__close(attached);
	return err;
}

bool xrdma_attached(int program, int ifindex)
{
	struct xdp_program *attached = xdp_program__from_fd(program);
	bool is;

	if (libxdp_get_error(attached))
		return false;
	is = xdp_program__is_attached(attached, ifindex) != XDP_MODE_UNSPEC;
	xdp_program__close(attached);
	return is;
}

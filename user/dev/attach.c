// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <xdp/libxdp.h>

#include "dev/proof.h"
#include "dev/refusal.h"
#include "dev/verifier.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

static int quiet_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

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
static struct xrdma_tc_settings settings_of(const struct xrdma_attachment *to, int ifindex)
{
	enum { USUAL_WEIGHT = 64 };
	const bool is_behind = to->mode == XRDMA_MODE_NATIVE;
	struct xrdma_netdev facts;

	return (struct xrdma_tc_settings){
		.local = XRDMA_LO,
		.is_behind = is_behind,
		.turns = is_behind && !xrdma_netdev_query(ifindex, &facts) && facts.is_veth
				 ? USUAL_WEIGHT
				 : 0,
	};
}

/* The program at tc, for which the maps are loaded. */
static int attach_tc_part(struct xrdma_attachment *to, int ifindex)
{
	const struct xrdma_tc_settings settings = settings_of(to, ifindex);
	int err;

	to->part = XRDMA_MODE_TC;
	err = xrdma_load_tc(to->bpf, &settings, &to->tc);
	if (err)
		return err;
	err = xrdma_tc_attach(bpf_program__fd(to->tc->progs.xrdma_tc), ifindex, to->tc_links);
	if (err)
		xrdma_tc_bpf__destroy(to->tc);
	return err;
}

static int attach_native(struct xrdma_attachment *to, int ifindex)
{
	int err = attach_xdp(to, ifindex);

	if (err)
		return err;
	err = attach_tc_part(to, ifindex);
	if (!err)
		return 0;
	xrdma_detach(bpf_program__fd(to->bpf->progs.xrdma), ifindex);
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

static int attach_tc(struct xrdma_attachment *to, int ifindex)
{
	int err;

	to->part = XRDMA_MODE_TC;
	err = load_maps(&to->bpf);
	if (err)
		return err;
	err = attach_tc_part(to, ifindex);
	if (err)
		xrdma_bpf__destroy(to->bpf);
	return err;
}

/* What the netdev takes off, XDP does not see: packets of VLANs would be served as of none. */
static int attach_seeing_tags(struct xrdma_attachment *to, const char *netdev, int ifindex)
{
	int err;

	to->took_tags = xrdma_netdev_takes_tags(netdev);
	if (to->took_tags && xrdma_netdev_take_tags(netdev, false)) {
		to->took_tags = false;
		to->reason = XRDMA_REASON_TAGS;
		return -EOPNOTSUPP;
	}
	err = attach_native(to, ifindex);
	if (err && to->took_tags) {
		xrdma_netdev_take_tags(netdev, true);
		to->took_tags = false;
	}
	return err;
}

static bool is_veth(int ifindex)
{
	struct xrdma_netdev facts;

	return !xrdma_netdev_query(ifindex, &facts) && facts.is_veth;
}

static int attach_auto(struct xrdma_attachment *to, const char *netdev, int ifindex)
{
	to->reason = is_veth(ifindex) ? XRDMA_REASON_VETH : xrdma_prove_native(ifindex);
	if (to->reason == XRDMA_REASON_PROVED) {
		to->mode = XRDMA_MODE_NATIVE;
		if (!attach_seeing_tags(to, netdev, ifindex))
			return 0;
		if (to->reason == XRDMA_REASON_PROVED)
			to->reason = XRDMA_REASON_NO_NATIVE;
	}
	to->mode = XRDMA_MODE_TC;
	return attach_tc(to, ifindex);
}

static int attach(struct xrdma_attachment *to, const char *netdev, int ifindex)
{
	switch (to->mode) {
	case XRDMA_MODE_AUTO:
		return attach_auto(to, netdev, ifindex);
	case XRDMA_MODE_NATIVE:
		if (is_veth(ifindex))
			to->reason = XRDMA_REASON_VETH_ASKED_FOR;
		return attach_seeing_tags(to, netdev, ifindex);
	default:
		return attach_tc(to, ifindex);
	}
}

int xrdma_attach(struct xrdma_attachment *to, const char *netdev, enum xrdma_mode mode)
{
	libbpf_print_fn_t print = libbpf_set_print(xrdma_verifier_listen);
	int err;

	libxdp_set_print(quiet_libxdp);
	*to = (struct xrdma_attachment){ .tc_links = { -1, -1 }, .mode = mode };
	err = attach(to, netdev, if_nametoindex(netdev));
	libbpf_set_print(print);
	if (err && to->mode == XRDMA_MODE_NATIVE && to->reason == XRDMA_REASON_TAGS)
		return xrdma_fail(EOPNOTSUPP,
				  "%s takes VLAN tags off its packets and cannot but do so, so XDP "
				  "would not see whose they are: load it in tc mode",
				  netdev);
	return err ? xrdma_refusal(netdev, to->part, -err) : 0;
}

void xrdma_attachment_close(struct xrdma_attachment *attachment)
{
	xrdma_tc_close(attachment->tc_links);
	xrdma_tc_bpf__destroy(attachment->tc);
	xrdma_bpf__destroy(attachment->bpf);
	*attachment = (struct xrdma_attachment){ .tc_links = { -1, -1 } };
}

void xrdma_attachment_end(struct xrdma_attachment *attachment, const char *netdev)
{
	int ifindex = if_nametoindex(netdev);

	xrdma_tc_detach_filters(bpf_program__fd(attachment->tc->progs.xrdma_tc), ifindex);
	if (attachment->mode == XRDMA_MODE_NATIVE)
		xrdma_detach(bpf_program__fd(attachment->bpf->progs.xrdma), ifindex);
	if (attachment->took_tags)
		xrdma_netdev_take_tags(netdev, true);
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

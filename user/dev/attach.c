// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "net/netdev.h"
#include "dev/refusal.h"
#include "dev/tc.h"
#include "dev/verifier.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

enum { PROBES = 8, PROBE_WAIT_MS = 50, PROBE_LEN = 64, ETH_P_EXPERIMENTAL = 0x88b5 };

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
static int attach_native(struct xrdma_attachment *to, int ifindex)
{
	int err = open_and(attach_beside, &to->bpf, ifindex);

	if (!err || err == -EBUSY || err == -EEXIST || err == -EPERM)
		return err;
	xrdma_verifier_said();
	return open_and(attach_alone, &to->bpf, ifindex);
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
	int err = load_maps(&to->bpf);

	if (err)
		return err;
	err = xrdma_load_tc(to->bpf, &to->tc);
	if (!err) {
		err = xrdma_tc_attach(bpf_program__fd(to->tc->progs.xrdma_tc), ifindex,
				      &to->tc_link);
		if (!err)
			return 0;
		xrdma_tc_bpf__destroy(to->tc);
	}
	xrdma_bpf__destroy(to->bpf);
	return err;
}

/* Frames for nobody, sent from XDP by the netdev's driver. */
static int send_probes(int ifindex, const struct xrdma_netdev *netdev)
{
	struct bpf_insn answer[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_TX },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	__u8 frame[PROBE_LEN] = { 0 };
	struct ethhdr *eth = (void *)frame;
	struct xdp_md context = { .data_end = sizeof(frame), .ingress_ifindex = ifindex };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = PROBES,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	int program, err;

	memcpy(eth->h_dest, netdev->mac, ETH_ALEN);
	memcpy(eth->h_source, netdev->mac, ETH_ALEN);
	eth->h_proto = htobe16(ETH_P_EXPERIMENTAL);
	program = bpf_prog_load(BPF_PROG_TYPE_XDP, "xrdma_probe", "GPL", answer, 2, NULL);
	if (program < 0)
		return program;
	err = bpf_prog_test_run_opts(program, &opts);
	close(program);
	return err;
}

/* Whether what XDP sends leaves the netdev: its driver counts each frame that does. */
static bool replies_leave(int ifindex)
{
	struct xrdma_netdev before, now;

	if (xrdma_netdev_query(ifindex, &before) || send_probes(ifindex, &before))
		return false;
	for (int ms = 0; ms < PROBE_WAIT_MS; ms++) {
		if (xrdma_netdev_query(ifindex, &now))
			return false;
		if (now.tx_packets - before.tx_packets >= PROBES)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

static int attach_auto(struct xrdma_attachment *to, int ifindex, enum xrdma_mode *mode)
{
	struct xrdma_netdev netdev;

	if (!xrdma_netdev_query(ifindex, &netdev) && !netdev.is_veth &&
	    !attach_native(to, ifindex)) {
		*mode = XRDMA_MODE_NATIVE;
		if (replies_leave(ifindex))
			return 0;
		xrdma_attachment_end(to, ifindex);
	}
	*mode = XRDMA_MODE_TC;
	return attach_tc(to, ifindex);
}

int xrdma_attach(struct xrdma_attachment *to, const char *netdev, enum xrdma_mode *mode)
{
	libbpf_print_fn_t print = libbpf_set_print(xrdma_verifier_listen);
	int ifindex = if_nametoindex(netdev), err;

	libxdp_set_print(quiet_libxdp);
	*to = (struct xrdma_attachment){ .tc_link = -1 };
	if (*mode == XRDMA_MODE_AUTO)
		err = attach_auto(to, ifindex, mode);
	else
		err = *mode == XRDMA_MODE_NATIVE ? attach_native(to, ifindex)
						 : attach_tc(to, ifindex);
	libbpf_set_print(print);
	return err ? xrdma_refusal(netdev, *mode, -err) : 0;
}

void xrdma_attachment_close(struct xrdma_attachment *attachment)
{
	if (attachment->tc_link >= 0)
		close(attachment->tc_link);
	xrdma_tc_bpf__destroy(attachment->tc);
	xrdma_bpf__destroy(attachment->bpf);
	*attachment = (struct xrdma_attachment){ .tc_link = -1 };
}

void xrdma_attachment_end(struct xrdma_attachment *attachment, int ifindex)
{
	if (attachment->tc)
		xrdma_tc_detach_filter(bpf_program__fd(attachment->tc->progs.xrdma_tc), ifindex);
	else
		xrdma_detach(bpf_program__fd(attachment->bpf->progs.xrdma), ifindex);
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

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/refusal.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/error.h"
#include "dev/verifier.h"
#include "dev/xdp.h"
#include "net/netdev.h"

static bool has_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	btf__free(btf);
	return btf;
}

/* Returns whether the kernel is older than 6.1. Its messages differ by version and do not help. */
static bool is_too_old(void)
{
	struct utsname kernel;
	int major = 0, minor = 0;

	uname(&kernel);
	sscanf(kernel.release, "%d.%d", &major, &minor);
	return major < 6 || (major == 6 && minor < 1);
}

static int kernel_fails(const char *what, const char *more)
{
	struct utsname kernel;

	uname(&kernel);
	return xrdma_fail(EOPNOTSUPP, "kernel %s %s: %s", kernel.release, what, more);
}

/*
 * Returns whether a program of another device is on NETDEV. Two programs can be there only if
 * libxdp's dispatcher works. If a netdev moves to another network namespace, the program of its
 * device stays on it, and the device's pins are elsewhere.
 */
static int is_taken(const struct xrdma_netdev *netdev)
{
	if (xrdma_xdp_is_ours(netdev->ifindex))
		return xrdma_fail(EBUSY,
				  "%s has the XDP program of a device of xrdma that is pinned in "
				  "another BPF file system, or was loaded in another network "
				  "namespace: unload it there, or remove it by ip link set dev %s "
				  "xdp off",
				  netdev->name, netdev->name);
	return xrdma_fail(EBUSY,
			  "%s has another XDP program: ip link set dev %s xdp off removes it",
			  netdev->name, netdev->name);
}

int xrdma_refusal(const struct xrdma_netdev *netdev, enum xrdma_mode mode, int error)
{
	const char *message = xrdma_verifier_message(), *reason = xrdma_extack_message();

	if (error == EPERM)
		return xrdma_fail(EPERM, "loading the program needs CAP_BPF, CAP_NET_ADMIN and "
					 "CAP_PERFMON: run as root");
	if (mode == XRDMA_MODE_TC && error == EEXIST)
		return xrdma_fail(EBUSY,
				  "%s is loaded already, with its pins in another BPF file system",
				  netdev->name);
	if (error == EBUSY || error == EEXIST)
		return is_taken(netdev);
	if (is_too_old())
		return kernel_fails("is too old", "6.1 is needed");
	if (*message)
		return kernel_fails("refuses the program", message);
	if (!has_btf())
		return kernel_fails("has no BTF", "one with CONFIG_DEBUG_INFO_BTF is needed");
	if (!libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL))
		return kernel_fails("has no BPF tracing", "one with CONFIG_BPF_EVENTS is needed");
	if (mode == XRDMA_MODE_TC && error == ENOENT)
		return kernel_fails(
			"has no BPF at tc",
			"one with CONFIG_NET_CLS_BPF and CONFIG_NET_SCH_INGRESS is needed");
	return xrdma_fail(error, "%s refuses %s mode: %s", netdev->name,
			  mode == XRDMA_MODE_NATIVE ? "native" : "tc",
			  *reason ? reason : strerror(error));
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Devices: netdevs that the program is loaded on. All calls are thread safe, and processes
 * that load and unload at once wait for each other.
 *
 * A device's maps and programs are pinned under $XRDMA_BPFFS/xrdma/NAME/; without the variable
 * under /sys/fs/bpf/xrdma/NAME/. A dot of the name is a colon there (eth0:100), and the name
 * follows that of the netdev. The netdev must be in the caller's network namespace. The netdev's
 * addresses are followed while it is loaded: by each process that has a context of the device, and
 * whenever one is opened or the device is asked for.
 */
#ifndef XRDMA_DEVICE_H
#define XRDMA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "counters.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the program stands on the netdev's way into the kernel. */
enum xrdma_mode {
	XRDMA_MODE_AUTO,   /* asks for the better of the two */
	XRDMA_MODE_NATIVE, /* XDP, in the driver, and tc ingress for what XDP cannot answer */
	XRDMA_MODE_TC,	   /* tc ingress */
};

/* Why the program stands there. */
enum xrdma_mode_reason {
	XRDMA_REASON_ASKED_FOR,
	XRDMA_REASON_PROVED,	   /* native: a neighbour answered what XDP had sent */
	XRDMA_REASON_VETH,	   /* tc: answers of XDP need a peer that has an XDP program too */
	XRDMA_REASON_NO_NATIVE,	   /* tc: the driver has no native XDP, or refuses the program */
	XRDMA_REASON_OTHER_XDP,	   /* tc: another XDP program is attached */
	XRDMA_REASON_TAGS,	   /* tc: the driver takes VLAN tags off, and cannot but do so */
	XRDMA_REASON_NO_NEIGHBOUR, /* tc: no IPv4 neighbour is known that could be asked */
	XRDMA_REASON_UNANSWERED,   /* tc: no neighbour answered what XDP had sent */
	XRDMA_REASON_VETH_ASKED_FOR, /* native: as asked for, although VETH */
	XRDMA_REASON_NO_ETHERNET,    /* tc: the netdev has no link layer, so no frames for XDP */
};

struct xrdma_load_attr {
	size_t sz; /* of this struct */
	enum xrdma_mode mode;
};

/*
 * Load the programs and attach them to NETDEV. ATTR may be NULL. XRDMA_MODE_AUTO takes native XDP
 * when the driver has it and a neighbour has answered what XDP sent, for which the kernel must know
 * one (ip neigh; ping makes one known), and tc ingress otherwise: enum xrdma_mode_reason says why.
 * On veth it takes tc: there the replies of native mode arrive only while the peer has an XDP
 * program too. Netdevs without a link layer (tun, WireGuard, IP in IPv4) have tc mode alone, and
 * nothing leaves them by AF_XDP. Native mode turns off that the netdev takes VLAN tags off (ethtool
 * -K NETDEV rxvlan off), as XDP could not tell whose packets they are, until the device is
 * unloaded. In each mode the program is at the tc ingress of lo too, by which the host's own
 * packets to NETDEV's addresses go. NETDEV may be lo. Pins of a device whose netdev is gone are
 * replaced.
 *
 * Returns 0 or -ENODEV (no such netdev here), -EEXIST (loaded already), -EPERM (needs CAP_BPF,
 * CAP_NET_ADMIN, CAP_PERFMON), -EPFNOSUPPORT (a netdev of neither Ethernet nor IP alone),
 * -EOPNOTSUPP (a kernel too old, or without BTF or BPF tracing; or for native mode no native XDP in
 * the driver, no Ethernet, or VLAN tags that it cannot but take off), -EBUSY (native mode: another
 * XDP program is attached), -ENOTDIR (no bpffs, and none can be mounted), or what the kernel said.
 */
XRDMA_API int xrdma_device_load(const char *netdev, const struct xrdma_load_attr *attr);

/*
 * Detach the programs and remove the pins. FORCE: also when processes have contexts of the device,
 * which then receive nothing more, and when the netdev is in another network namespace, where the
 * programs then stay attached as long as the netdev lives.
 *
 * Returns 0 or -ENOENT (not loaded), -EBUSY (a process has a context), -EXDEV (the netdev is in
 * another network namespace), or what the kernel said. If it is not 0, the device may be unloaded
 * again.
 */
XRDMA_API int xrdma_device_unload(const char *netdev, bool force);

enum xrdma_device_state {
	XRDMA_DEVICE_ATTACHED,
	XRDMA_DEVICE_DETACHED, /* the netdev is gone, or a program was taken off it, or off lo */
	/*
	 * The netdev is in another network namespace. On kernels before 6.6, which have no links at
	 * tc, such a netdev is DETACHED.
	 */
	XRDMA_DEVICE_ELSEWHERE,
	XRDMA_DEVICE_FOREIGN, /* loaded by another version, whose rows are not understood */
};

struct xrdma_device_status {
	size_t sz; /* of this struct, set by the caller */
	char name[16];
	enum xrdma_device_state state;
	__u32 abi_version;
	__u32 ifindex;
	enum xrdma_mode mode;
	enum xrdma_mode_reason reason;
	__u32 contexts;	  /* alive */
	__u32 addr_count; /* see xrdma_device_each_addr() */
};

/*
 * Describe the device NAME in *STATUS. Returns 0 or -ENOENT (not loaded), -ENOTDIR (no bpffs),
 * -EPERM, or what the kernel said.
 */
XRDMA_API int xrdma_device_query(const char *name, struct xrdma_device_status *status);

/*
 * Call VISIT with each address of the device NAME, IPv4 as ::ffff:a.b.c.d, until one returns other
 * than 0. Returns what the last one returned, 0 when there is none, or as xrdma_device_query(), or
 * -EPROTO (loaded by another version).
 */
XRDMA_API int xrdma_device_each_addr(const char *name,
				     int (*visit)(const __be32 addr[4], void *arg), void *arg);

/* Where a program meets packets that come in. */
enum xrdma_hook {
	XRDMA_HOOK_XDP,
	XRDMA_HOOK_TC, /* tc ingress */
};

/* A program that sees packets before those of a device do, and may drop or change them. */
struct xrdma_program_before {
	const char *netdev; /* the device's, or lo */
	enum xrdma_hook hook;
	__u32 id; /* bpftool prog show id ID */
	const char *name;
};

/*
 * Call VISIT with each program that sees packets before those of the device NAME do, until one call
 * returns other than 0. *PROGRAM and its texts are good during the call. There are none of a device
 * that is not attached. Returns as xrdma_device_each_addr().
 */
XRDMA_API int xrdma_device_each_before(const char *name,
				       int (*visit)(const struct xrdma_program_before *program,
						    void *arg),
				       void *arg);

/*
 * Store in *COUNTERS the packets of the device NAME since it was loaded, by verdict and by opcode,
 * those of all CPUs together. SZ is sizeof(*COUNTERS). Returns as xrdma_device_each_addr(), or
 * -EINVAL: the program was built for another version of the library, whose counters have another
 * size.
 */
XRDMA_API int xrdma_device_counters(const char *name, struct xrdma_counters *counters, size_t sz);

/*
 * Call VISIT with the name of each loaded device, until one returns other than 0. Returns what the
 * last one returned, 0 when there is none, or -ENOTDIR (no bpffs), -EPERM.
 */
XRDMA_API int xrdma_device_each(int (*visit)(const char *name, void *arg), void *arg);

#ifdef __cplusplus
}
#endif
#endif

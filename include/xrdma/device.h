/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Devices: netdevs with the XDP and tc programs. All calls are thread safe. Processes that load and
 * unload at the same time wait for each other.
 *
 * A device's maps and programs are pinned under $XRDMA_BPFFS/xrdma/NAME/, by default
 * /sys/fs/bpf/xrdma/NAME/. A dot in the name becomes a colon there (eth0:100). The name follows the
 * name of the netdev. The netdev must be in the caller's network namespace. The device follows the
 * addresses of its netdev: each process with a context updates them, and so do opening a context
 * and querying the device.
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

/* Place of the program between the netdev and the kernel's network stack. */
enum xrdma_mode {
	XRDMA_MODE_AUTO,   /* choose the better of the two */
	XRDMA_MODE_NATIVE, /* XDP in the driver, and tc ingress for deferred requests */
	XRDMA_MODE_TC,	   /* tc ingress */
};

/* Reason for the mode. */
enum xrdma_mode_reason {
	XRDMA_REASON_ASKED_FOR,
	XRDMA_REASON_PROVED,	/* native: a neighbour answered a frame from XDP */
	XRDMA_REASON_VETH,	/* tc: replies of XDP need an XDP program at the other end */
	XRDMA_REASON_NO_NATIVE, /* tc: the driver has no native XDP, or refuses the program */
	XRDMA_REASON_OTHER_XDP, /* tc: another XDP program is attached */
	XRDMA_REASON_TAGS, /* tc: the driver removes VLAN tags, and this cannot be turned off */
	XRDMA_REASON_NO_NEIGHBOUR,   /* tc: no IPv4 neighbour is known */
	XRDMA_REASON_UNANSWERED,     /* tc: no neighbour answered a frame from XDP */
	XRDMA_REASON_VETH_ASKED_FOR, /* native: asked for, on veth */
	XRDMA_REASON_NO_ETHERNET,    /* tc: the netdev has no link layer, so no frames for XDP */
};

struct xrdma_load_attr {
	size_t sz; /* of this struct */
	enum xrdma_mode mode;
};

/*
 * Load the programs and attach them to NETDEV. ATTR may be NULL. NETDEV may be lo. Pins of a device
 * whose netdev is gone are replaced.
 *
 * XRDMA_MODE_AUTO chooses native XDP if the driver has it and a neighbour has answered a frame from
 * XDP. The kernel must know a neighbour for that (ip neigh; ping makes one known). Otherwise it
 * chooses tc ingress; enum xrdma_mode_reason has the reason. On veth it chooses tc, because replies
 * of native mode arrive only while the other end has an XDP program, too. Netdevs without a link
 * layer (tun, WireGuard, IP in IPv4) have tc mode alone, without AF_XDP.
 *
 * Native mode turns off the removal of VLAN tags by the netdev (ethtool -K NETDEV rxvlan off) until
 * the device is unloaded, because XDP cannot see removed tags. In each mode the program is also
 * attached at the tc ingress of lo, where the host's own packets to NETDEV's addresses arrive.
 *
 * Returns 0 or -ENODEV (no such netdev in this network namespace), -EEXIST (loaded already), -EPERM
 * (CAP_BPF, CAP_NET_ADMIN or CAP_PERFMON is missing), -EPFNOSUPPORT (the netdev is neither Ethernet
 * nor IP alone), -EOPNOTSUPP (the kernel is too old, or has no BTF or BPF tracing; for native mode:
 * the driver has no native XDP, no Ethernet, or always removes VLAN tags), -EBUSY (native mode:
 * another XDP program is attached), -ENOTDIR (there is no BPF file system, and none can be
 * mounted), or another error of the kernel.
 */
XRDMA_API int xrdma_device_load(const char *netdev, const struct xrdma_load_attr *attr);

/*
 * Detach the programs from NETDEV and remove the pins. With FORCE this is done even if processes
 * have contexts of the device, which then receive nothing more, or if the netdev is in another
 * network namespace, where the programs stay attached as long as the netdev exists. After an error
 * the call can be repeated.
 *
 * Returns 0 or -ENOENT (not loaded), -EBUSY (a process has a context), -EXDEV (the netdev is in
 * another network namespace), or another error of the kernel.
 */
XRDMA_API int xrdma_device_unload(const char *netdev, bool force);

/* State of a loaded device. */
enum xrdma_device_state {
	XRDMA_DEVICE_ATTACHED,
	XRDMA_DEVICE_DETACHED, /* the netdev is gone, or a program was detached from it or lo */
	/*
	 * The netdev is in another network namespace. On kernels before 6.6, which have no links at
	 * tc, such a netdev is DETACHED.
	 */
	XRDMA_DEVICE_ELSEWHERE,
	XRDMA_DEVICE_FOREIGN, /* loaded by another version of the library */
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
 * Describe the device NAME in *STATUS. Set STATUS->sz before. Returns 0 or -ENOENT (not loaded),
 * -ENOTDIR (there is no BPF file system), -EPERM (the caller may not read the pins), or another
 * error of the kernel.
 */
XRDMA_API int xrdma_device_query(const char *name, struct xrdma_device_status *status);

/*
 * Call VISIT with each address of the device NAME, IPv4 as ::ffff:a.b.c.d, until a call returns
 * another value than 0. Returns the value of the last call, 0 if there are no addresses, an error
 * of xrdma_device_query(), or -EPROTO (loaded by another version).
 */
XRDMA_API int xrdma_device_each_addr(const char *name,
				     int (*visit)(const __be32 addr[4], void *arg), void *arg);

/* Place of a program on the way of incoming packets. */
enum xrdma_hook {
	XRDMA_HOOK_XDP,
	XRDMA_HOOK_TC, /* tc ingress */
};

/* A program that gets packets before those of a device, and may drop or change them. */
struct xrdma_program_before {
	const char *netdev; /* the device's, or lo */
	enum xrdma_hook hook;
	__u32 id; /* bpftool prog show id ID */
	const char *name;
};

/*
 * Call VISIT with each program that gets packets before those of the device NAME, until a call
 * returns another value than 0. *PROGRAM and its texts are valid during the call. A device that is
 * not attached has no such programs. Returns like xrdma_device_each_addr().
 */
XRDMA_API int xrdma_device_each_before(const char *name,
				       int (*visit)(const struct xrdma_program_before *program,
						    void *arg),
				       void *arg);

/*
 * Return in *COUNTERS the packets of the device NAME since it was loaded, by verdict and by opcode,
 * summed over all CPUs. SZ is sizeof(*COUNTERS). Returns 0 or an error of xrdma_device_query(),
 * -EPROTO (loaded by another version), -EINVAL (SZ is the size of another version of the library).
 */
XRDMA_API int xrdma_device_counters(const char *name, struct xrdma_counters *counters, size_t sz);

/*
 * Call VISIT with the name of each loaded device, until a call returns another value than 0.
 * Returns the value of the last call, 0 if there are no devices, or -ENOTDIR (there is no BPF file
 * system), -EPERM (the caller may not read the pins).
 */
XRDMA_API int xrdma_device_each(int (*visit)(const char *name, void *arg), void *arg);

#ifdef __cplusplus
}
#endif
#endif

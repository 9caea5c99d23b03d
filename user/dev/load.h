/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The programs and a device's maps. */
#ifndef XRDMA_USER_DEV_LOAD_H
#define XRDMA_USER_DEV_LOAD_H

#include <linux/types.h>
#include <stdbool.h>

struct xrdma_bpf;    /* skeleton of the XDP program and the maps */
struct xrdma_tc_bpf; /* skeleton of the program at tc ingress */

/*
 * Open the programs, ready to be loaded with maps of their own. Free *BPF with
 * xrdma_bpf__destroy(). Returns 0 or the -errno of libbpf.
 */
int xrdma_open(struct xrdma_bpf **bpf);

/*
 * Open and load them; nothing is attached or pinned. Needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON.
 * Returns like xrdma_open().
 */
int xrdma_load(struct xrdma_bpf **bpf);

/*
 * Open the XDP program alone, ready to be loaded with the maps of MAPS, which is loaded. Returns
 * like xrdma_open().
 */
int xrdma_open_xdp(const struct xrdma_bpf *maps, struct xrdma_bpf **xdp);

/*
 * Open and load the maps, and the programs of contexts, but not the XDP program. Returns like
 * xrdma_load().
 */
int xrdma_load_maps(struct xrdma_bpf **maps);

/* Settings of the program for tc ingress, by its place. */
struct xrdma_tc_settings {
	__u32 local;	/* ifindex of lo, if it gets the host's packets to itself, else 0 */
	bool is_behind; /* the XDP program runs before it */
	__u32 yields;	/* between two passes of a sender, up to 255 (bpf/arrive/hook_tc.bpf.h) */
};

/*
 * Open the tc program, ready to be loaded with the maps of MAPS, which is loaded. Free *TC with
 * xrdma_tc_bpf__destroy(). Returns like xrdma_open().
 */
int xrdma_open_tc(const struct xrdma_bpf *maps, const struct xrdma_tc_settings *settings,
		  struct xrdma_tc_bpf **tc);

/* Open and load the tc program. Returns like xrdma_load(). */
int xrdma_load_tc(const struct xrdma_bpf *maps, const struct xrdma_tc_settings *settings,
		  struct xrdma_tc_bpf **tc);

#endif

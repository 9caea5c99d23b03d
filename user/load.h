/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The XDP programs and a device's maps. */
#ifndef XRDMA_USER_LOAD_H
#define XRDMA_USER_LOAD_H

#include "xrdma.skel.h"

/*
 * Load the XDP program with maps of its own; nothing is attached or pinned. *BPF is the caller's, to be ended
 * by xrdma_bpf__destroy(). Needs CAP_BPF and CAP_NET_ADMIN. Returns 0 or the -errno of libbpf.
 */
int xrdma_load(struct xrdma_bpf **bpf);

#endif

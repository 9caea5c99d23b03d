/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The BPF file system for the pins of devices. Errors set xrdma_error(). */
#ifndef XRDMA_USER_DEV_BPFFS_H
#define XRDMA_USER_DEV_BPFFS_H

/* Return its path: $XRDMA_BPFFS, or /sys/fs/bpf. */
const char *xrdma_bpffs(void);

/* Check that it is mounted. Returns 0 or -ENOTDIR (there is none). */
int xrdma_bpffs_check(void);

/*
 * Find a BPF file system, or mount one on an empty directory. A mount that would end with the
 * calling program is refused, because all pins would end with it: so under ip netns exec, where the
 * mount namespace is not that of the parent. Returns 0, -ENOTDIR, -EPERM, or the error of mount(2).
 */
int xrdma_bpffs_mount(void);

#endif

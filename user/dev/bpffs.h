/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The BPF file system that devices are pinned in. Errors set xrdma_error(). */
#ifndef XRDMA_USER_DEV_BPFFS_H
#define XRDMA_USER_DEV_BPFFS_H

/* Where it is: $XRDMA_BPFFS, or /sys/fs/bpf. */
const char *xrdma_bpffs(void);

/* Returns 0 or -ENOTDIR (there is none). */
int xrdma_bpffs_check(void);

/*
 * The same, but one is mounted where there is none, on an empty directory. Not where the mount, and
 * with it all that is pinned, would end with the calling program: where its mount namespace is not
 * that of the program which started it, as under ip netns exec. Returns 0, -ENOTDIR, -EPERM, or
 * what mount(2) said.
 */
int xrdma_bpffs_mount(void);

#endif

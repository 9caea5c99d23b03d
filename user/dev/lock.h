/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Locks of directories. Forked children do not inherit them. */
#ifndef XRDMA_USER_DEV_LOCK_H
#define XRDMA_USER_DEV_LOCK_H

/*
 * Lock the directory PATH, with OPERATION of flock(2), and wait for it. Returns a file descriptor,
 * -ESTALE if the directory was removed meanwhile, or another -errno.
 */
int xrdma_lock(const char *path, int operation);
void xrdma_unlock(int lock);

#endif

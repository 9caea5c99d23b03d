/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Locks of directories, which a process has for itself: children that it forks meanwhile get no
 * part in them.
 */
#ifndef XRDMA_USER_DEV_LOCK_H
#define XRDMA_USER_DEV_LOCK_H

/*
 * Lock the directory PATH; OPERATION as flock(2) has it. Waits. Returns a file descriptor, -ESTALE
 * when what was locked is gone from PATH by then, or another -errno.
 */
int xrdma_lock(const char *path, int operation);
void xrdma_unlock(int lock);

#endif

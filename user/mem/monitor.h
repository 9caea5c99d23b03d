/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Choose the monitor of memory in the cache (mem/cache.h), and the size of the cache. */
#ifndef XRDMA_USER_MEM_MONITOR_H
#define XRDMA_USER_MEM_MONITOR_H

/*
 * Choose the monitor by the environment (docs/memory.md). Returns 0 or, with xrdma_error() set and
 * nothing changed, -EINVAL (a variable has no valid value) or -EOPNOTSUPP (the monitor cannot work
 * here).
 */
int xrdma_monitor_set(void);

/*
 * Record that the functions that change mappings are this library's, in the whole process (hook.c).
 */
void xrdma_monitor_has_hooks(void);

#endif

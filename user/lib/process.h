/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Test if this process owns an object, or is a child that was forked later. The test takes one
 * load.
 */
#ifndef XRDMA_USER_LIB_PROCESS_H
#define XRDMA_USER_LIB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct xrdma_process {
	const unsigned char *page; /* 1 in this process, 0 in children */
	pid_t pid;
};

/* Mark PROCESS as owned by the calling process. Returns 0 or -ENOMEM. */
int xrdma_process_init(struct xrdma_process *process);
void xrdma_process_exit(const struct xrdma_process *process);

static inline bool xrdma_process_is_current(const struct xrdma_process *process)
{
	return *process->page;
}

#endif

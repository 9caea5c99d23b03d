/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* System calls that wait, side by side. */
#ifndef XRDMA_USER_LIB_PARALLEL_H
#define XRDMA_USER_LIB_PARALLEL_H

#include <stddef.h>

/*
 * Call TASK with OF and each INDEX below COUNT, in any order, in up to 64 threads and the calling
 * one; where the kernel grants no thread, that one does it all. For calls in which the kernel
 * waits, for a grace period of RCU (10 to 20 ms) most of all: together they then take hardly longer
 * than one. The threads take no signals. Returns 0, or what one of the tasks that failed returned;
 * the others are carried out all the same.
 */
int xrdma_parallel(int (*task)(void *of, size_t index), void *of, size_t count);

#endif

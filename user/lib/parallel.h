/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Waiting system calls in parallel. */
#ifndef XRDMA_USER_LIB_PARALLEL_H
#define XRDMA_USER_LIB_PARALLEL_H

#include <stddef.h>

/*
 * Call TASK with OF and each INDEX below COUNT, in any order, in up to 64 threads and the calling
 * one. If the kernel grants no thread, the calling one does it all. This is for calls that wait in
 * the kernel, such as for a grace period of RCU (10 to 20 ms): together they take little longer
 * than one. The threads block signals. Returns 0, or the result of a task that failed; the other
 * tasks are done all the same.
 */
int xrdma_parallel(int (*task)(void *of, size_t index), void *of, size_t count);

#endif

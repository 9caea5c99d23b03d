/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Measure single calls of a program. The kernel itself measures the time of each call of
 * BPF_PROG_TEST_RUN. A single call takes longer than a call in a tight loop, because caches are
 * cold and the clock is read.
 */
#ifndef XRDMA_BENCH_CALL_H
#define XRDMA_BENCH_CALL_H

#include <stddef.h>

#include "support/target.h"

/* Numbers of calls that are measured, and of calls before these. */
enum { BENCH_CALLS = 20000, BENCH_WARM_UP = 1000 };

/* Objects of the target, and the size of its region in bytes. */
enum {
	BENCH_ROW = 5, /* queue pair */
	BENCH_RQ = 5,
	BENCH_CQ = 6,
	BENCH_RING = 16, /* row of the ring of a shared receive queue */
	BENCH_KEY = 0x1207,
	BENCH_REGION = 1 << 20
};

/* Address of the region. */
#define BENCH_BASE 0x7f0000000000ULL

/* Load the programs, and set up a queue pair, its queues, and a region. */
void bench_target_open(struct target *t);

/* Returns the time in ns of one call of PROGRAM, a file descriptor, with a frame of LEN bytes. */
__u32 bench_call(int program, const __u8 *frame, size_t len);

/* Measure WRITEs by windows, mkeys, regions of several buffers, and user keys. */
void bench_keys(struct target *t);

#endif

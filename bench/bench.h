/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Report figures of benchmarks. Each is a median, and has a baseline that was measured in the same
 * loop.
 */
#ifndef XRDMA_BENCH_H
#define XRDMA_BENCH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/*
 * Print a row of the table, and keep it for build/bench.json. NAME and UNIT must live as long as
 * the program.
 */
void bench_report(const char *name, const char *unit, double value, double baseline);

/*
 * A quick run only shows that each benchmark works; its figures mean nothing. bench_rounds()
 * returns the number of iterations for a loop that normally has COUNT.
 */
bool bench_is_quick(void);
int bench_rounds(int count);

/* Returns the median of COUNT values, and sorts them. */
__u32 bench_median(__u32 *values, size_t count);

/* Returns the time in ns since START, a time of CLOCK_MONOTONIC. */
__u32 bench_ns_since(const struct timespec *start);

/*
 * Run this process on the CPU with this number, among the CPUs that the program may use. Exits if
 * there is no such CPU.
 */
void bench_pin(int number);

void bench_responder(void);
void bench_rtt(void);
void bench_context(void);
void bench_mr(void);
void bench_poll(void);
void bench_reg(void);
void bench_window(void);
void bench_bw(void);
void bench_load(void);

#endif

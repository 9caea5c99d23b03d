// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure the CPU time of `xrdma load` for xa of host a (run.sh). The kernel's verifier takes most
 * of it. The baseline is the CPU time of loading the two empty programs of empty.bpf.c.
 */
#include <err.h>
#include <stddef.h>
#include <time.h>

#include "bench.h"
#include "empty.skel.h"
#include "hosts.h"

enum { ROUNDS = 9 };

static __u32 cpu_us(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

static __u32 load_empty(void)
{
	const __u32 start = cpu_us();
	struct empty_bpf *empty = empty_bpf__open_and_load();
	const __u32 taken = cpu_us() - start;

	if (!empty)
		err(1, "cannot load the empty programs");
	empty_bpf__destroy(empty);
	return taken;
}

static void load_in(enum xrdma_mode mode, const char *name)
{
	const int rounds = bench_is_quick() ? 1 : ROUNDS;
	__u32 ours[ROUNDS], baseline[ROUNDS], start;

	for (int i = 0; i < rounds; i++) {
		baseline[i] = load_empty();
		start = cpu_us();
		hosts_load("a", "xa", mode);
		ours[i] = cpu_us() - start;
		hosts_unload("a", "xa");
	}
	bench_report(name, "ms of CPU", bench_median(ours, rounds) / 1000.0,
		     bench_median(baseline, rounds) / 1000.0);
}

void bench_load(void)
{
	load_in(XRDMA_MODE_TC, "load_tc");
	load_in(XRDMA_MODE_NATIVE, "load_native");
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure opening and closing a context on xa of host a (run.sh). In both the kernel waits for a
 * grace period. The baseline is one such wait: removing a map from a map of maps.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/context.h>

#include "../examples/endpoint.h"
#include "bench.h"

/*
 * The pause lets the kernel release the AF_XDP queue of the last context, for which opening would
 * wait.
 */
enum { ROUNDS = 50, ROUNDS_DEAD = 5, PAUSE_US = 100000 };

static __u32 us_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * 1000000 + (now.tv_nsec - start->tv_nsec) / 1000;
}

/* Create a map of maps with one element. */
static int create_outer(void)
{
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "inner", 4, 4, 1, NULL), outer;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = inner);
	const __u32 only = 0;

	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "outer", 4, 4, 1, &opts);
	if (inner < 0 || outer < 0 || bpf_map_update_elem(outer, &only, &inner, BPF_ANY))
		err(1, "cannot create a map of maps");
	close(inner);
	return outer;
}

static double grace_period(void)
{
	const int rounds = bench_rounds(ROUNDS);
	static __u32 waits[ROUNDS];
	struct timespec start;
	const __u32 only = 0;
	int outer;

	for (int i = 0; i < rounds; i++) {
		outer = create_outer();
		clock_gettime(CLOCK_MONOTONIC, &start);
		if (bpf_map_delete_elem(outer, &only))
			err(1, "cannot delete an element");
		waits[i] = us_since(&start);
		close(outer);
	}
	return bench_median(waits, rounds) / 1000.0;
}

static void open_and_close(double baseline)
{
	const int rounds = bench_rounds(ROUNDS);
	static __u32 opens[ROUNDS], closes[ROUNDS];
	struct xrdma_context *context;
	struct timespec start;

	for (int i = 0; i < rounds; i++) {
		usleep(PAUSE_US);
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_context_open("xa", NULL, &context));
		opens[i] = us_since(&start);
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_context_close(context));
		closes[i] = us_since(&start);
	}
	bench_report("context_open", "ms", bench_median(opens, rounds) / 1000.0, baseline);
	bench_report("context_close", "ms", bench_median(closes, rounds) / 1000.0, baseline);
}

/* Open COUNT contexts, and exit without closing them. */
static void leave_contexts(int count)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .heap_max = 1 };
	struct xrdma_context *context;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	while (count--)
		must(xrdma_context_open("xa", &attr, &context));
	_exit(0);
}

/* Measure opening a context when DEAD contexts must be freed first. */
static void open_after(int dead, const char *name, double baseline)
{
	const int rounds = bench_rounds(ROUNDS_DEAD);
	static __u32 opens[ROUNDS_DEAD];
	struct xrdma_context *context;
	struct timespec start;

	for (int i = 0; i < rounds; i++) {
		leave_contexts(dead);
		usleep(PAUSE_US);
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_context_open("xa", NULL, &context));
		opens[i] = us_since(&start);
		must(xrdma_context_close(context));
	}
	bench_report(name, "ms", bench_median(opens, rounds) / 1000.0, baseline);
}

void bench_context(void)
{
	const double baseline = grace_period();

	open_and_close(baseline);
	open_after(50, "context_open_50_dead", baseline);
}

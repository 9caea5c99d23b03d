// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure registration on xa of host a (run.sh): allocate and register memory, and close the region
 * and free the memory. There are 2^20 regions. One figure is for any of them, another for 2^10 of
 * them, whose memory is in the CPU's caches. The baseline is a context with 2^10 regions. If the
 * time depended on the number of regions, both figures would show it. The first also contains
 * misses of caches and page tables. The second contains only one: the row of a new key, which is
 * taken at random from all free rows, except that here it is the one just freed.
 */
#include <err.h>
#include <stdlib.h>
#include <time.h>
#include <xrdma/mr.h>

#include "../examples/endpoint.h"
#include "bench.h"

enum { REGIONS = 1 << 20, FEW = 1 << 10, SIZE = 64, CALLS = 1 << 18 };

static struct xrdma_context *context;
static struct xrdma_pd *pd;
static struct region {
	void *memory;
	struct xrdma_mr *mr;
} * regions;

static void open_region(struct region *region)
{
	must(xrdma_alloc(context, SIZE, 1, &region->memory));
	must(xrdma_mr_reg(pd, region->memory, SIZE, XRDMA_ACCESS_REMOTE_READ, &region->mr));
}

static void close_region(struct region *region)
{
	must(xrdma_mr_close(region->mr));
	must(xrdma_free(context, region->memory));
}

/* Returns the time in ns for closing one of the first COUNT regions and registering another. */
static double replace(__u32 count)
{
	const __u32 calls = bench_rounds(CALLS);
	static __u32 ns[CALLS];
	struct timespec start;

	for (__u32 i = 0; i < calls; i++) {
		struct region *region = &regions[random() % count];

		clock_gettime(CLOCK_MONOTONIC, &start);
		close_region(region);
		open_region(region);
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, calls);
}

void bench_mr(void)
{
	const __u32 count = bench_rounds(REGIONS);
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr),
		.heap_size = (size_t)count * SIZE,
		.mkeys = count,
	};
	double few;

	regions = calloc(count, sizeof(*regions));
	if (!regions)
		err(1, "no memory for %u regions", count);
	must(xrdma_context_open("xa", &attr, &context));
	must(xrdma_pd_alloc(context, &pd));
	for (__u32 i = 0; i < FEW; i++)
		open_region(&regions[i]);
	few = replace(FEW);
	for (__u32 i = FEW; i < count; i++)
		open_region(&regions[i]);
	bench_report("mr_reg_close_1m", "ns", replace(count), few);
	bench_report("mr_reg_close_1m_cached", "ns", replace(FEW), few);
	for (__u32 i = 0; i < count; i++)
		close_region(&regions[i]);
	must(xrdma_pd_dealloc(pd));
	must(xrdma_context_close(context));
	free(regions);
}

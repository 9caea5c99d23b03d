// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that is there is registered and ended again, on xa of host a (run.sh): a part of what
 * xrdma_alloc() gave, and what mmap() gave, which is moved into the heap and back, or kept there.
 * And it is found there by itself. Baseline: to mlock() and munlock() as much that mmap() gave.
 */
#include <err.h>
#include <sys/mman.h>
#include <time.h>
#include <xrdma/device.h>
#include <xrdma/mr.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "dev/cache.h"
#include "obj/context.h"
#include "support/netns.h"

enum { MAX = 16 << 20, HEAP_PART = 4096, SAMPLES = 10000 };

static struct xrdma_pd *pd;
static __u32 ns[SAMPLES];

static double register_and_close(char *memory, size_t len, int samples)
{
	struct timespec start;
	struct xrdma_mr *mr;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_reg_mr(pd, memory, len, XRDMA_ACCESS_REMOTE_READ, &mr));
		must(xrdma_mr_close(mr));
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples);
}

static double lock_and_unlock(char *memory, size_t len, int samples)
{
	struct timespec start;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		if (mlock(memory, len) || munlock(memory, len))
			err(1, "cannot lock %zu bytes", len);
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples);
}

static void report_adopted(const char *name, char *memory, size_t len)
{
	const int samples = MAX / len > SAMPLES / 100 ? SAMPLES / 10 : SAMPLES / 100;
	const double lock = lock_and_unlock(memory, len, samples);

	bench_report(name, "ns", register_and_close(memory, len, samples), lock);
}

static double find(struct xrdma_heap *heap, char *memory, size_t len)
{
	enum { TIMES = 100 };
	struct xrdma_cached *cached;
	struct timespec start;

	for (int i = 0; i < SAMPLES; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < TIMES; k++) {
			must(xrdma_cache_take(heap, (uintptr_t)memory, len, &cached));
			xrdma_cache_release(cached);
		}
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, SAMPLES) / TIMES;
}

/* As if libxrdma.so were watching. It is found among as many others as are usual. */
static void report_kept(struct xrdma_heap *heap, char *memory)
{
	struct xrdma_mr *mr;

	xrdma_cache_limit(~0ULL, 1024);
	report_adopted("mr_reg_close_kept_4k", memory, 4 << 10);
	xrdma_cache_relieve(heap);
	report_adopted("mr_reg_close_kept_16m", memory, MAX);
	xrdma_cache_relieve(heap);
	for (int i = 0; i < 1000; i++) {
		must(xrdma_reg_mr(pd, memory + i * 4096, 4000, 0, &mr));
		must(xrdma_mr_close(mr));
	}
	bench_report("mr_cache_hit", "ns", find(heap, memory + 500 * 4096, 4000),
		     lock_and_unlock(memory, 4096, SAMPLES));
	xrdma_cache_limit(0, 0);
}

void bench_reg(void)
{
	const struct xrdma_load_attr load = { .sz = sizeof(load), .mode = XRDMA_MODE_TC };
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .heap_size = 4 * MAX };
	struct xrdma_context *context;
	char *memory;
	void *heap;

	if (!netns_enter("a"))
		err(1, "cannot enter the network namespace a: bench/run.sh makes it");
	must(xrdma_device_load("xa", &load));
	must(xrdma_context_open("xa", &attr, &context));
	must(xrdma_pd_alloc(context, &pd));
	must(xrdma_alloc(context, MAX, HEAP_PART, &heap));
	memory = mmap(NULL, MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		      -1, 0);
	if (memory == MAP_FAILED)
		err(1, "no memory");
	bench_report("mr_reg_close_heap", "ns",
		     register_and_close((char *)heap + HEAP_PART, HEAP_PART, SAMPLES),
		     lock_and_unlock(memory, HEAP_PART, SAMPLES));
	report_adopted("mr_reg_close_adopted_4k", memory, 4 << 10);
	report_adopted("mr_reg_close_adopted_1m", memory, 1 << 20);
	report_adopted("mr_reg_close_adopted_16m", memory, MAX);
	report_kept(&context->heap, memory);
	munmap(memory, MAX);
	must(xrdma_free(context, heap));
	must(xrdma_pd_dealloc(pd));
	must(xrdma_context_close(context));
	must(xrdma_device_unload("xa", false));
}

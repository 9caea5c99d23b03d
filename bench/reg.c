// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure registration and closing on xa of host a (run.sh). The memory comes from xrdma_alloc() or
 * from mmap(). Memory of mmap() is moved into the heap and back, or it stays there and the next
 * registration finds it. The baseline is mlock() and munlock() of the same amount of memory from
 * mmap(). The last benchmark measures demand paging.
 */
#include <err.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <xrdma/mr.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "mem/buffer.h"
#include "obj/context.h"

enum {
	MAX = 16 << 20,
	HEAP_PART = 4096,
	SAMPLES = 100000, /* iterations of work that takes less than 1 us */
	FEW = 1000,	  /* iterations of work on a page table */
	FEWEST = 100,	  /* iterations of work on at least 1 MiB */
	MAPPINGS = 4000,
	PIECE = 2 << 20, /* bytes that one page fault brings */
	PIECES = 512,	 /* number of pieces in a region of 1 GiB */
	ENDS = 32,	 /* pieces at the beginning and at the end that are compared */
};

static struct xrdma_pd *pd;
static __u32 ns[SAMPLES];

static char *map(void *at, size_t len, int flags)
{
	char *memory =
		mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "no memory");
	return memory;
}

static double register_and_close(char *memory, size_t len, int usual)
{
	const int samples = bench_rounds(usual);
	struct timespec start;
	struct xrdma_mr *mr;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_mr_reg(pd, memory, len, XRDMA_ACCESS_REMOTE_READ, &mr));
		must(xrdma_mr_close(mr));
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples);
}

static double lock_and_unlock(char *memory, size_t len, int usual)
{
	const int samples = bench_rounds(usual);
	struct timespec start;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		if (mlock(memory, len) || munlock(memory, len))
			err(1, "cannot lock %zu bytes", len);
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples);
}

static void report_adopted(const char *name, char *memory, size_t len, int samples)
{
	const double lock = lock_and_unlock(memory, len, len < 1 << 20 ? FEW : FEWEST);

	bench_report(name, "ns", register_and_close(memory, len, samples), lock);
}

/* Measure 4 KiB in a process that has many other mappings. */
static void report_among_mappings(char *memory)
{
	char *others = map(NULL, MAPPINGS * 4096, 0);

	for (int i = 0; i < MAPPINGS; i += 2)
		mprotect(others + i * 4096, 4096, PROT_NONE);
	report_adopted("mr_reg_close_adopted_4k_of_4000", memory, 4 << 10, FEW);
	munmap(others, MAPPINGS * 4096);
}

/* Returns the time for copying a piece into new memory. */
static double copy_pieces(const char *memory, int samples)
{
	struct timespec start;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		munmap(memcpy(map(NULL, PIECE, 0), memory, PIECE), PIECE);
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples);
}

/* Measure the time for each piece of BUFFER, from the first to the last. */
static void bring_pieces(struct xrdma_heap *heap, struct xrdma_buffer *buffer, int pieces)
{
	struct xrdma_range_list old;
	struct timespec start;

	for (int i = 0; i < pieces; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		must(xrdma_buffer_fill(heap, buffer, buffer->addr + i * (__u64)PIECE, &old));
		xrdma_disown(&old);
		ns[i] = bench_ns_since(&start);
	}
}

/*
 * Measure demand paging. A region of 1 GiB is registered before it has memory. The memory is added
 * piece by piece, by page faults. The baseline is copying a piece into new memory.
 */
static void report_on_demand(struct xrdma_heap *heap)
{
	const int pieces = bench_rounds(PIECES), ends = bench_rounds(ENDS);
	const size_t len = (size_t)pieces * PIECE;
	char *memory = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct xrdma_buffer buffer;
	double copy;

	if (memory == MAP_FAILED)
		err(1, "no memory");
	must(xrdma_buffer_take(heap, (uintptr_t)memory, len, XRDMA_ON_DEMAND, &buffer));
	map(memory, len, MAP_FIXED | MAP_POPULATE);
	copy = copy_pieces(memory, ends);
	bring_pieces(heap, &buffer, pieces);
	bench_report("mr_demand_first_2m", "ns", bench_median(ns, ends), copy);
	bench_report("mr_demand_last_2m", "ns", bench_median(ns + pieces - ends, ends), copy);
	xrdma_buffer_give(heap, &buffer);
	munmap(memory, len);
}

static double find(struct xrdma_heap *heap, char *memory, size_t len)
{
	enum { TIMES = 100 };
	const int samples = bench_rounds(SAMPLES);
	struct xrdma_cache_entry *cached;
	struct timespec start;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < TIMES; k++) {
			must(xrdma_cache_take(heap, (uintptr_t)memory, len, &cached));
			xrdma_cache_release(cached);
		}
		ns[i] = bench_ns_since(&start);
	}
	return bench_median(ns, samples) / TIMES;
}

/*
 * Measure registration of memory that is in the cache, among the usual number of other entries. The
 * program sets up the cache like libxrdma.so.
 */
static void report_kept(struct xrdma_heap *heap, char *memory)
{
	struct xrdma_mr *mr;

	xrdma_cache_limit(~0ULL, 1024);
	report_adopted("mr_reg_close_kept_4k", memory, 4 << 10, SAMPLES);
	xrdma_cache_relieve(heap);
	report_adopted("mr_reg_close_kept_16m", memory, MAX, SAMPLES);
	xrdma_cache_relieve(heap);
	for (int i = 0; i < 1000; i++) {
		must(xrdma_mr_reg(pd, memory + i * 4096, 4000, 0, &mr));
		must(xrdma_mr_close(mr));
	}
	bench_report("mr_cache_hit", "ns", find(heap, memory + 500 * 4096, 4000),
		     lock_and_unlock(memory, 4096, FEW));
	xrdma_cache_limit(0, 0);
}

void bench_reg(void)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .heap_size = 4 * MAX };
	struct xrdma_context *context;
	char *memory;
	void *heap;

	must(xrdma_context_open("xa", &attr, &context));
	must(xrdma_pd_alloc(context, &pd));
	must(xrdma_alloc(context, MAX, HEAP_PART, &heap));
	memory = map(NULL, MAX, MAP_POPULATE);
	bench_report("mr_reg_close_heap", "ns",
		     register_and_close((char *)heap + HEAP_PART, HEAP_PART, SAMPLES),
		     lock_and_unlock(memory, HEAP_PART, FEW));
	report_adopted("mr_reg_close_adopted_4k", memory, 4 << 10, FEW);
	report_among_mappings(memory);
	report_adopted("mr_reg_close_adopted_1m", memory, 1 << 20, FEWEST);
	report_adopted("mr_reg_close_adopted_16m", memory, MAX, FEWEST);
	report_kept(&context->heap, memory);
	report_on_demand(&context->heap);
	munmap(memory, MAX);
	must(xrdma_free(context, heap));
	must(xrdma_pd_dealloc(pd));
	must(xrdma_context_close(context));
}

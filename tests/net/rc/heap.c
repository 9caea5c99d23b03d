// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Growing heaps. tests/net/rc.sh runs it. */
#include <sys/mman.h>

#include "support/pair.h"
#include "support/test.h"

/* Bytes before the end of an arena at which the memory begins. */
enum { BEFORE_END = PAIR_BYTES / 2 - 100 };

static const __u64 arena = 1ULL << XRDMA_HEAP_ARENA_SHIFT;

static void open_growing(const char *netns, const char *device, struct owner *owner)
{
	pair_enter(netns);
	expect_msg(xrdma_context_open(device, NULL, &owner->context) == 0, "%s", xrdma_error());
	expect_int(xrdma_pd_alloc(owner->context, &owner->pd), ==, 0);
}

/* Allocate the memory behind LEN bytes that are allocated with it. */
static void alloc_behind(struct owner *owner, __u64 len)
{
	void *memory;

	expect_msg(xrdma_alloc(owner->context, len + PAIR_BYTES, 64, &memory) == 0, "%s",
		   xrdma_error());
	owner->memory = (__u8 *)memory + len;
}

/* Open a pair whose memory lies in two elements of what is added to the heap. */
static void open_pair(void)
{
	open_growing("a", "xa", &pair.a.owner);
	alloc_behind(&pair.a.owner, XRDMA_HEAP_ELEMENT - 4000);
	open_growing("b", "xb", &pair.b.owner);
	alloc_behind(&pair.b.owner, XRDMA_HEAP_ELEMENT - 4000);
	expect_int(pair.a.owner.context->heap.arena_count, ==, 2);
}

TestSuite(heap, .once = open_pair, .init = pair_start, .fini = pair_stop, .end = pair_close);

static void write_one(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(heap, grows)
{
	pair_every_size(write_one);
}

/* A heap grows by half its size, so that it grows seldom, or by more if necessary. */
Test(heap, grows_by_steps)
{
	struct xrdma_heap *heap = &pair.a.owner.context->heap;
	__u64 size = heap->size;
	__u64 at[3];

	expect_int(size, ==, 4 * XRDMA_HEAP_ELEMENT);
	expect_int(xrdma_heap_take(heap, 20 * XRDMA_HEAP_ELEMENT + 1, 64, &at[0]), ==, 0);
	expect_int(heap->size, ==, 25 * XRDMA_HEAP_ELEMENT);
	expect_int(xrdma_heap_take(heap, 2 * XRDMA_HEAP_ELEMENT, 64, &at[1]), ==, 0);
	expect_int(heap->size, ==, 38 * XRDMA_HEAP_ELEMENT);
	expect_int(xrdma_heap_take(heap, 2 * XRDMA_HEAP_ELEMENT, 64, &at[2]), ==, 0);
	expect_int(heap->size, ==, 38 * XRDMA_HEAP_ELEMENT);
	expect_int(at[1] % XRDMA_HEAP_ELEMENT, ==, 0);
	for (int i = 0; i < 3; i++) {
		expect(xrdma_heap_holds(heap, at[i], XRDMA_HEAP_ELEMENT));
		expect_int(xrdma_heap_give(heap, at[i]), ==, 0);
		expect(!xrdma_heap_holds(heap, at[i], 1));
		expect_int(xrdma_heap_give(heap, at[i]), <, 0);
	}
	expect_int(xrdma_heap_give(heap, heap->arena_count * arena), <, 0);
	expect_int(xrdma_heap_give(heap, XRDMA_HEAP_MAX), <, 0);
}

/* Addresses are aligned to XRDMA_HEAP_ELEMENT in the heap, and in the process, too. */
Test(heap, alignment)
{
	struct xrdma_context *context = pair.a.owner.context;
	void *memory;

	expect_int(xrdma_alloc(context, 1, XRDMA_HEAP_ELEMENT, &memory), ==, 0);
	expect_int((uintptr_t)memory % XRDMA_HEAP_ELEMENT, ==, 0);
	expect_int(xrdma_free(context, memory), ==, 0);
}

/* Open a pair with memory that is larger than an arena. */
static void open_large(void)
{
	open_growing("a", "xa", &pair.a.owner);
	alloc_behind(&pair.a.owner, 0);
	open_growing("b", "xb", &pair.b.owner);
	alloc_behind(&pair.b.owner, arena - BEFORE_END);
	expect_int(pair.b.owner.context->heap.arena_count, ==, 3);
}

static bool is_short_of_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long long free_kib = 0;

	while (file && fscanf(file, "MemAvailable: %llu", &free_kib) == 0 &&
	       fscanf(file, "%*[^\n]\n") == 0)
		;
	if (file)
		fclose(file);
	return free_kib << 10 < 2 * arena;
}

Test(heap_arenas, memory_in_two)
{
	if (is_short_of_memory()) {
		puts("heap_arenas: skipped: less than 4 GiB of memory are free");
		return;
	}
	open_large();
	pair_start();
	pair_every_size(write_one);
	pair_stop();
	pair_close();
}

/*
 * The program has mapped memory at the place of the next arena. The library uses the place after
 * that, and the program's memory stays.
 */
Test(heap_arenas, place_taken)
{
	const struct xrdma_heap *heap;
	char *taken;

	open_growing("a", "xa", &pair.a.owner);
	alloc_behind(&pair.a.owner, 0);
	open_growing("b", "xb", &pair.b.owner);
	heap = &pair.b.owner.context->heap;
	taken = mmap(heap->bytes + arena + XRDMA_HEAP_ELEMENT, 1, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	expect(taken == heap->bytes + arena + XRDMA_HEAP_ELEMENT);
	*taken = 1;
	alloc_behind(&pair.b.owner, XRDMA_HEAP_ELEMENT);
	expect((char *)pair.b.owner.memory > heap->bytes + 2 * arena);
	expect(xrdma_heap_has_address(heap, (uintptr_t)pair.b.owner.memory));
	expect(!xrdma_heap_has_address(heap, (uintptr_t)taken));
	pair_start();
	pair_every_size(write_one);
	expect_int(*taken, ==, 1);
	pair_stop();
	pair_close();
	expect_int(munmap(taken, 1), ==, 0);
}

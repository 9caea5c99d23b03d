// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory of the process is registered where it is, and becomes ordinary memory again. These tests
 * run in namespace a, where xa is loaded; tests/net/context.sh runs them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/mappings.h"
#include "support/distant.h"
#include "support/mapped.h"
#include "support/test.h"

TestSuite(adopt, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

/*
 * Expect that process and peer see each other's writes, and that all bytes remain after the region
 * is closed.
 */
static void expect_moved(__u8 *addr, size_t len)
{
	struct xrdma_mr *mr;
	__u8 *peers;

	arc4random_buf(addr, len);
	memcpy(mapped.before, addr, len);
	mr = mapped_reg(addr, len);
	peers = mapped_reached(mr);
	expect_int(mapped_row(mr).base, ==, (uintptr_t)addr);
	expect_int(mapped_row(mr).len, ==, len);
	expect(!memcmp(addr, mapped.before, len));
	expect(!memcmp(peers, mapped.before, len));
	addr[0] = ++mapped.before[0];
	expect(!memcmp(peers, mapped.before, len));
	peers[len - 1] = ++mapped.before[len - 1];
	expect(!memcmp(addr, mapped.before, len));
	mapped_end(mr);
	expect(!memcmp(addr, mapped.before, len));
	addr[0]++;
	expect_int(peers[0], ==, mapped.before[0]);
}

/* Memory can be registered at any address and with any length. */
Test(adopt, any_part)
{
	const size_t lens[] = { 1, 64, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 5 };
	const size_t at[] = { 0, 1, PAGE - 1, PAGE, 5 * PAGE + 100 };

	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 5; k++)
			expect_moved(mapped.memory + at[k], lens[i]);
	expect_moved(mapped.memory, MAPPED_BYTES);
}

static __u8 zeroed[5 * PAGE], set[5 * PAGE] = { 1 }, also_set[5 * PAGE] = { 2 };
static __thread __u8 of_thread[1000];

/* Memory of every kind can be registered: of the program, the stack, threads and malloc(). */
Test(adopt, any_kind)
{
	__u8 on_stack[5 * PAGE], *small = malloc(100), *large = malloc(MAPPED_BYTES);

	expect_moved(small, 100);
	expect_moved(large, MAPPED_BYTES);
	expect_moved(on_stack, sizeof(on_stack));
	expect_moved(zeroed, sizeof(zeroed));
	expect_moved(set, sizeof(set));
	expect_moved(of_thread, sizeof(of_thread));
	free(small);
	free(large);
}

/* Memory can be registered that the program has mapped between the parts of the heap. */
Test(adopt, between_parts)
{
	char *place = mapped.owner.context->heap.bytes + (5ULL << XRDMA_HEAP_ARENA_SHIFT);
	__u8 *memory = mmap(place, 8 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	expect(memory == (__u8 *)place);
	expect_moved(memory + 5, 6 * PAGE);
	munmap(memory, 8 * PAGE);
}

/* Memory that was never used is zeroes. */
Test(adopt, unused)
{
	static const __u8 zeroes[MAPPED_BYTES];
	__u8 *unused = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	struct xrdma_mr *mr = mapped_reg(unused, MAPPED_BYTES);

	expect(!memcmp(unused, zeroes, MAPPED_BYTES));
	expect(!memcmp(mapped_reached(mr), zeroes, MAPPED_BYTES));
	mapped_end(mr);
	expect(!memcmp(unused, zeroes, MAPPED_BYTES));
	munmap(unused, MAPPED_BYTES);
}

/* Returns how many KiB of this process's memory the kernel counts as locked (VmLck). */
static long locked_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (fgets(line, sizeof(line), status) && sscanf(line, "VmLck: %ld", &kib) != 1)
		;
	fclose(status);
	return kib;
}

/*
 * Memory can be registered that is locked, or in a process that locks all memory when it is mapped.
 * The tests use system calls directly, because the functions do nothing in a build with sanitizers.
 */
Test(adopt, locked)
{
	const long before = locked_kib();

	expect_int(syscall(SYS_mlock, mapped.memory, MAPPED_BYTES / 2), ==, 0);
	expect_moved(mapped.memory, MAPPED_BYTES);
	expect_int(locked_kib() - before, ==, MAPPED_BYTES / 2 / 1024);
	expect_int(syscall(SYS_munlock, mapped.memory, MAPPED_BYTES / 2), ==, 0);
	expect_int(locked_kib(), ==, before);
	expect_int(syscall(SYS_mlockall, MCL_FUTURE), ==, 0);
	expect_moved(mapped.memory, MAPPED_BYTES);
	expect_moved(also_set, sizeof(also_set));
	expect_int(syscall(SYS_munlockall), ==, 0);
}

/* When the region is closed, the memory is one mapping again: a process may have only so many. */
Test(adopt, leaves_no_trace)
{
	int mappings = count_mappings(mapped.memory, MAPPED_BYTES);
	expect_moved(mapped.memory + 5 * PAGE, PAGE);
	expect_moved(mapped.memory + 7 * PAGE, 10 * PAGE);
	expect_moved(mapped.memory, MAPPED_BYTES);
	expect_int(count_mappings(mapped.memory, MAPPED_BYTES), ==, mappings);
}

/* Memory of two registrations is moved once, and stays in the heap until both are closed. */
Test(adopt, shared_by_registrations)
{
	struct xrdma_mr *all = mapped_reg(mapped.memory, MAPPED_BYTES),
			*part = mapped_reg(mapped.memory + 3 * PAGE + 5, 2 * PAGE);
	__u8 *peers = mapped_reached(part);

	expect(peers == mapped_reached(all) + 3 * PAGE + 5);
	mapped_end(all);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	*peers ^= 1;
	expect_int(mapped.memory[3 * PAGE + 5], ==, mapped.before[3 * PAGE + 5] ^ 1);
	mapped_end(part);
	*peers ^= 1;
	expect_int(mapped.memory[3 * PAGE + 5], ==, mapped.before[3 * PAGE + 5] ^ 1);
}

static bool is_of_heap(const __u8 *page)
{
	struct xrdma_mapping *mapping;
	int count = xrdma_mappings_list((uintptr_t)page, (uintptr_t)page + 1, &mapping);
	bool is = count == 1 && !strcmp(mapping->name, "anon_inode:bpf-map");

	free(mapping);
	return is;
}

/* A page that no region needs any more is ordinary memory, which the process can discard. */
Test(adopt, ended_apart)
{
	struct xrdma_mr *all = mapped_reg(mapped.memory, MAPPED_BYTES),
			*parts[] = { mapped_reg(mapped.memory + 3 * PAGE + 5, 2 * PAGE),
				     mapped_reg(mapped.memory + 5 * PAGE, PAGE),
				     mapped_reg(mapped.memory + 9 * PAGE - 1, 2) };
	const char *const needed[] = { "000111001100", "000001001100", "000000001100", "000000" };

	mapped_end(all);
	for (int i = 0; i < 4; i++) {
		for (int page = 0; needed[i][page]; page++)
			expect_msg(is_of_heap(mapped.memory + page * PAGE) ==
					   (needed[i][page] == '1'),
				   "page %d after %d", page, i);
		expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
		if (i < 3)
			mapped_end(parts[i]);
	}
	expect_int(count_mappings(mapped.memory, MAPPED_BYTES), ==, 1);
	expect_moved(mapped.memory, MAPPED_BYTES);
}

/* Memory that was given back can be registered again. */
Test(adopt, taken_again)
{
	struct xrdma_mr *all = mapped_reg(mapped.memory, 8 * PAGE),
			*part = mapped_reg(mapped.memory + 3 * PAGE, PAGE);

	mapped_end(all);
	expect_int(madvise(mapped.memory, 3 * PAGE, MADV_DONTNEED), ==, 0);
	memset(mapped.before, 0, 3 * PAGE);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	all = mapped_reg(mapped.memory, 8 * PAGE);
	mapped_end(part);
	expect(is_of_heap(mapped.memory) && is_of_heap(mapped.memory + 3 * PAGE));
	mapped_end(all);
	expect_moved(mapped.memory, 8 * PAGE);
}

enum { HUGE_PAGE = 2 << 20 };

/* Allocate COUNT huge pages. Returns the number that the kernel has allocated, or -1. */
static int set_huge_pages(int count)
{
	FILE *file = fopen("/proc/sys/vm/nr_overcommit_hugepages", "r+");
	int before = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &before) == 1) {
		rewind(file);
		fprintf(file, "%d", count);
	}
	return fclose(file) ? -1 : before;
}

/* Register some bytes around the border between two huge pages. */
static void expect_moved_huge(__u8 *huge)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr) };
	struct owner large;
	struct xrdma_mr *mr, *part;

	expect_int(xrdma_context_open("xa", &attr, &large.context), ==, 0);
	expect_int(xrdma_pd_alloc(large.context, &large.pd), ==, 0);
	arc4random_buf(huge, 2 * HUGE_PAGE);
	memcpy(mapped.before, huge + HUGE_PAGE - 100, 200);
	expect_msg(xrdma_mr_reg(large.pd, huge + HUGE_PAGE - 50, 100, 0, &mr) == 0, "%s",
		   xrdma_error());
	expect(!memcmp(huge + HUGE_PAGE - 100, mapped.before, 200));
	huge[HUGE_PAGE] = ++mapped.before[100];
	expect_int(xrdma_mr_reg(large.pd, huge + HUGE_PAGE, 50, 0, &part), ==, 0);
	mapped_end(mr);
	expect(!is_of_heap(huge) && is_of_heap(huge + HUGE_PAGE));
	mapped_end(part);
	expect(!is_of_heap(huge + HUGE_PAGE));
	expect(!memcmp(huge + HUGE_PAGE - 100, mapped.before, 200));
	expect_int(munmap(huge + HUGE_PAGE, PAGE), <, 0); /* a part of a huge page */
	expect_int(xrdma_mr_reg(large.pd, huge + HUGE_PAGE, 100, 0, &mr), ==, 0);
	expect_int(munmap(huge + HUGE_PAGE + 5 * PAGE, PAGE), ==, 0);
	mapped_end(mr);
	expect(!memcmp(huge + HUGE_PAGE, mapped.before + 100, 100));
	mapped_end(mapped_reg(huge + HUGE_PAGE, 100)); /* no other context has adopted it */
	expect_int(xrdma_pd_dealloc(large.pd), ==, 0);
	expect_int(xrdma_context_close(large.context), ==, 0);
}

/* Huge pages are moved whole. Afterwards they are huge pages again, unless a part was unmapped. */
Test(adopt, huge_pages)
{
	const int others = set_huge_pages(8);
	__u8 *huge = mmap(distant_address(), 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (huge == MAP_FAILED || madvise(huge, 2 * HUGE_PAGE, MADV_POPULATE_WRITE))
		puts("adopt: huge_pages: skipped: the kernel gives none");
	else
		expect_moved_huge(huge);
	if (huge != MAP_FAILED)
		munmap(huge, 2 * HUGE_PAGE);
	if (others >= 0)
		set_huge_pages(others);
}

/*
 * The program unmaps registered memory, maps other memory at the same addresses and registers that
 * with a second context. Then the first region ends: the second region keeps its memory. Both
 * contexts have the memory at the same offset of their heaps.
 */
Test(adopt, mapped_anew_for_another_context)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES), *second;
	struct owner other;
	int status;
	pid_t child;

	owner_open(&other, "xa");
	expect(mmap(mapped.memory, MAPPED_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == mapped.memory);
	memset(mapped.memory, 2, MAPPED_BYTES);
	memset(mapped.before, 2, MAPPED_BYTES);
	expect_int(xrdma_mr_reg(other.pd, mapped.memory, MAPPED_BYTES, 0, &second), ==, 0);
	child = fork();
	if (!child)
		_exit(memcmp(mapped.memory, mapped.before, MAPPED_BYTES) != 0);
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
	mapped_end(mr);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	expect(is_of_heap(mapped.memory));
	mapped_end(second);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	expect(!is_of_heap(mapped.memory));
	owner_close(&other);
}

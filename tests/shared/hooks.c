// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Calls of the C library on memory that is in the registration cache. tests/net/cache.sh runs these
 * tests.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer_view.h"
#include "support/distant.h"
#include "support/test.h"

enum { BYTES = 8 * PAGE };

static __u8 *memory; /* a mapping of BYTES, all of which is cached */
static __u8 before[BYTES];

/* Register memory and close the region, so that the memory is cached. */
static void keep(void *addr, size_t len)
{
	expect(peer_sees(addr, len));
	expect(is_cached(addr));
}

static void start(void)
{
	peer_view_start();
	memory = map_at(distant_address(), BYTES);
	keep(memory, BYTES);
	memcpy(before, memory, BYTES);
}

static void stop(void)
{
	munmap(memory, BYTES);
	peer_view_stop();
}

TestSuite(hooks, .once = peer_view_open, .end = pair_close, .init = start, .fini = stop);

static void expect_zeroes(const __u8 *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		expect_int(at[i], ==, 0);
}

/* Expect that memory belongs to the process, with its bytes, and can be registered again. */
static void expect_own(__u8 *addr)
{
	for (int i = 0; i < BYTES; i += PAGE)
		expect(!is_cached(addr + i));
	expect(!memcmp(addr, before, BYTES));
	keep(addr, BYTES);
	memcpy(before, addr, BYTES);
}

/* A second registration finds the same memory of the heap. */
Test(hooks, kept)
{
	for (int i = 0; i < 3; i++) {
		expect(is_cached(memory));
		expect(peer_sees(memory + i, BYTES - PAGE));
	}
}

Test(hooks, unmapped)
{
	expect_int(munmap(memory + PAGE, PAGE), ==, 0);
	expect(!is_cached(memory) && !is_cached(memory + 2 * PAGE));
	map_at(memory + PAGE, PAGE);
	expect(!memcmp(memory, before, PAGE));
	expect_zeroes(memory + PAGE, PAGE);
	expect(!memcmp(memory + 2 * PAGE, before + 2 * PAGE, BYTES - 2 * PAGE));
	keep(memory, BYTES);
}

Test(hooks, mapped_over)
{
	void *over = mmap(memory + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	expect(over == memory + PAGE);
	expect_zeroes(memory + PAGE, 2 * PAGE);
	expect(!memcmp(memory, before, PAGE));
	keep(memory, BYTES);
}

/* Cached memory can be moved, also to a place of other cached memory. */
Test(hooks, moved)
{
	__u8 *other = map_at(NULL, BYTES), *from = memory;

	keep(other, BYTES);
	memory = mremap(from, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	expect(memory == other);
	map_at(from, BYTES);
	expect_zeroes(from, BYTES);
	expect_own(memory);
	keep(from, BYTES);
	munmap(from, BYTES);
}

/* Registered memory cannot be enlarged, but cached memory can. */
Test(hooks, enlarged)
{
	__u8 *from = memory;

	memory = mremap(from, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	expect_msg(memory != MAP_FAILED, "%s", strerror(errno));
	expect_zeroes(memory + BYTES, BYTES);
	expect_own(memory);
	memory = mremap(memory, 2 * BYTES, BYTES, 0);
}

/* After madvise(MADV_DONTNEED), registered memory would raise SIGBUS. Cached memory does not. */
Test(hooks, dropped)
{
	expect_int(madvise(memory + PAGE, PAGE, MADV_DONTNEED), ==, 0);
	expect(!memcmp(memory, before, PAGE));
	expect_zeroes(memory + PAGE, PAGE);
	keep(memory, BYTES);
}

Test(hooks, protected)
{
	expect_int(mprotect(memory, BYTES, PROT_READ | PROT_EXEC), ==, 0);
	expect_int(mprotect(memory, BYTES, PROT_READ | PROT_WRITE), ==, 0);
	expect_own(memory);
	expect_int(pkey_mprotect(memory, BYTES, PROT_READ | PROT_WRITE, -1), ==, 0);
	expect_own(memory);
}

static void expect_locked(bool is)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long start, end;
	char line[512];
	bool of_memory = false;

	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			of_memory = (uintptr_t)memory >= start && (uintptr_t)memory < end;
		else if (of_memory && !strncmp(line, "VmFlags:", 8))
			expect_int(strstr(line, " lo ") != NULL, ==, is);
	}
	fclose(smaps);
}

/* When cached memory is partly unmapped, the rest stays locked. */
Test(hooks, locked)
{
	expect_int(mlock(memory, BYTES), ==, 0);
	expect_locked(true);
	expect_own(memory);
	expect_int(munlock(memory, BYTES), ==, 0);
	expect_locked(false);
	expect_own(memory);
	expect_int(mlock2(memory, BYTES, MLOCK_ONFAULT), ==, 0);
	expect_locked(true);
	expect_own(memory);
	expect_int(munlockall(), ==, 0);
	expect_locked(false);
	expect_own(memory);
	expect_int(mlockall(MCL_CURRENT), ==, 0);
	expect_locked(true);
	expect_own(memory);
	expect_int(munlockall(), ==, 0);
}

/*
 * Memory is freed in the heap of the C library, and in a mapping of its own. A later allocation has
 * new memory.
 */
Tests(hooks, freed, 2)
{
	const size_t len = i ? 50 * PAGE : 3 * PAGE;
	__u8 *chunk = malloc(len);
	const uintptr_t at = (uintptr_t)chunk;
	/* The compiler must not assume that free() preserves errno. */
	void (*const volatile release)(void *) = free;

	keep(chunk, len);
	errno = 7;
	release(chunk);
	expect_int(errno, ==, 7);
	expect(!is_any_cached(at, 1));
	chunk = calloc(1, len);
	expect_zeroes(chunk, len);
	keep(chunk, len);
	free(chunk);
}

Tests(hooks, reallocated, 2)
{
	const size_t len = i ? 50 * PAGE : 3 * PAGE;
	__u8 *chunk = malloc(len), *expected = malloc(len);

	keep(chunk, len);
	memcpy(expected, chunk, len);
	chunk = realloc(chunk, 2 * len);
	expect(!is_cached(chunk));
	expect(!memcmp(chunk, expected, len));
	keep(chunk, 2 * len);
	memcpy(expected, chunk, len);
	chunk = reallocarray(chunk, 1, len / 3);
	expect(!is_cached(chunk));
	expect(!memcmp(chunk, expected, len / 3));
	keep(chunk, len / 3);
	free(chunk);
	free(expected);
}

/* One of two cached entries on a page can be evicted alone. */
Test(hooks, shared_page)
{
	char *chunks[40];
	uintptr_t at;

	for (int i = 0; i < 40; i++)
		chunks[i] = malloc(64);
	at = (uintptr_t)chunks[20];
	keep(chunks[20], 64);
	free(chunks[19]);
	free(chunks[21]);
	expect(is_cached(chunks[20]));
	free(chunks[20]);
	expect(!is_any_cached(at, 1));
	for (int i = 0; i < 40; i++)
		if (i < 19 || i > 21)
			free(chunks[i]);
}

/* While a part is registered, the rest can be dropped, and another context can register it. */
Test(hooks, beside_a_region)
{
	struct xrdma_mr *mr, *others;
	struct owner other;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, memory, PAGE, 0, &mr), ==, 0);
	expect_int(madvise(memory + PAGE, PAGE, MADV_DONTNEED), ==, 0);
	expect_zeroes(memory + PAGE, PAGE);
	expect(is_cached(memory) && !is_cached(memory + 2 * PAGE));
	expect_int(xrdma_mr_close(mr), ==, 0);
	keep(memory, BYTES);
	memcpy(before, memory, BYTES);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, memory, PAGE, 0, &mr), ==, 0);
	owner_open(&other, "xb");
	expect_msg(!xrdma_mr_reg(other.pd, memory + PAGE, PAGE, 0, &others), "%s", xrdma_error());
	expect_int(xrdma_mr_close(others), ==, 0);
	owner_close(&other);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect(!memcmp(memory, before, BYTES));
}

/* The end of the data segment is lowered, while malloc() does not use it. */
Tests(hooks, break_lowered, 2)
{
	__u8 *end = sbrk(-(intptr_t)sbrk(0) & (PAGE - 1)), *old;

	end = sbrk(0);
	old = sbrk(BYTES);
	expect(old == end);
	keep(old, BYTES);
	if (i)
		expect_int(brk(old + PAGE), ==, 0);
	else
		expect(sbrk(PAGE - BYTES) == old + BYTES);
	expect(!is_cached(old));
	expect(sbrk(BYTES - PAGE) == old + PAGE);
	expect_zeroes(old + PAGE, BYTES - PAGE);
	keep(old, BYTES);
	sbrk(-BYTES);
}

/* The last page of data of LIBRARY. */
struct data {
	const char *library;
	void *page;
};

static int find_data(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct data *data = arg;

	(void)size;
	if (!strstr(object->dlpi_name, data->library))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
			data->page = (void *)((object->dlpi_addr + segment->p_vaddr +
					       segment->p_memsz - 1) &
					      -PAGE);
	}
	return 1;
}

Test(hooks, of_a_library)
{
	struct data data = { .library = "libjson-c.so" };
	void *library = dlopen("libjson-c.so.5", RTLD_NOW);

	expect_msg(library, "%s", dlerror());
	expect_int(dl_iterate_phdr(find_data, &data), ==, 1);
	keep(data.page, PAGE);
	expect_int(dlclose(library), ==, 0);
	expect_int(dl_iterate_phdr(find_data, &data), ==, 0);
	map_at(data.page, PAGE);
	expect_zeroes(data.page, PAGE);
	keep(data.page, PAGE);
	munmap(data.page, PAGE);
}

Test(hooks, replaced_by_a_segment)
{
	int id = shmget(IPC_PRIVATE, BYTES, 0600);

	expect(shmat(id, memory, SHM_REMAP) == memory);
	expect_int(shmctl(id, IPC_RMID, NULL), ==, 0);
	expect_zeroes(memory, BYTES);
	expect(!peer_sees(memory, BYTES));
	expect(strstr(xrdma_error(), "it is shared"));
	expect_int(shmdt(memory), ==, 0);
}

/* A child gets cached memory, which is given back to the process before the fork. */
Test(hooks, forked)
{
	const pid_t child = fork();
	int status;

	if (!child)
		_exit(memcmp(memory, before, BYTES) != 0);
	expect(waitpid(child, &status, 0) == child && !status);
	expect_own(memory);
}

/* xrdma_mr_refresh() handles changes that no hook has seen. */
Test(hooks, refreshed)
{
	struct iovec part = { memory + PAGE, PAGE };
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, memory, BYTES, 0, &mr), ==, 0);
	expect_int(syscall(SYS_munmap, memory + PAGE, PAGE), ==, 0);
	expect(syscall(SYS_mmap, memory + PAGE, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) == (long)memory + PAGE);
	expect_int(xrdma_mr_refresh(mr, &part, 1, 0), ==, 0);
	expect(peer_sees(memory, BYTES));
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect(peer_sees(memory, BYTES));
}

/* Memory in use is not evicted. It behaves like the documentation says. */
Test(hooks, in_use)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, memory, BYTES, 0, &mr), ==, 0);
	expect(mremap(memory, BYTES, 2 * BYTES, MREMAP_MAYMOVE) == MAP_FAILED);
	expect_int(errno, ==, EFAULT);
	expect(is_cached(memory));
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_own(memory);
}

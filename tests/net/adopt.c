// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that is registered where it is: what its pages hold is moved and moved back, whoever uses
 * them meanwhile. In namespace a, where xa is loaded; tests/net/context.sh runs it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/mappings.h"
#include "support/owner.h"
#include "support/test.h"

enum { PAGE = 4096, PAGES = 64, SIZE = PAGES * PAGE };

static struct owner owner;
static __u8 before[SIZE]; /* what was in MEMORY */
static __u8 *memory;	  /* of the test: SIZE bytes */

static void open_owner(void)
{
	owner_open(&owner, "xa");
}

static void close_owner(void)
{
	owner_close(&owner);
}

static void map_memory(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(memory != MAP_FAILED);
	arc4random_buf(memory, SIZE);
	memcpy(before, memory, SIZE);
}

static void unmap_memory(void)
{
	munmap(memory, SIZE);
}

TestSuite(adopt, .once = open_owner, .end = close_owner, .init = map_memory, .fini = unmap_memory);

static struct xrdma_mr *reg(void *addr, size_t len)
{
	struct xrdma_mr *mr;

	expect_msg(xrdma_mr_reg(owner.pd, addr, len, 0, &mr) == 0, "%s", xrdma_error());
	return mr;
}

static void end(struct xrdma_mr *mr)
{
	expect_int(xrdma_mr_dereg(mr), ==, 0);
}

static struct xrdma_mkey_row row_of(const struct xrdma_mr *mr)
{
	const struct xrdma_mkey_row *rows = owner.context->tables.mkeys.rows;

	return rows[xrdma_mr_key(mr) >> XRDMA_KEY_INDEX_SHIFT & owner.context->mkey_mask];
}

/* The bytes of the heap that a peer reaches by the key of MR. */
static __u8 *reached(const struct xrdma_mr *mr)
{
	return (__u8 *)owner.context->heap.bytes + row_of(mr).offset;
}

/* How many mappings the process has of the LEN bytes at START. */
static int count_mappings(const void *start, size_t len)
{
	struct xrdma_mapping *list;
	int count = xrdma_mappings_list((uintptr_t)start, (uintptr_t)start + len, &list);

	free(list);
	return count;
}

/* What the process writes a peer reads, and the other way around; all of it stays at the end. */
static void expect_moved(__u8 *addr, size_t len)
{
	struct xrdma_mr *mr;
	__u8 *peers;

	arc4random_buf(addr, len);
	memcpy(before, addr, len);
	mr = reg(addr, len);
	peers = reached(mr);
	expect_int(row_of(mr).base, ==, (uintptr_t)addr);
	expect_int(row_of(mr).len, ==, len);
	expect(!memcmp(addr, before, len));
	expect(!memcmp(peers, before, len));
	addr[0] = ++before[0];
	expect(!memcmp(peers, before, len));
	peers[len - 1] = ++before[len - 1];
	expect(!memcmp(addr, before, len));
	end(mr);
	expect(!memcmp(addr, before, len));
	addr[0]++;
	expect_int(peers[0], ==, before[0]);
}

/* At any address and of any length. */
Test(adopt, any_part)
{
	const size_t lens[] = { 1, 64, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 5 };
	const size_t at[] = { 0, 1, PAGE - 1, PAGE, 5 * PAGE + 100 };

	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 5; k++)
			expect_moved(memory + at[k], lens[i]);
	expect_moved(memory, SIZE);
}

static __u8 zeroed[5 * PAGE], set[5 * PAGE] = { 1 }, also_set[5 * PAGE] = { 2 };
static __thread __u8 of_thread[1000];

/* Of every kind: what the program, its stack, its threads and malloc() have. */
Test(adopt, any_kind)
{
	__u8 on_stack[5 * PAGE], *small = malloc(100), *large = malloc(SIZE);

	expect_moved(small, 100);
	expect_moved(large, SIZE);
	expect_moved(on_stack, sizeof(on_stack));
	expect_moved(zeroed, sizeof(zeroed));
	expect_moved(set, sizeof(set));
	expect_moved(of_thread, sizeof(of_thread));
	free(small);
	free(large);
}

/* Memory that was never used is zeroes. */
Test(adopt, unused)
{
	static const __u8 zeroes[SIZE];
	__u8 *unused = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct xrdma_mr *mr = reg(unused, SIZE);

	expect(!memcmp(unused, zeroes, SIZE));
	expect(!memcmp(reached(mr), zeroes, SIZE));
	end(mr);
	expect(!memcmp(unused, zeroes, SIZE));
	munmap(unused, SIZE);
}

/* Locked memory, and where all that is mapped is locked from the start. */
Test(adopt, locked)
{
	expect_int(mlock(memory, SIZE / 2), ==, 0);
	expect_moved(memory, SIZE);
	expect_int(mlockall(MCL_FUTURE), ==, 0);
	expect_moved(memory, SIZE);
	expect_moved(also_set, sizeof(also_set));
	expect_int(munlockall(), ==, 0);
}

/* The mapping is one again, as it was: a process may not have any number of them. */
Test(adopt, leaves_no_trace)
{
	int mappings = count_mappings(memory, SIZE);
	expect_moved(memory + 5 * PAGE, PAGE);
	expect_moved(memory + 7 * PAGE, 10 * PAGE);
	expect_moved(memory, SIZE);
	expect_int(count_mappings(memory, SIZE), ==, mappings);
}

/* What two registrations need is moved once, and stays until neither needs it. */
Test(adopt, shared_by_registrations)
{
	struct xrdma_mr *all = reg(memory, SIZE), *part = reg(memory + 3 * PAGE + 5, 2 * PAGE);
	__u8 *peers = reached(part);

	expect(peers == reached(all) + 3 * PAGE + 5);
	end(all);
	expect(!memcmp(memory, before, SIZE));
	*peers ^= 1;
	expect_int(memory[3 * PAGE + 5], ==, before[3 * PAGE + 5] ^ 1);
	end(part);
	*peers ^= 1;
	expect_int(memory[3 * PAGE + 5], ==, before[3 * PAGE + 5] ^ 1);
}

/* A thread that counts in memory that is being registered, and what it found there. */
struct counting {
	volatile __u64 *word;
	bool stop;
	__u64 count, lost;
};

static void *keep_counting(void *arg)
{
	struct counting *counting = arg;

	while (!__atomic_load_n(&counting->stop, __ATOMIC_RELAXED)) {
		counting->lost += *counting->word != counting->count;
		*counting->word = ++counting->count;
	}
	return NULL;
}

/* Others use the pages meanwhile: those of the buffer, and what shares the pages at its edges. */
Test(adopt, in_use)
{
	enum { THREADS = 3, ROUNDS = 300 };
	volatile __u64 *words[THREADS] = { (__u64 *)memory, (__u64 *)(memory + 2 * PAGE),
					   (__u64 *)&set[PAGE] };
	struct counting counting[THREADS] = { 0 };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		counting[i].word = words[i];
		counting[i].count = *words[i];
		expect_int(pthread_create(&threads[i], NULL, keep_counting, &counting[i]), ==, 0);
	}
	for (int round = 0; round < ROUNDS; round++) {
		end(reg(memory + 100, 2 * PAGE + round));
		end(reg(set + 2 * PAGE - 1, 1));
	}
	for (int i = 0; i < THREADS; i++) {
		__atomic_store_n(&counting[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(threads[i], NULL);
		expect_int(counting[i].lost, ==, 0);
		expect(counting[i].count > 0);
	}
}

/* A child that is forked has what was there as its own; threads of the parent lose nothing. */
Test(adopt, forked)
{
	struct xrdma_mr *mr = reg(memory, SIZE), *second = reg(set, sizeof(set));
	struct counting counting = { .word = (__u64 *)&memory[2 * PAGE] };
	pthread_t thread;
	int status;

	memory[3 * PAGE] = 0;
	counting.count = *counting.word;
	expect_int(pthread_create(&thread, NULL, keep_counting, &counting), ==, 0);
	for (int i = 0; i < 50; i++) {
		pid_t child = fork();
		__u64 seen = *counting.word;

		if (!child) {
			int err = memcmp(memory, before, 2 * PAGE) || memory[3 * PAGE] != (__u8)i ||
				  seen != *counting.word || xrdma_mr_dereg(mr) != -EPERM;

			memset(memory, 0, SIZE);
			memset(set, 0, sizeof(set));
			_exit(err);
		}
		expect_int(waitpid(child, &status, 0), ==, child);
		expect_int(status, ==, 0);
		expect(!memcmp(memory, before, 2 * PAGE));
		expect_int(set[0], ==, reached(second)[0]);
		reached(mr)[3 * PAGE]++;
	}
	__atomic_store_n(&counting.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	expect_int(counting.lost, ==, 0);
	end(mr);
	end(second);
	expect(!memcmp(memory, before, 2 * PAGE));
}

/* A child of clone(2), which the library does not see, has none of it. */
Test(adopt, cloned)
{
	struct xrdma_mr *mr = reg(memory, SIZE);
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		memory[0]++;
		_exit(0);
	}
	expect_int(waitpid(child, &status, 0), ==, child);
	expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	expect(!memcmp(memory, before, SIZE));
	end(mr);
}

/* The kernel writes to it, as to any memory. */
Test(adopt, system_calls)
{
	struct xrdma_mr *mr = reg(memory, SIZE);
	int ends[2];

	expect_int(pipe(ends), ==, 0);
	expect_int(write(ends[1], memory + PAGE - 100, 200), ==, 200);
	expect_int(read(ends[0], memory + 4 * PAGE, 200), ==, 200);
	expect(!memcmp(memory + 4 * PAGE, before + PAGE - 100, 200));
	end(mr);
	expect(!memcmp(memory + 4 * PAGE, before + PAGE - 100, 200));
	close(ends[0]);
	close(ends[1]);
}

/* What was unmapped before the region ends is nobody's; what was mapped there since stays. */
Test(adopt, unmapped_meanwhile)
{
	struct xrdma_mr *mr = reg(memory, 8 * PAGE);
	const __u64 at = row_of(mr).offset;

	munmap(memory + 2 * PAGE, 4 * PAGE);
	expect(mmap(memory + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	memset(memory + 3 * PAGE, 7, PAGE);
	end(mr);
	expect(!memcmp(memory, before, 2 * PAGE));
	expect(!memcmp(memory + 6 * PAGE, before + 6 * PAGE, SIZE - 6 * PAGE));
	memset(before, 7, PAGE);
	expect(!memcmp(memory + 3 * PAGE, before, PAGE));
	expect_int(count_mappings(memory + 2 * PAGE, PAGE), ==, 0);
	expect_int(count_mappings(memory + 4 * PAGE, 2 * PAGE), ==, 0);
	expect(!xrdma_heap_holds(&owner.context->heap, at, 8 * PAGE));
}

/* Nothing is kept for what was unmapped. */
Test(adopt, unmapped_time_and_again)
{
	enum { ROUNDS = 200 };
	const int mappings = count_mappings(0, ~0UL);

	for (int round = 0; round < ROUNDS; round++) {
		struct xrdma_mr *mr = reg(memory, 8 * PAGE);

		munmap(memory + 2 * PAGE, PAGE);
		munmap(memory + 7 * PAGE, PAGE);
		end(mr);
		unmap_memory();
		map_memory();
	}
	expect_int(count_mappings(0, ~0UL) - mappings, <, ROUNDS / 2);
}

/* What was mapped elsewhere remains there, and its pages are given to nobody else. */
Test(adopt, mapped_elsewhere_meanwhile)
{
	struct xrdma_mr *mr = reg(memory, 8 * PAGE);
	const __u64 at = row_of(mr).offset;
	__u8 *elsewhere = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(mremap(memory + 2 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) ==
	       elsewhere);
	end(mr);
	expect(!memcmp(memory, before, 2 * PAGE));
	expect(!memcmp(memory + 3 * PAGE, before + 3 * PAGE, SIZE - 3 * PAGE));
	expect(!memcmp(elsewhere, before + 2 * PAGE, PAGE));
	expect_int(count_mappings(memory + 2 * PAGE, PAGE), ==, 0);
	expect(xrdma_heap_holds(&owner.context->heap, at, 8 * PAGE));
	munmap(elsewhere, PAGE);
	expect_int(xrdma_heap_give(&owner.context->heap, at), ==, 0);
}

enum { HUGE_PAGE = 2 << 20 };

/* How many huge pages the kernel makes when asked; or -1. */
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

/* Some bytes around the border between two. */
static void expect_moved_huge(__u8 *huge)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr) };
	struct owner large;
	struct xrdma_mr *mr;

	expect_int(xrdma_context_open("xa", &attr, &large.context), ==, 0);
	expect_int(xrdma_pd_alloc(large.context, &large.pd), ==, 0);
	arc4random_buf(huge, 2 * HUGE_PAGE);
	memcpy(before, huge + HUGE_PAGE - 100, 200);
	expect_msg(xrdma_mr_reg(large.pd, huge + HUGE_PAGE - 50, 100, 0, &mr) == 0, "%s",
		   xrdma_error());
	expect(!memcmp(huge + HUGE_PAGE - 100, before, 200));
	huge[HUGE_PAGE] = ++before[100];
	end(mr);
	expect(!memcmp(huge + HUGE_PAGE - 100, before, 200));
	expect_int(munmap(huge + HUGE_PAGE, PAGE), <, 0); /* a part of a huge page */
	expect_int(xrdma_pd_dealloc(large.pd), ==, 0);
	expect_int(xrdma_context_close(large.context), ==, 0);
}

/* Huge pages are moved whole, and are such pages again. */
Test(adopt, huge_pages)
{
	const int others = set_huge_pages(8);
	__u8 *huge = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
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

/* What is not the process's alone to read and write, by what is said of it. */
static const struct refusal {
	int err, prot, flags;
	const char *file, *text;
} refusals[] = {
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, NULL, "/dev/zero" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_SHARED, "/tmp", "it is shared" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_PRIVATE, "/tmp", "it is of a file" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it is executable" },
	{ EFAULT, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it must be readable and writable" },
	{ EFAULT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it must be readable and writable" },
};

/* Nothing is changed, also where memory before it could be registered. */
static void expect_refused(const struct refusal *refusal)
{
	struct xrdma_mr *mr;
	char address[32];
	int fd = -1;

	if (refusal->file) {
		fd = open(refusal->file, O_TMPFILE | O_RDWR, 0600);
		expect_int(ftruncate(fd, PAGE), ==, 0);
	}
	expect(mmap(memory + 8 * PAGE, PAGE, refusal->prot, refusal->flags | MAP_FIXED, fd, 0) !=
	       MAP_FAILED);
	snprintf(address, sizeof(address), "%llx-",
		 (unsigned long long)(uintptr_t)memory + 8 * PAGE);
	expect_error(xrdma_mr_reg(owner.pd, memory + 7 * PAGE, 2 * PAGE, 0, &mr), refusal->err,
		     refusal->text);
	expect(strstr(xrdma_error(), address));
	expect(!memcmp(memory, before, 8 * PAGE));
	expect_int(count_mappings(memory, 10 * PAGE), ==, 3);
	if (fd >= 0)
		close(fd);
}

Tests(adopt, refusals, sizeof(refusals) / sizeof(*refusals))
{
	expect_refused(&refusals[i]);
}

Test(adopt, nothing_there)
{
	struct xrdma_mr *mr, *others = reg(memory + 4 * PAGE, 1);

	munmap(memory + 8 * PAGE, PAGE);
	expect_error(xrdma_mr_reg(owner.pd, memory, SIZE, 0, &mr), EFAULT, "there is no memory at");
	expect_error(xrdma_mr_reg(owner.pd, NULL, 1, 0, &mr), EFAULT, "there is no memory at 0");
	expect_error(xrdma_mr_reg(owner.pd, memory, 0, 0, &mr), EINVAL, "0 bytes");
	expect_error(xrdma_mr_reg(owner.pd, memory, (size_t)-1, 0, &mr), EINVAL,
		     "no such addresses");
	expect_error(xrdma_mr_reg(owner.pd, memory, -(uintptr_t)memory, 0, &mr), EINVAL,
		     "no such addresses");
	end(others);
	expect(!memcmp(memory, before, 8 * PAGE));
	expect_int(count_mappings(memory, SIZE), ==, 2);
}

/* Of a second context, since memory is one's heap or the other's. */
Test(adopt, of_two_contexts)
{
	struct xrdma_mr *mr = reg(memory + PAGE, PAGE), *second;
	struct owner other;

	owner_open(&other, "xa");
	expect_error(xrdma_mr_reg(other.pd, memory, SIZE, 0, &second), EBUSY, "another context");
	expect_error(xrdma_mr_reg(other.pd, owner.memory, 64, 0, &second), EOPNOTSUPP, "bpf-map");
	expect(!memcmp(memory, before, SIZE));
	end(mr);
	expect_int(xrdma_mr_reg(other.pd, memory, SIZE, 0, &second), ==, 0);
	end(second);
	expect(!memcmp(memory, before, SIZE));
	owner_close(&other);
}

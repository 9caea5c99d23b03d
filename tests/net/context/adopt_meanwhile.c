// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Things that happen to memory while it is registered in place: other threads use it, the process
 * forks, and the memory is unmapped or mapped elsewhere. The tests run in namespace a, where xa is
 * loaded; tests/net/context.sh runs them.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/mappings.h"
#include "support/mapped.h"
#include "support/test.h"

TestSuite(adopt_meanwhile, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

static __u8 set[5 * PAGE] = { 1 };

/*
 * A thread that counts in memory while it is being registered, and the last value that it found
 * there.
 */
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

/*
 * Other threads use the pages during registration: those of the buffer, and those that it shares at
 * its edges.
 */
Test(adopt_meanwhile, in_use)
{
	enum { THREADS = 3, ROUNDS = 300 };
	volatile __u64 *words[THREADS] = { (__u64 *)mapped.memory,
					   (__u64 *)(mapped.memory + 2 * PAGE),
					   (__u64 *)&set[PAGE] };
	struct counting counting[THREADS] = { 0 };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		counting[i].word = words[i];
		counting[i].count = *words[i];
		expect_int(pthread_create(&threads[i], NULL, keep_counting, &counting[i]), ==, 0);
	}
	for (int round = 0; round < ROUNDS; round++) {
		mapped_end(mapped_reg(mapped.memory + 100, 2 * PAGE + round));
		mapped_end(mapped_reg(set + 2 * PAGE - 1, 1));
	}
	for (int i = 0; i < THREADS; i++) {
		__atomic_store_n(&counting[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(threads[i], NULL);
		expect_int(counting[i].lost, ==, 0);
		expect(counting[i].count > 0);
	}
}

static volatile int handled;

static void touch(int signal)
{
	(void)signal;
	mapped.memory[0]++;
	handled++;
}

/* A signal handler uses the memory while its thread registers the memory. */
Test(adopt_meanwhile, in_use_by_a_handler)
{
	const struct sigaction action = { .sa_handler = touch, .sa_flags = SA_RESTART };
	const struct itimerval often = { .it_interval.tv_usec = 50, .it_value.tv_usec = 50 };
	const struct itimerval never = { 0 };
	const __u8 first = mapped.memory[0];

	handled = 0;
	expect_int(sigaction(SIGALRM, &action, NULL), ==, 0);
	expect_int(setitimer(ITIMER_REAL, &often, NULL), ==, 0);
	while (handled < 1000)
		mapped_end(mapped_reg(mapped.memory, PAGE));
	expect_int(setitimer(ITIMER_REAL, &never, NULL), ==, 0);
	expect_int(mapped.memory[0], ==, (__u8)(first + handled));
}

/*
 * A thread registers its own control block. The kernel writes into the end of it whenever the
 * thread gets a CPU (rseq(2)).
 */
Test(adopt_meanwhile, in_use_by_the_kernel)
{
	for (int i = 0; i < 100; i++)
		mapped_end(mapped_reg((void *)pthread_self(), __rseq_offset + __rseq_size));
}

/* A forked child gets a copy of the memory. Threads of the parent lose no writes. */
Test(adopt_meanwhile, forked)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES),
			*second = mapped_reg(set, sizeof(set));
	struct counting counting = { .word = (__u64 *)&mapped.memory[2 * PAGE] };
	pthread_t thread;
	int status;

	mapped.memory[3 * PAGE] = 0;
	counting.count = *counting.word;
	expect_int(pthread_create(&thread, NULL, keep_counting, &counting), ==, 0);
	for (int i = 0; i < 50; i++) {
		pid_t child = fork();
		__u64 seen = *counting.word;

		if (!child) {
			int err = memcmp(mapped.memory, mapped.before, 2 * PAGE) ||
				  mapped.memory[3 * PAGE] != (__u8)i || seen != *counting.word ||
				  xrdma_mr_close(mr) != -EPERM;

			memset(mapped.memory, 0, MAPPED_BYTES);
			memset(set, 0, sizeof(set));
			_exit(err);
		}
		expect_int(waitpid(child, &status, 0), ==, child);
		expect_int(status, ==, 0);
		expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
		expect_int(set[0], ==, mapped_reached(second)[0]);
		mapped_reached(mr)[3 * PAGE]++;
	}
	__atomic_store_n(&counting.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	expect_int(counting.lost, ==, 0);
	mapped_end(mr);
	mapped_end(second);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
}

/* A child gets the rest of memory that was partly unmapped or mapped anew. */
Test(adopt_meanwhile, forked_with_holes)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);
	int status;
	pid_t child;

	munmap(mapped.memory + 2 * PAGE, PAGE);
	expect(mmap(mapped.memory + 5 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	memset(mapped.memory + 5 * PAGE, 7, PAGE);
	memset(mapped.before + 5 * PAGE, 7, PAGE);
	child = fork();
	if (!child)
		_exit(memcmp(mapped.memory, mapped.before, 2 * PAGE) ||
		      memcmp(mapped.memory + 3 * PAGE, mapped.before + 3 * PAGE, 5 * PAGE));
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
	expect(!memcmp(mapped.memory + 3 * PAGE, mapped.before + 3 * PAGE, 5 * PAGE));
	mapped_reached(mr)[4 * PAGE] ^= 1;
	expect_int(mapped.memory[4 * PAGE], ==, mapped.before[4 * PAGE] ^ 1);
	mapped_end(mr);
	expect_int(mapped.memory[4 * PAGE], ==, mapped.before[4 * PAGE] ^ 1);
	expect_int(mapped.memory[7 * PAGE], ==, mapped.before[7 * PAGE]);
}

/* A child of clone(2), which the library does not notice, does not get the memory. */
Test(adopt_meanwhile, cloned)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES);
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		mapped.memory[0]++;
		_exit(0);
	}
	expect_int(waitpid(child, &status, 0), ==, child);
	expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	mapped_end(mr);
}

/* System calls write to registered memory as to any other memory. */
Test(adopt_meanwhile, system_calls)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES);
	int ends[2];

	expect_int(pipe(ends), ==, 0);
	expect_int(write(ends[1], mapped.memory + PAGE - 100, 200), ==, 200);
	expect_int(read(ends[0], mapped.memory + 4 * PAGE, 200), ==, 200);
	expect(!memcmp(mapped.memory + 4 * PAGE, mapped.before + PAGE - 100, 200));
	mapped_end(mr);
	expect(!memcmp(mapped.memory + 4 * PAGE, mapped.before + PAGE - 100, 200));
	close(ends[0]);
	close(ends[1]);
}

/* Memory that was unmapped before the region is closed stays unmapped. New mappings there stay. */
Test(adopt_meanwhile, unmapped_meanwhile)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);
	const __u64 at = mapped_row(mr).offset;

	munmap(mapped.memory + 2 * PAGE, 4 * PAGE);
	expect(mmap(mapped.memory + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	memset(mapped.memory + 3 * PAGE, 7, PAGE);
	mapped_end(mr);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
	expect(!memcmp(mapped.memory + 6 * PAGE, mapped.before + 6 * PAGE,
		       MAPPED_BYTES - 6 * PAGE));
	memset(mapped.before, 7, PAGE);
	expect(!memcmp(mapped.memory + 3 * PAGE, mapped.before, PAGE));
	expect_int(count_mappings(mapped.memory + 2 * PAGE, PAGE), ==, 0);
	expect_int(count_mappings(mapped.memory + 4 * PAGE, 2 * PAGE), ==, 0);
	expect(!xrdma_heap_holds(&mapped.owner.context->heap, at, 8 * PAGE));
}

/* Create a map of the program's own, and map SIZE bytes of it, from OFFSET on, at AT. */
static __u8 *map_own(void *at, __u64 offset, size_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "own", 4, offset + size, 1, &opts);
	__u8 *mapped_at =
		mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset);

	expect(mapped_at == at);
	close(fd);
	return mapped_at;
}

/*
 * The program maps a map of its own where registered memory was, at the same offset. The mapping
 * has the name and the offset of the library's, and the end of the region leaves it alone.
 */
Test(adopt_meanwhile, replaced_by_another_map)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);
	struct xrdma_mapping *mapping;
	__u8 *own;

	expect_int(xrdma_mappings_list((uintptr_t)mapped.memory, (uintptr_t)mapped.memory + 1,
				       &mapping),
		   ==, 1);
	own = map_own(mapped.memory, mapping->offset, 8 * PAGE);
	free(mapping);
	memset(own, 7, 8 * PAGE);
	mapped_end(mr);
	for (int page = 0; page < 8; page++)
		expect_int(own[page * PAGE], ==, 7);
	expect(!memcmp(mapped.memory + 8 * PAGE, mapped.before + 8 * PAGE,
		       MAPPED_BYTES - 8 * PAGE));
}

/* Memory that was unmapped while registered does not use up the heap. */
Test(adopt_meanwhile, unmapped_time_and_again)
{
	enum { ROUNDS = 200 };
	const int mappings = count_mappings(0, ~0UL);

	for (int round = 0; round < ROUNDS; round++) {
		struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);

		munmap(mapped.memory + 2 * PAGE, PAGE);
		munmap(mapped.memory + 7 * PAGE, PAGE);
		mapped_end(mr);
		mapped_stop();
		mapped_start();
	}
	expect_int(count_mappings(0, ~0UL) - mappings, <, ROUNDS / 2);
}

/* Memory that was mapped elsewhere remains there, and no one else gets its pages. */
Test(adopt_meanwhile, mapped_elsewhere_meanwhile)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);
	const __u64 at = mapped_row(mr).offset;
	__u8 *elsewhere = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(mremap(mapped.memory + 2 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		      elsewhere) == elsewhere);
	mapped_end(mr);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
	expect(!memcmp(mapped.memory + 3 * PAGE, mapped.before + 3 * PAGE,
		       MAPPED_BYTES - 3 * PAGE));
	expect(!memcmp(elsewhere, mapped.before + 2 * PAGE, PAGE));
	expect_int(count_mappings(mapped.memory + 2 * PAGE, PAGE), ==, 0);
	expect(xrdma_heap_holds(&mapped.owner.context->heap, at, 8 * PAGE));
	munmap(elsewhere, PAGE);
	expect_int(xrdma_heap_give(&mapped.owner.context->heap, at), ==, 0);
}

/* Returns whether the process may read, or with WRITE also write, the byte at AT. */
static bool is_allowed(__u8 *at, bool write)
{
	int ends[2];
	bool allowed;

	expect_int(pipe(ends), ==, 0);
	allowed = syscall(SYS_write, ends[1], at, 1) == 1;
	if (allowed && write)
		allowed = syscall(SYS_read, ends[0], at, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return allowed;
}

static bool is_protected(void)
{
	__u8 *const memory = mapped.memory;

	return !is_allowed(memory, false) && is_allowed(memory + PAGE, false) &&
	       !is_allowed(memory + PAGE, true) && is_allowed(memory + 2 * PAGE, true) &&
	       !memcmp(memory + PAGE, mapped.before + PAGE, 2 * PAGE);
}

/*
 * The protection that mprotect() gives to registered memory remains after a fork, in a child, and
 * after the region is closed.
 */
Test(adopt_meanwhile, protected)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 3 * PAGE);
	pid_t child;
	int status;

	expect_int(mprotect(mapped.memory, PAGE, PROT_NONE), ==, 0);
	expect_int(mprotect(mapped.memory + PAGE, PAGE, PROT_READ), ==, 0);
	child = fork();
	if (!child)
		_exit(!is_protected());
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
	expect(is_protected());
	expect(!memcmp(mapped_reached(mr), mapped.before, 3 * PAGE));
	mapped_end(mr);
	expect(is_protected());
	expect_int(mprotect(mapped.memory, 2 * PAGE, PROT_READ | PROT_WRITE), ==, 0);
	expect(!memcmp(mapped.memory, mapped.before, 3 * PAGE));
}

static bool maps_anew;

static void map_anew(void)
{
	if (maps_anew)
		expect(mmap(mapped.memory + PAGE, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			    0) == mapped.memory + PAGE);
}

/* Register a handler that runs within the library's, which was registered later. */
static __attribute__((constructor)) void add_handler(void)
{
	pthread_atfork(map_anew, NULL, NULL);
}

/*
 * Another thread maps a page of a region anew while the process forks. Peers do not get the new
 * page.
 */
Test(adopt_meanwhile, mapped_anew_in_a_fork)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 3 * PAGE);
	pid_t child;
	int status;

	maps_anew = true;
	child = fork();
	maps_anew = false;
	if (!child)
		_exit(mapped.memory[PAGE]);
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
	memset(mapped.memory + PAGE, 0x5c, PAGE);
	expect(!memcmp(mapped_reached(mr), mapped.before, PAGE));
	expect(memcmp(mapped_reached(mr) + PAGE, mapped.memory + PAGE, PAGE));
	expect(!memcmp(mapped_reached(mr) + 2 * PAGE, mapped.before + 2 * PAGE, PAGE));
	mapped_end(mr);
	expect_int(mapped.memory[PAGE], ==, 0x5c);
}

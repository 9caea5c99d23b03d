// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * No memory is moved while the program changes its mappings through the C library.
 * tests/net/cache.sh runs it.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/order.h"
#include "peer_view.h"
#include "support/held_call.h"
#include "support/buffers.h"
#include "support/test.h"

enum { BYTES = 8 * PAGE, A_WHILE_MS = 30 };

TestSuite(meanwhile, .once = peer_view_open, .end = pair_close, .init = peer_view_start,
	  .fini = peer_view_stop);

/* BYTES that a call changes. If the call unmaps them, other threads may get the addresses. */
static __u8 *changed;

static void change_by_munmap(void)
{
	munmap(changed, BYTES);
}

static void change_by_mmap(void)
{
	mmap(changed, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void change_by_mmap64(void)
{
	mmap64(changed, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void change_by_mremap(void)
{
	mremap(changed, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
}

static void change_by_madvise(void)
{
	madvise(changed, BYTES, MADV_DONTNEED);
}

static void change_by_mprotect(void)
{
	mprotect(changed, BYTES, PROT_READ);
}

static void change_by_pkey_mprotect(void)
{
	pkey_mprotect(changed, BYTES, PROT_READ, -1);
}

static void change_by_shmat(void)
{
	const int id = shmget(IPC_PRIVATE, BYTES, 0600);

	shmat(id, changed, SHM_REMAP);
	shmctl(id, IPC_RMID, NULL);
}

static void change_by_brk(void)
{
	brk(changed);
}

static void change_by_sbrk(void)
{
	sbrk(-BYTES);
}

static __u8 *map_anywhere(void)
{
	return map_at(NULL, BYTES);
}

/* Returns BYTES of whole pages at the end of the C library's heap. */
static __u8 *grow_heap(void)
{
	sbrk(-(uintptr_t)sbrk(0) % PAGE);
	return sbrk(BYTES);
}

/* Changes of mappings. The memory's address is argument ARG of the system call in MAKE. */
static const struct change {
	void (*make)(void);
	__u8 *(*get_memory)(void);
	__u32 call;
	int arg;
} changes[] = {
	{ change_by_munmap, map_anywhere, SYS_munmap, 0 },
	{ change_by_mmap, map_anywhere, SYS_mmap, 0 },
	{ change_by_mmap64, map_anywhere, SYS_mmap, 0 },
	{ change_by_mremap, map_anywhere, SYS_mremap, 0 },
	{ change_by_madvise, map_anywhere, SYS_madvise, 0 },
	{ change_by_mprotect, map_anywhere, SYS_mprotect, 0 },
	{ change_by_pkey_mprotect, map_anywhere, SYS_mprotect, 0 },
	{ change_by_shmat, map_anywhere, SYS_shmat, 1 },
	{ change_by_brk, grow_heap, SYS_brk, 0 },
	{ change_by_sbrk, grow_heap, SYS_brk, 0 },
};

static void make(void *change)
{
	((const struct change *)change)->make();
}

static pthread_t registering;
static bool is_registered; /* it was registered, and its region is closed */

static void *register_memory(void *memory)
{
	XRDMA_PUBLISH(is_registered, peer_sees(memory, BYTES));
	return NULL;
}

static __u8 *memory;

static void register_meanwhile(void)
{
	is_registered = false;
	expect_int(pthread_create(&registering, NULL, register_memory, memory), ==, 0);
	poll(NULL, 0, A_WHILE_MS);
	expect(!XRDMA_OBSERVE(is_registered));
}

/* A thread is in a call that changes mappings. Another thread registers memory, and waits. */
Tests(meanwhile, no_memory_is_moved, sizeof(changes) / sizeof(*changes))
{
	struct held_call held = { .number = changes[i].call, .arg = changes[i].arg };

	memory = map_at(NULL, BYTES);
	expect(peer_sees(memory, BYTES)); /* starts the library's own threads */
	munmap(memory, BYTES);
	map_at(memory, BYTES);
	changed = changes[i].get_memory();
	held.value = (uintptr_t)changed;
	run_held(make, (void *)&changes[i], &held, register_meanwhile);
	pthread_join(registering, NULL);
	expect(is_registered);
	munmap(memory, BYTES);
}

enum { PAGES = 64, RUN_MS = 400, NAP_US = 500 };

static __u8 written[PAGES]; /* all bytes of a page are equal */
static bool stops;
static int wrong;

static void *fork_again_and_again(void *arg)
{
	while (!XRDMA_OBSERVE(stops)) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return arg;
}

static void map_anew(int page, int count)
{
	__u8 *const at = memory + page * PAGE;

	wrong += mmap(at, count * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at;
	memset(written + page, written[page] + 1, count);
	memset(at, written[page], count * PAGE);
}

static void *map_again_and_again(void *arg)
{
	unsigned int seed = 1;

	while (!XRDMA_OBSERVE(stops)) {
		const int page = rand_r(&seed) % PAGES, left = PAGES - page;

		map_anew(page, 1 + rand_r(&seed) % (left < 4 ? left : 4));
		for (int i = 0; i < PAGES * PAGE; i += PAGE / 2)
			wrong += memory[i] != written[i / PAGE];
		usleep(NAP_US);
	}
	return arg;
}

/*
 * One thread maps parts of a region anew while another one forks again and again. No byte is lost,
 * and the region can be refreshed.
 */
Test(meanwhile, mapped_anew)
{
	struct xrdma_pd_attr attr = { .sz = sizeof(attr),
				      .mr_mode = XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_PROV_KEY };
	const __u64 end = xrdma_now_ms() + RUN_MS;
	pthread_t forking, mapping;
	struct xrdma_pd *domain;
	struct xrdma_mr *mr;

	memory = map_at(NULL, PAGES * PAGE);
	expect_int(xrdma_pd_open(pair.b.owner.context, &attr, &domain), ==, 0);
	expect_int(
		register_buffer(domain, memory, PAGES * PAGE, XRDMA_ACCESS_REMOTE_READ, 0, 0, &mr),
		==, 0);
	expect_int(pthread_create(&forking, NULL, fork_again_and_again, NULL), ==, 0);
	expect_int(pthread_create(&mapping, NULL, map_again_and_again, NULL), ==, 0);
	while (xrdma_now_ms() < end)
		expect_msg(!xrdma_mr_refresh(mr, NULL, 0, 0), "%s", xrdma_error());
	XRDMA_PUBLISH(stops, true);
	pthread_join(forking, NULL);
	pthread_join(mapping, NULL);
	expect_int(wrong, ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(domain), ==, 0);
	munmap(memory, PAGES * PAGE);
}

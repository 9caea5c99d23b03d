// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Test the steps of a relocation (user/mem/relocating.h) while another thread maps something else
 * there or unmaps some of it. For this, the function that calls the kernel first does what the
 * other thread would do at that moment. tests/net/context.sh runs these tests.
 */
#include "mem/relocating.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem/mappings.h"
#include "support/test.h"

enum { PAGE = 4096, PAGES = 8, SIZE = PAGES * PAGE, OTHER = 0x5c };

static struct xrdma_freeze hold;
static struct xrdma_relocation move;
static __u8 *memory, before[SIZE];
static void (*meddle)(void); /* called once, before the first MOMENT */
static struct moment {
	long call;
	unsigned long request; /* of SYS_ioctl */
} moment;
static bool moves_next_to; /* memory is moved to just before its old place */

static long ask(long number, ...)
{
	long args[6];
	va_list rest;

	va_start(rest, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(rest, long);
	va_end(rest);
	if (meddle && number == moment.call &&
	    (number != SYS_ioctl || (unsigned long)args[1] == moment.request)) {
		void (*const once)(void) = meddle;

		meddle = NULL;
		once();
	}
	if (moves_next_to && number == SYS_mremap && args[3] & MREMAP_DONTUNMAP) {
		args[3] |= MREMAP_FIXED;
		args[4] = args[0] - SIZE;
	}
	return syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/* Read the events of SWAP. A thread that relocates its memory waits until they are read. */
static void *read_events(void *arg)
{
	struct uffd_msg event;

	(void)arg;
	while (read(hold.swap, &event, sizeof(event)) > 0)
		;
	return NULL;
}

/* Map a page of bytes OTHER at AT. */
static void map_other(void *at)
{
	expect(mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == at);
	memset(at, OTHER, PAGE);
}

/*
 * Map memory in the middle of addresses where nothing else is mapped. No access at first keeps the
 * kernel from making one mapping of it and of other memory, which may have been written.
 */
static void map_memory(void)
{
	__u8 *mapped = mmap(NULL, 3 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(mapped != MAP_FAILED);
	memory = mapped + SIZE;
	expect_int(mprotect(memory, SIZE, PROT_READ | PROT_WRITE), ==, 0);
	munmap(mapped, SIZE);
	munmap(memory + SIZE, SIZE);
}

static void start(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	pthread_t events;

	expect_int(xrdma_mappings_open(), ==, 0);
	expect_int(xrdma_freeze_open(&hold), ==, 0);
	hold.kernel = ask;
	hold.copy = memcpy;
	hold.failed = &errno;
	expect_int(pthread_create(&events, NULL, read_events, NULL), ==, 0);
	map_memory();
	move = (struct xrdma_relocation){
		.at = (char *)memory,
		.size = SIZE,
		.prot = PROT_READ | PROT_WRITE,
		.fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "map", 4, SIZE, 1, &opts),
	};
	move.into = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, move.fd, 0);
	expect(move.into != MAP_FAILED);
	for (int i = 0; i < SIZE; i++)
		before[i] = i / PAGE + i;
}

TestSuite(relocating, .init = start);

static void map_third_anew(void)
{
	map_other(memory + 2 * PAGE);
}

static void unmap_third(void)
{
	munmap(memory + 2 * PAGE, PAGE);
}

static bool is_mapped(const __u8 *at)
{
	return !msync((void *)at, PAGE, MS_ASYNC);
}

/* The other thread maps the third page anew, or unmaps it. */
static const struct meddling {
	void (*act)(void);
	bool unmaps;
} meddlings[] = { { .act = map_third_anew }, { .act = unmap_third, .unmaps = true } };

enum { MEDDLINGS = sizeof(meddlings) / sizeof(*meddlings) };

/* Expect that the third page is as MEDDLING made it, and that the others are unchanged. */
static void expect_others(const struct meddling *meddling)
{
	expect(!memcmp(memory, before, 2 * PAGE));
	expect(!memcmp(memory + 3 * PAGE, before + 3 * PAGE, SIZE - 3 * PAGE));
	expect_int(is_mapped(memory + 2 * PAGE), ==, !meddling->unmaps);
	for (int i = 2 * PAGE; i < 3 * PAGE && !meddling->unmaps; i++)
		expect_int(memory[i], ==, OTHER);
}

static bool is_of_map(const __u8 *at)
{
	return xrdma_mapping_may_be_of_map((uintptr_t)at, PAGE, at - memory,
					   move.into + (at - memory));
}

static void move_in(void)
{
	memcpy(memory, before, SIZE);
	expect_int(xrdma_relocating_in(&hold, &move), ==, 0);
	expect(is_of_map(memory));
}

Test(relocating, in_and_out)
{
	move_in();
	expect(!memcmp(memory, before, SIZE));
	expect(!memcmp(move.into, before, SIZE));
	memset(before, OTHER, PAGE);
	memset(move.into, OTHER, PAGE);
	expect_int(xrdma_relocating_out(&hold, &move), ==, 0);
	memset(move.into, 0, SIZE);
	expect(!memcmp(memory, before, SIZE));
}

/*
 * Another thread changes the third page while the memory is copied into the map. The move fails,
 * the change stays, and the other pages are watched as before.
 */
Tests(relocating, in_meanwhile, MEDDLINGS)
{
	if (!hold.knows_others)
		SKIP("the kernel does not tell what other threads map");
	memcpy(memory, before, SIZE);
	move.watched = xrdma_freeze_watch(&hold, move.at, SIZE);
	meddle = meddlings[i].act;
	moment = (struct moment){ .call = SYS_mprotect }; /* of the pages, where they are copied */
	expect_int(xrdma_relocating_in(&hold, &move), ==, -EAGAIN);
	expect(!meddle);
	expect_others(&meddlings[i]);
	expect(xrdma_freeze_has(&hold, hold.swap, move.at, 2 * PAGE));
	expect(xrdma_freeze_has(&hold, hold.swap, move.at + 3 * PAGE, SIZE - 3 * PAGE));
	memset(memory + 3 * PAGE, OTHER, PAGE);
	memset(before + 3 * PAGE, OTHER, PAGE);
	expect_others(&meddlings[i]);
}

/*
 * Another thread changes the third page while the memory is copied back. The change stays, and the
 * other pages get their bytes back.
 */
Tests(relocating, out_meanwhile, MEDDLINGS)
{
	move_in();
	meddle = meddlings[i].act;
	moment = (struct moment){ .call = SYS_ioctl, .request = UFFDIO_COPY };
	expect_int(xrdma_relocating_out(&hold, &move), ==, 0);
	expect(!meddle);
	memset(move.into, 0, SIZE);
	expect_others(&meddlings[i]);
}

/*
 * Another thread changes the third page before the memory is moved back. The move fails, and the
 * other pages stay pages of the map.
 */
Tests(relocating, out_of_another_place, MEDDLINGS)
{
	move_in();
	meddlings[i].act();
	expect_int(xrdma_relocating_out(&hold, &move), ==, -EAGAIN);
	expect_others(&meddlings[i]);
	expect(is_of_map(memory));
	expect(is_of_map(memory + 3 * PAGE));
}

/*
 * Another thread changes the third page when the memory is moved back and watched. The next move
 * into the map fails, and the change stays.
 */
Tests(relocating, watched, MEDDLINGS)
{
	if (!hold.knows_others)
		SKIP("the kernel does not tell what other threads map");
	move_in();
	move.watch = true;
	expect_int(xrdma_relocating_out(&hold, &move), ==, 0);
	expect(move.watched);
	meddlings[i].act();
	expect_int(xrdma_relocating_in(&hold, &move), ==, -EAGAIN);
	expect_others(&meddlings[i]);
	expect_int(xrdma_relocating_unwatch(&hold, &move), ==, 0);
	expect(!xrdma_freeze_has(&hold, hold.swap, move.at, PAGE));
	expect(!xrdma_freeze_has(&hold, hold.swap, move.at + SIZE - PAGE, PAGE));
}

Test(relocating, watched_from_its_first_page)
{
	if (!hold.knows_others)
		SKIP("the kernel does not tell what other threads map");
	move_in();
	move.watch = true;
	expect_int(xrdma_relocating_out(&hold, &move), ==, 0);
	map_other(memory);
	expect_int(xrdma_relocating_in(&hold, &move), ==, -ENOENT);
	expect_int(memory[0], ==, OTHER);
	expect(!memcmp(memory + PAGE, before + PAGE, SIZE - PAGE));
}

/*
 * Memory that nobody has written is moved to just beside its old place. The kernel would make one
 * mapping of both, and threads would not wait there.
 */
Test(relocating, never_written)
{
	moves_next_to = true;
	expect_int(xrdma_relocating_in(&hold, &move), ==, 0);
	expect(move.origin == move.at - SIZE);
	expect(is_of_map(memory));
}

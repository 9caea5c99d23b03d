// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Registration in place in a process that has no mapping left, or few (vm.max_map_count). The tests
 * run in namespace b, where xb is loaded; tests/net/cache.sh runs it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xrdma/cq.h>
#include <xrdma/mw.h>

#include "peer_view.h"
#include "support/distant.h"
#include "support/refuse.h"
#include "support/test.h"
#include "support/unchanged.h"

enum { PAGES = 64, SIZE = PAGES * PAGE };

static struct owner owner;
static __u8 *memory, before[SIZE];

/* Single pages, each of which is a mapping, that use up all mappings of the process. */
static struct {
	char *at;
	long count;
} taken;

enum { TAKEN_MAX = 1 << 17 }; /* pages, of which every other one is taken */

static void free_mappings(int count)
{
	while (count--)
		mprotect(taken.at + --taken.count * 2 * PAGE, PAGE, PROT_NONE);
}

/* Take all mappings but FEW. */
static void take_all_but(int few)
{
	while (taken.count < TAKEN_MAX / 2 &&
	       !mprotect(taken.at + taken.count * 2 * PAGE, PAGE, PROT_READ))
		taken.count++;
	expect_int(errno, ==, ENOMEM);
	free_mappings(few);
}

/* Number of mappings that a fork leaves to the library; -1: a fork takes no mappings. */
static int forks_with;

static void take_during_fork(void)
{
	if (forks_with >= 0)
		take_all_but(forks_with);
}

static struct xrdma_mr *reg(struct owner *of, __u8 *at, size_t size)
{
	struct xrdma_mr *mr;

	expect_msg(!xrdma_mr_reg(of->pd, at, size, 0, &mr), "%s", xrdma_error());
	return mr;
}

static void end(struct xrdma_mr *mr)
{
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/* Start without a cache. The library has started what it needs for registrations. */
static void start(void)
{
	/* The library registers its handler later, so its handler runs first before a fork. */
	forks_with = -1;
	expect_int(pthread_atfork(take_during_fork, NULL, NULL), ==, 0);
	pair_enter("b");
	expect_int(setenv("XRDMA_MR_CACHE_MONITOR", "disabled", 1), ==, 0);
	owner_open(&owner, "xb");
	memory = map_at(distant_address(), SIZE);
	arc4random_buf(before, SIZE);
	memcpy(memory, before, SIZE);
	end(reg(&owner, memory, 1));
	taken.count = 0;
	taken.at = mmap(NULL, (size_t)TAKEN_MAX * PAGE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	expect(taken.at != MAP_FAILED);
	/* Forks take half the time without these pages. */
	expect_int(madvise(taken.at, (size_t)TAKEN_MAX * PAGE, MADV_DONTFORK), ==, 0);
}

static void stop(void)
{
	munmap(taken.at, (size_t)TAKEN_MAX * PAGE);
	munmap(memory, SIZE);
	owner_close(&owner);
}

TestSuite(scarce, .init = start, .fini = stop);

/*
 * Expect that another context can adopt all of the memory, so that none of it is in the first one's
 * heap.
 */
static void expect_given_back(void)
{
	struct owner other;

	owner_open(&other, "xb");
	end(reg(&other, memory, SIZE));
	owner_close(&other);
	expect(!memcmp(memory, before, SIZE));
}

/* A registration that fails half-way is undone at once, or as soon as possible. */
Test(scarce, registered)
{
	enum { SPARE = 60, FEW = 14, PART = 8 };
	int failed = 0;

	for (int page = 0; page < PAGES; page += 2 * PART)
		expect_int(madvise(memory + page * PAGE, PART * PAGE, MADV_DONTDUMP), ==, 0);
	for (int few = 0; few < FEW; few++) {
		struct xrdma_mr *mr;
		int err;

		take_all_but(few);
		err = xrdma_mr_reg(owner.pd, memory, SIZE, 0, &mr);
		failed += err != 0;
		free_mappings(SPARE);
		expect_apart(owner.context, memory, before, SIZE);
		expect_in_child(memory, before, SIZE);
		if (!err)
			end(mr);
		expect_given_back();
	}
	expect(failed > 2 && failed < FEW);
}

/*
 * A process without free mappings can list them by their text, too. Its registration fails later.
 */
Test(scarce, listed_by_text)
{
	enum { SPARE = 20, ROOM = 64 << 10, LAST = 4 };
	void *volatile room = malloc(ROOM); /* so that malloc() has room for small records */
	struct xrdma_mr *mr;
	void *last[LAST];
	int err;

	free(room);
	refuse_mapping_queries();
	take_all_but(0);
	for (int i = 0; i < LAST; i++)
		last[i] = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	err = xrdma_mr_reg(owner.pd, memory, SIZE, 0, &mr);
	free_mappings(SPARE);
	expect(last[LAST - 1] == MAP_FAILED);
	for (int i = 0; i < LAST && last[i] != MAP_FAILED; i++)
		munmap(last[i], PAGE);
	expect_int(err, ==, -ENOMEM);
	expect_msg(!strstr(xrdma_error(), "cannot list"), "%s", xrdma_error());
}

/*
 * The kernel may refuse to give memory back when its region ends. Then the library gives it back in
 * the next call (0) or before the next fork (1), when the kernel allows that.
 */
Tests(scarce, ended, 2)
{
	enum { SPARE = 20, FEW = 6 };
	int kept = 0;

	for (int few = 0; few < FEW; few++) {
		struct xrdma_mr *mr = reg(&owner, memory + 2 * PAGE, 8 * PAGE);

		take_all_but(few);
		end(mr);
		expect_apart(owner.context, memory, before, SIZE);
		free_mappings(SPARE);
		kept += is_any_cached((uintptr_t)memory, SIZE);
		if (!i)
			end(reg(&owner, memory, 1));
		expect_in_child(memory, before, SIZE);
		expect(!is_any_cached((uintptr_t)memory, SIZE));
		expect_given_back();
	}
	expect(kept > 0 && kept < FEW);
}

/*
 * One region has all the memory, which is several mappings. Each mapping also has a smaller region
 * with a window: type 1 for even ones, type 2B for odd ones.
 */
enum { REGIONS = 4, PART = PAGES / REGIONS * PAGE, REGION_BYTES = PART - 2 * PAGE };

static struct side side; /* the owner, and a queue pair for binding the windows */
static struct xrdma_mr *whole, *mrs[REGIONS];
static struct xrdma_mw *windows[REGIONS];
static __u32 window_keys[REGIONS];

static void bind_window(int i)
{
	const struct xrdma_mw_bind bind = {
		.info = {
			.mr = mrs[i],
			.addr = (uintptr_t)memory + (size_t)i * PART,
			.length = PAGE,
			.access = XRDMA_ACCESS_REMOTE_WRITE,
		},
	};
	struct xrdma_send_wr request = { .opcode = XRDMA_WR_BIND_MW, .bind_info = bind.info };
	struct xrdma_wc completion;

	expect(!xrdma_mw_alloc(owner.pd, i % 2 ? XRDMA_MW_TYPE_2B : XRDMA_MW_TYPE_1, &windows[i]));
	request.mw = windows[i];
	request.rkey = xrdma_inc_rkey(xrdma_mw_key(windows[i]));
	expect_msg(!(i % 2 ? xrdma_qp_post_send(side.qp, &request, &send_bad)
			   : xrdma_mw_bind(side.qp, windows[i], &bind)),
		   "%s", xrdma_error());
	window_keys[i] = i % 2 ? request.rkey : xrdma_mw_key(windows[i]);
	xrdma_cq_poll(side.cq, 1, &completion);
	expect_int(side_key(&side, window_keys[i])->state, ==, XRDMA_MKEY_STATE_VALID);
}

static void start_windows(void)
{
	side.owner = owner;
	side_create(&side);
	set_address(side.attr.ah_attr.dest, "10.66.0.1");
	side_bring_to(&side, XRDMA_QPS_RTS);
	for (int i = 0; i < REGIONS; i += 2)
		expect_int(madvise(memory + (size_t)i * PART, PART, MADV_DONTDUMP), ==, 0);
	whole = reg(&owner, memory, SIZE);
	for (int i = 0; i < REGIONS; i++) {
		expect_msg(!xrdma_mr_reg(owner.pd, memory + (size_t)i * PART, REGION_BYTES,
					 XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND, &mrs[i]),
			   "%s", xrdma_error());
		bind_window(i);
	}
}

static void stop_windows(void)
{
	for (int i = 0; i < REGIONS; i++) {
		expect_int(xrdma_mw_dealloc(windows[i]), ==, 0);
		end(mrs[i]);
	}
	end(whole);
	side_destroy(&side);
}

static int state_of(__u32 key)
{
	return XRDMA_READ(side_key(&side, key)->state);
}

static bool is_backed(int i)
{
	const int state = state_of(xrdma_mr_lkey(mrs[i]));

	expect(state == XRDMA_MKEY_STATE_VALID || state == XRDMA_MKEY_STATE_UNBACKED);
	return state == XRDMA_MKEY_STATE_VALID;
}

/* Fork. Leave the process FEW mappings for moving its memory back into the heap. */
static void fork_with(int few)
{
	forks_with = few;
	expect_in_child(memory, before, SIZE);
	forks_with = -1;
}

/*
 * Expect that new bytes that the process writes to region I are at once in the heap, from which
 * peers read.
 */
static void expect_shared(int i)
{
	const char *heap = owner.context->heap.bytes;
	const __u64 offset = side_key(&side, xrdma_mr_lkey(mrs[i]))->offset;

	arc4random_buf(memory + (size_t)i * PART, REGION_BYTES);
	expect(!memcmp(heap + offset, memory + (size_t)i * PART, REGION_BYTES));
	memcpy(before + (size_t)i * PART, memory + (size_t)i * PART, REGION_BYTES);
}

/*
 * After a fork the kernel may refuse to move memory back into the heap. The process keeps its
 * bytes. Only the keys of this memory become invalid until the next call. Its windows are
 * invalidated.
 */
static void fork_again_and_again(void)
{
	enum { SPARE = 60, FEW = 12 };
	bool bound[REGIONS] = { true, true, true, true };
	int partly = 0; /* number of forks after which only some regions were backed */
	struct xrdma_mr *mr;

	start_windows();
	for (int few = FEW; few--;) {
		int count = 0;

		fork_with(few);
		expect(!memcmp(memory, before, SIZE));
		for (int i = 0; i < REGIONS; i++) {
			const bool backed = is_backed(i);

			count += backed;
			bound[i] = bound[i] && backed;
			expect_int(state_of(window_keys[i]), ==,
				   bound[i] ? XRDMA_MKEY_STATE_VALID
				   : i % 2  ? XRDMA_MKEY_STATE_FREE
					    : XRDMA_MKEY_STATE_INVALID);
		}
		partly += count > 0 && count < REGIONS;
		if (!is_backed(0))
			expect_int(xrdma_mr_reg(owner.pd, memory, 1, 0, &mr), ==, -ENOMEM);
		free_mappings(SPARE);
		end(reg(&owner, memory + REGION_BYTES, 1));
		for (int i = 0; i < REGIONS; i++) {
			expect(is_backed(i));
			expect_shared(i);
		}
	}
	stop_windows();
	expect_int(partly, >, 0);
}

Test(scarce, forked)
{
	fork_again_and_again();
}

/* If memory is registered already, another registration finds it in the cache. */
Test(scarce, forked_with_cache)
{
	owner_close(&owner);
	expect_int(setenv("XRDMA_MR_CACHE_MONITOR", "memhooks", 1), ==, 0);
	owner_open(&owner, "xb");
	fork_again_and_again();
}

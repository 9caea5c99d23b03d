// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that is registered where it is, in a process that has no mapping left, or few
 * (vm.max_map_count). In namespace b, where xb is loaded; tests/net/cache.sh runs it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "seen.h"
#include "support/apart.h"
#include "support/test.h"
#include "support/unchanged.h"

enum { PAGES = 64, SIZE = PAGES * PAGE };

static struct owner owner;
static __u8 *memory, before[SIZE];

/* Single pages, each a mapping of its own, that take all mappings which the process may have. */
static struct {
	char *at;
	long count;
} taken;

enum { TAKEN_MAX = 1 << 17 }; /* pages, of which every other one is taken */

static struct xrdma_mr *reg(struct owner *of, __u8 *at, size_t size)
{
	struct xrdma_mr *mr;

	expect_msg(!xrdma_reg_mr(of->pd, at, size, 0, &mr), "%s", xrdma_error());
	return mr;
}

static void end(struct xrdma_mr *mr)
{
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/* Nothing is kept for the next time. The library has started what it needs for registrations. */
static void start(void)
{
	pair_enter("b");
	expect_int(setenv("XRDMA_MR_CACHE_MONITOR", "disabled", 1), ==, 0);
	owner_open(&owner, "xb");
	memory = map_at(apart(), SIZE);
	arc4random_buf(before, SIZE);
	memcpy(memory, before, SIZE);
	end(reg(&owner, memory, 1));
	taken.count = 0;
	taken.at = mmap(NULL, (size_t)TAKEN_MAX * PAGE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	expect(taken.at != MAP_FAILED);
}

static void stop(void)
{
	munmap(taken.at, (size_t)TAKEN_MAX * PAGE);
	munmap(memory, SIZE);
	owner_close(&owner);
}

TestSuite(scarce, .init = start, .fini = stop);

static void free_mappings(int count)
{
	while (count--)
		mprotect(taken.at + --taken.count * 2 * PAGE, PAGE, PROT_NONE);
}

/* So that the process may have FEW mappings more. */
static void take_all_but(int few)
{
	while (taken.count < TAKEN_MAX / 2 &&
	       !mprotect(taken.at + taken.count * 2 * PAGE, PAGE, PROT_READ))
		taken.count++;
	expect_int(errno, ==, ENOMEM);
	free_mappings(few);
}

/* Another context can have all of it: so nothing of it is the first one's heap any more. */
static void expect_given_back(void)
{
	struct owner other;

	owner_open(&other, "xb");
	end(reg(&other, memory, SIZE));
	owner_close(&other);
	expect(!memcmp(memory, before, SIZE));
}

/* A registration that fails half-way is undone at once, or as soon as it can be. */
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
		err = xrdma_reg_mr(owner.pd, memory, SIZE, 0, &mr);
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
 * The kernel may refuse to give memory back when its region ends. Then the library gives it back in
 * a later call, when the kernel allows that.
 */
Test(scarce, ended)
{
	enum { SPARE = 20, FEW = 6 };

	for (int few = 0; few < FEW; few++) {
		struct xrdma_mr *mr = reg(&owner, memory + 2 * PAGE, 8 * PAGE);

		take_all_but(few);
		end(mr);
		expect_apart(owner.context, memory, before, SIZE);
		free_mappings(SPARE);
		expect_in_child(memory, before, SIZE);
		expect_given_back();
	}
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Limits of the cache, the variables of the environment that set them, and the number of addresses
 * that a context uses. These tests run in namespace b, where xb is loaded; tests/net/cache.sh runs
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "peer_view.h"
#include "support/test.h"

enum { PARTS = 8, PART = 4 * PAGE };

static struct owner owner;
static __u8 *memory; /* PARTS parts, with gaps of the same length */

static void start(void)
{
	pair_enter("b");
	memory = map_at(NULL, 2 * PARTS * PART);
}

static void stop(void)
{
	munmap(memory, 2 * PARTS * PART);
}

TestSuite(limits, .init = start, .fini = stop);

static __u8 *part(int number)
{
	return memory + 2 * number * PART;
}

static void set(const char *name, const char *value)
{
	expect_int(setenv(name, value, 1), ==, 0);
}

static void open_with(const char *name, const char *value)
{
	set(name, value);
	owner_open(&owner, "xb");
}

static struct xrdma_mr *reg(int number)
{
	struct xrdma_mr *mr;

	expect_msg(!xrdma_mr_reg(owner.pd, part(number), PART, 0, &mr), "%s", xrdma_error());
	return mr;
}

static void reg_and_close(int number)
{
	expect_int(xrdma_mr_close(reg(number)), ==, 0);
}

/* Check the first parts, one for each digit of KEPT: 1 means that the part is cached. */
static void expect_kept(const char *kept)
{
	for (int i = 0; kept[i]; i++)
		expect_msg(is_cached(part(i)) == (kept[i] == '1'), "part %d of %s", i, kept);
}

/* The least recently used entry is evicted. */
Test(limits, count)
{
	open_with("XRDMA_MR_CACHE_MAX_COUNT", "2");
	for (int i = 0; i < 3; i++)
		reg_and_close(i);
	expect_kept("0110");
	reg_and_close(1);
	reg_and_close(3);
	expect_kept("0101");
	owner_close(&owner);
	expect_kept("0000");
}

Test(limits, size)
{
	open_with("XRDMA_MR_CACHE_MAX_SIZE", "0x8000");
	for (int i = 0; i < 3; i++)
		reg_and_close(i);
	expect_kept("0110");
	owner_close(&owner);
}

/* An entry that is larger than the cache's limit does not evict others. */
Test(limits, too_large)
{
	struct xrdma_mr *mr;

	open_with("XRDMA_MR_CACHE_MAX_SIZE", "16384");
	expect_int(xrdma_mr_reg(owner.pd, memory, PART + 1, 0, &mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_kept("0");
	owner_close(&owner);
}

/* Two entries that are too large together do not evict others. */
Test(limits, too_large_together)
{
	struct xrdma_mr *mr;

	open_with("XRDMA_MR_CACHE_MAX_SIZE", "16384");
	for (int i = 0; i < 2; i++) {
		expect_int(xrdma_mr_reg(owner.pd, memory + 2 * i * PAGE, 3 * PAGE, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	expect(!is_cached(memory + PAGE) && is_cached(memory + 2 * PAGE));
	owner_close(&owner);
}

/* An entry in use counts for the limit, and is not evicted. */
Test(limits, in_use)
{
	struct xrdma_mr *mrs[2];

	open_with("XRDMA_MR_CACHE_MAX_COUNT", "2");
	mrs[0] = reg(0);
	mrs[1] = reg(1);
	reg_and_close(2);
	expect_kept("110");
	expect_int(xrdma_mr_close(mrs[0]), ==, 0);
	reg_and_close(2);
	expect_kept("011");
	expect_int(xrdma_mr_close(mrs[1]), ==, 0);
	expect_kept("011");
	owner_close(&owner);
}

/* The default limit is 1024 entries. */
Test(limits, usual)
{
	owner_open(&owner, "xb");
	for (int i = 0; i < PARTS; i++)
		reg_and_close(i);
	expect_kept("11111111");
	for (int i = 0; i < 1024; i++) {
		struct xrdma_mr *mr;

		expect_int(xrdma_mr_reg(owner.pd, part(7) + 8 * i, 4, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	expect_kept("11111111");
	owner_close(&owner);
}

/* Overlapping ranges are joined into one, which serves all of them. */
Test(limits, overlapping)
{
	struct xrdma_mr *mr;

	open_with("XRDMA_MR_CACHE_MAX_COUNT", "1");
	for (int i = 0; i < 5; i++) {
		expect_int(xrdma_mr_reg(owner.pd, memory + i * PART / 2, PART, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	for (int i = 0; i < 3 * PART; i += PAGE)
		expect(is_cached(memory + i));
	expect_int(xrdma_mr_reg(owner.pd, memory, 3 * PART, 0, &mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	owner_close(&owner);
}

static const struct {
	const char *name, *value;
} none[] = {
	{ "XRDMA_MR_CACHE_MONITOR", "disabled" }, { "FI_MR_CACHE_MONITOR", "disabled" },
	{ "XRDMA_MR_CACHE_MAX_COUNT", "0" },	  { "FI_MR_CACHE_MAX_COUNT", "0" },
	{ "XRDMA_MR_CACHE_MAX_SIZE", "0" },	  { "FI_MR_CACHE_MAX_SIZE", "1" },
};

Tests(limits, nothing, 6)
{
	open_with(none[i].name, none[i].value);
	reg_and_close(0);
	expect_kept("0");
	owner_close(&owner);
}

/* Our variables have priority over libfabric's. Cached entries above a new limit are evicted. */
Test(limits, ours_first)
{
	struct owner other;

	set("FI_MR_CACHE_MONITOR", "disabled");
	set("FI_MR_CACHE_MAX_COUNT", "none");
	set("XRDMA_MR_CACHE_MAX_COUNT", "1");
	open_with("XRDMA_MR_CACHE_MONITOR", "memhooks");
	reg_and_close(0);
	expect_kept("1");
	set("XRDMA_MR_CACHE_MONITOR", "disabled");
	owner_open(&other, "xb");
	expect_kept("0");
	owner_close(&other);
	owner_close(&owner);
}

static const struct {
	const char *name, *value, *says;
	int err;
} wrong[] = {
	{ "XRDMA_MR_CACHE_MONITOR", "", "XRDMA_MR_CACHE_MONITOR=: it must be memhooks", EINVAL },
	{ "FI_MR_CACHE_MONITOR", "kdreg2", "FI_MR_CACHE_MONITOR=kdreg2: it must be memhooks",
	  EINVAL },
	{ "XRDMA_MR_CACHE_MAX_COUNT", "-1", "MAX_COUNT=-1: it must be a number", EINVAL },
	{ "FI_MR_CACHE_MAX_COUNT", "1k", "FI_MR_CACHE_MAX_COUNT=1k: it must be a number", EINVAL },
	{ "XRDMA_MR_CACHE_MAX_SIZE", "99999999999999999999", "99: it must be a number", EINVAL },
	{ "FI_MR_CACHE_MAX_SIZE", "", "FI_MR_CACHE_MAX_SIZE=: it must be a number", EINVAL },
	{ "FI_MR_CACHE_MONITOR", "userfaultfd", "cannot monitor registered memory", EOPNOTSUPP },
};

Tests(limits, refused, 7)
{
	struct xrdma_context *context;

	set(wrong[i].name, wrong[i].value);
	expect_error(xrdma_context_open("xb", NULL, &context), wrong[i].err, wrong[i].says);
}

/* Variables for memory of devices are ignored without such memory. */
Test(limits, of_devices)
{
	set("FI_MR_CUDA_CACHE_MONITOR_ENABLED", "1");
	set("FI_MR_ROCR_CACHE_MONITOR_ENABLED", "1");
	owner_open(&owner, "xb");
	reg_and_close(0);
	expect_kept("1");
	owner_close(&owner);
}

/*
 * Entries are evicted if another region needs their room. The heap has 2 MiB, of which a part is in
 * use.
 */
Test(limits, room)
{
	const size_t half = 800 << 10;
	__u8 *large = map_at(NULL, 2 * half);
	struct xrdma_mr *mr;
	void *bytes;

	owner_open(&owner, "xb");
	expect_int(xrdma_mr_reg(owner.pd, large, half, 0, &mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect(is_cached(large));
	expect_int(xrdma_mr_reg(owner.pd, large + half, half, 0, &mr), ==, 0);
	expect(!is_cached(large) && is_cached(large + half));
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_alloc(owner.context, half, 64, &bytes), ==, 0);
	expect(!is_cached(large + half));
	expect_int(xrdma_free(owner.context, bytes), ==, 0);
	owner_close(&owner);
	munmap(large, 2 * half);
}

/* Returns how many bytes of addresses this process has in use (VmSize). */
static long long addresses_in_use(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	long long pages = 0;

	expect_int(fscanf(statm, "%lld", &pages), ==, 1);
	fclose(statm);
	return pages * PAGE;
}

/*
 * A context works in a process that may use only few more addresses. Closing the context gives them
 * back.
 */
Test(limits, addresses)
{
	const struct rlimit few = { addresses_in_use() + (64 << 20), RLIM_INFINITY };
	long long before;

	expect_int(setrlimit(RLIMIT_AS, &few), ==, 0);
	for (int i = 0; i < 10; i++) {
		owner_open(&owner, "xb");
		reg_and_close(0);
		owner_close(&owner);
		if (!i)
			before = addresses_in_use();
	}
	expect_int(addresses_in_use() - before, <, 8 << 20); /* malloc() may have some more */
}

/*
 * Memory that another context has adopted is not available, but cached memory of another context
 * is.
 */
Test(limits, of_another_context)
{
	struct owner other;
	struct xrdma_mr *mr, *refused;

	owner_open(&owner, "xb");
	owner_open(&other, "xb");
	reg_and_close(0);
	expect_int(xrdma_mr_reg(other.pd, part(0) + 100, 5, 0, &mr), ==, 0);
	expect_error(xrdma_mr_reg(owner.pd, part(0), PART, 0, &refused), EBUSY,
		     "is registered with another context");
	expect_int(xrdma_mr_close(mr), ==, 0);
	reg_and_close(0);
	owner_close(&other);
	expect_kept("1");
	owner_close(&owner);
}

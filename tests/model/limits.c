// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "life.h"
#include "others.h"
#include "plain.h"
#include "regions.h"

/* Memory of the process that is not part of the plain memory; it holds one value. */
enum { OWN_MAX = 32, OWN_PAGES = 20 };

static struct own {
	__u8 *at;
	size_t len;
	int value;
} owns[OWN_MAX];

static void map_own(struct own *own)
{
	*own = (struct own){ .len = (1 + below(OWN_PAGES)) * PAGE, .value = 1 + below(255) };
	own->at = mmap(NULL, own->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(own->at != MAP_FAILED, "mmap(): %s", strerror(errno));
	memset(own->at, own->value, own->len);
}

void map_or_unmap_own(void)
{
	struct own *own = &owns[below(OWN_MAX)];

	if (!own->at) {
		map_own(own);
		return;
	}
	for (size_t i = 0; i < own->len; i++)
		must(own->at[i] == own->value, "byte %zu of a mapping has changed", i);
	must(!munmap(own->at, own->len), "munmap(): %s", strerror(errno));
	own->at = NULL;
}

static void limited_step(enum allowed failures)
{
	static void (*const steps[])(void) = { region_register, region_register_much, region_end,
					       region_refresh, fork_child };

	allowed = failures;
	steps[below(sizeof(steps) / sizeof(*steps))]();
	allowed = NO_FAILURE;
}

/* The library needs descriptors only if the heap must grow for a registration. */
void without_descriptors(void)
{
	struct rlimit limit, none;

	must(!getrlimit(RLIMIT_NOFILE, &limit), "getrlimit()");
	none = (struct rlimit){ 0, limit.rlim_max };
	must(!setrlimit(RLIMIT_NOFILE, &none), "setrlimit()");
	limited_step(FAILED_REGISTRATIONS);
	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit()");
}

static long long addresses_in_use(void)
{
	FILE *statm = fopen("/proc/thread-self/statm", "re");
	long long pages = 0;

	must(statm && fscanf(statm, "%lld", &pages) == 1, "/proc/thread-self/statm");
	fclose(statm);
	return pages * PAGE;
}

/* Use up all addresses. The fork at the end checks that everything is as it must be. */
void without_addresses(void)
{
	struct rlimit limit, few;

	must(!getrlimit(RLIMIT_AS, &limit), "getrlimit()");
	few = (struct rlimit){ addresses_in_use() + below(64) * PAGE, limit.rlim_max };
	must(!setrlimit(RLIMIT_AS, &few), "setrlimit()");
	limited_step(FAILED_MOVES);
	must(!setrlimit(RLIMIT_AS, &limit), "setrlimit()");
	fork_child();
}

/*
 * Single pages, each of which is a mapping: all mappings that the process may have
 * (vm.max_map_count). Children of the process do not get them, so that a fork takes no longer.
 */
static struct {
	__u8 *at;
	size_t count;
} taken;

enum { TAKEN_MAX = 1 << 17, SPARE = 400 }; /* pages, of which every other one is taken */

static void free_mappings(size_t number)
{
	for (; number && taken.count; number--)
		must(!mprotect(taken.at + --taken.count * 2 * PAGE, PAGE, PROT_NONE), "mprotect()");
}

static void take_mappings(void)
{
	if (!taken.at) {
		taken.at = mmap(NULL, (size_t)TAKEN_MAX * PAGE, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		must(taken.at != MAP_FAILED, "mmap(): %s", strerror(errno));
		must(!madvise(taken.at, (size_t)TAKEN_MAX * PAGE, MADV_DONTFORK), "madvise()");
	}
	while (taken.count < TAKEN_MAX / 2 &&
	       !mprotect(taken.at + taken.count * 2 * PAGE, PAGE, PROT_READ))
		taken.count++;
}

void without_mappings(void)
{
	take_mappings();
	free_mappings(below(16));
	limited_step(FAILED_MOVES);
	free_mappings(SPARE);
	fork_child();
}

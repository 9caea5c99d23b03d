// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Processes that take random steps: they map, move, write and register memory, fork, start threads,
 * and meet limits, while a peer reads and writes their regions. After each step the memory must be
 * what a plain copy of it says. tests/net/cache.sh runs this in namespaces a and b, where xa and xb
 * are loaded.
 *
 * Variables of the environment: XRDMA_SECONDS, how long at least; XRDMA_STEPS, how many steps at
 * least; XRDMA_SEED, of the first process, each later process has the next number; XRDMA_TRACE, to
 * print what each step does. CK_FORK=no for a run of more than a minute.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "life.h"
#include "others.h"
#include "peer.h"
#include "plain.h"
#include "regions.h"
#include "support/distant.h"
#include "support/test.h"

/* A sanitizer needs addresses and mappings of its own at any time. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { LIFE_STEPS = 200, LIFE_SECONDS = 45, FEW = 12, MANY = 200, SECONDS = 5, WHOLE_CHECK = 16 };

static const struct part all = { 0, PAGES };

static void unmap(void)
{
	plain_unmap(random_part(FEW));
}

static void map(void)
{
	plain_map(random_part(FEW));
}

static void map_many(void)
{
	plain_map(random_part(MANY));
}

static void map_all(void)
{
	for (size_t i = 0; i < PAGES; i++)
		if (!plain.pages[i].cell || plain.pages[i].cell->moved)
			plain_map((struct part){ i, 1 });
}

static void close_page(void)
{
	plain_protect(random_part(FEW), below(2) ? PROT_NONE : PROT_READ);
}

static void open_pages(void)
{
	plain_protect(all, PROT_READ | PROT_WRITE);
}

static void discard(void)
{
	plain_discard(random_part(FEW));
}

static void move(void)
{
	plain_move(random_part(FEW), below(PAGES));
}

static void write_pages(void)
{
	plain_write(random_part(MANY));
}

/* Steps with their frequencies. */
static const struct {
	const char *name;
	void (*take)(void);
	int often;
} steps[] = {
	{ "unmap", unmap, 6 },
	{ "map", map, 8 },
	{ "map many pages", map_many, 2 },
	{ "map all", map_all, 3 },
	{ "mprotect", close_page, 3 },
	{ "mprotect all", open_pages, 4 },
	{ "madvise", discard, 4 },
	{ "mremap", move, 4 },
	{ "write", write_pages, 12 },
	{ "map elsewhere", map_or_unmap_own, 8 },
	{ "register", region_register, 30 },
	{ "register much", region_register_much, 3 },
	{ "close", region_end, 24 },
	{ "register anew", region_register_anew, 1 },
	{ "refresh", region_refresh, 8 },
	{ "access", region_access, 24 },
	{ "access with a key that has ended", region_refused, 1 },
	{ "heap", heap_take_or_free, 6 },
	{ "fork", fork_child, 3 },
	{ "fork and fork", fork_grandchild, 2 },
	{ "fork and open a context", fork_child_with_context, 1 },
	{ "fork and unmap", fork_and_unmap, 3 },
	{ "pthread", thread_of_pthread, 2 },
	{ "C11 thread", thread_of_c11, 2 },
	{ "timer", thread_of_timer, 2 },
	{ "no descriptors", without_descriptors, 4 },
	{ "no addresses", without_addresses, SANITIZED ? 0 : 4 },
	{ "no mappings", without_mappings, 0 },
};

enum { NO_MAPPINGS = sizeof(steps) / sizeof(*steps) - 1 };

/* Returns the frequency of a step. In some lives the process has all mappings that it may have. */
static int often(size_t step, bool scarce)
{
	return step == NO_MAPPINGS ? scarce * 12 : steps[step].often;
}

static size_t choose_step(bool scarce)
{
	size_t step = 0;
	int sum = 0, chosen;

	for (size_t i = 0; i <= NO_MAPPINGS; i++)
		sum += often(i, scarce);
	chosen = below(sum);
	while (chosen >= often(step, scarce))
		chosen -= often(step++, scarce);
	return step;
}

static void take_steps(bool scarce)
{
	for (life->step = 0; life->step < LIFE_STEPS; life->step++) {
		const size_t step = choose_step(scarce);

		strcpy(life->name, steps[step].name);
		steps[step].take();
		if (life->step % WHOLE_CHECK) {
			plain_check(random_part(MANY), "after a step");
		} else {
			plain_check(all, "after a step");
			plain_check_mappings();
		}
	}
}

static void *live(void *arg)
{
	const bool scarce = below(8) == 0 && !SANITIZED;

	forks_start();
	plain_start(distant_address());
	peer_open();
	map_all();
	region_register(); /* so that the library opens its descriptors */
	take_steps(scarce);
	strcpy(life->name, "the end");
	plain_check(all, "at last");
	open_pages();
	regions_end();
	peer_close();
	plain_check(all, "when all is closed");
	_exit(0);
	return arg;
}

/* In some processes the first thread ends before the others. */
static void start_life(void)
{
	pthread_t thread;

	signal(SIGALRM, SIG_DFL); /* Check has a handler of its own */
	alarm(LIFE_SECONDS);
	if (below(3))
		live(NULL);
	must(!pthread_create(&thread, NULL, live, NULL), "pthread_create()");
	pthread_exit(NULL);
}

static void expect_life(unsigned long seed)
{
	int status;
	pid_t child;

	*life = (struct life){ .random = seed * 0x9e3779b97f4a7c15ULL + 1 };
	child = fork();
	if (!child)
		start_life();
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_msg(!status, "XRDMA_SEED=%lu, step %d (%s), status %#x: %s", seed, life->step,
		   life->name, status, life->wrong);
}

static long number(const char *variable, long usual)
{
	const char *value = getenv(variable);

	return value ? atol(value) : usual;
}

Test(model, random_steps)
{
	const time_t end = time(NULL) + number("XRDMA_SECONDS", SECONDS);
	unsigned long seed = number("XRDMA_SEED", arc4random());
	long left = number("XRDMA_STEPS", 0);

	life = mmap(NULL, sizeof(*life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	expect(life != MAP_FAILED);
	do {
		expect_life(seed++);
		left -= LIFE_STEPS;
	} while (left > 0 || time(NULL) < end);
	munmap(life, sizeof(*life));
}

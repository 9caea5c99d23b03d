// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Threads register memory, and use it in all ways that a program may, at the same time. Memory must
 * contain what they expect, and must change as a peer writes. tests/net/cache.sh runs it; STEPS in
 * the environment is the number of steps of each thread.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer_view.h"
#include "support/test.h"

enum { THREADS = 4, BYTES = 8 * PAGE, USUAL_STEPS = 300 };

TestSuite(torture, .once = peer_view_open, .end = pair_close, .init = peer_view_start,
	  .fini = peer_view_stop);

/* State of a thread. */
struct torture {
	pthread_t thread;
	unsigned int seed;
	int steps;
	__u8 *memory, *chunk;			/* BYTES of a mapping, and BYTES of malloc() */
	__u8 in_memory[BYTES], in_chunk[BYTES]; /* their expected contents */
	bool lowers_break;
	const char *wrong; /* the first error */
};

/* Give malloc() enough memory at the start, so that only tests move the break. */
static void keep_malloc_off_the_break(void)
{
	const void *const end = sbrk(0);

	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	while (sbrk(0) == end)
		expect(malloc(1000));
}

static unsigned int below(struct torture *t, unsigned int end)
{
	return rand_r(&t->seed) % end;
}

static void check(struct torture *t, bool right, const char *what)
{
	if (!right && !t->wrong)
		t->wrong = what;
}

/* Register bytes. KNOWN contains their expected contents. */
static void reg(struct torture *t, __u8 *at, __u8 *known)
{
	const size_t from = below(t, BYTES), len = 1 + below(t, BYTES - from);

	check(t, !memcmp(at, known, BYTES), "before it is registered");
	check(t, peer_sees(at + from, len), "what is registered");
	memcpy(known + from, at + from, len);
	check(t, !memcmp(at, known, BYTES), "around what is registered");
}

static void reg_memory(struct torture *t)
{
	reg(t, t->memory, t->in_memory);
}

static void reg_chunk(struct torture *t)
{
	reg(t, t->chunk, t->in_chunk);
}

/* Returns a random number of whole pages of the memory. *FROM becomes the first. */
static size_t pages(struct torture *t, size_t *from)
{
	*from = below(t, BYTES / PAGE) * PAGE;
	return (1 + below(t, (BYTES - *from) / PAGE)) * PAGE;
}

static void unmap(struct torture *t)
{
	check(t, !munmap(t->memory, BYTES), "munmap()");
	t->memory = map_at(NULL, BYTES);
	memset(t->in_memory, 0, BYTES);
}

static void map_over(struct torture *t)
{
	size_t from, len = pages(t, &from);

	check(t,
	      mmap(t->memory + from, len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == t->memory + from,
	      "mmap()");
	memset(t->in_memory + from, 0, len);
}

/*
 * Returns whether the memory has several mappings. Linux moves these in one call only since 6.17.
 */
static bool is_of_several_mappings(const __u8 *memory)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512];
	int count = 0;

	while (fgets(line, sizeof(line), maps))
		count += sscanf(line, "%lx-%lx", &start, &end) == 2 &&
			 start < (uintptr_t)memory + BYTES && end > (uintptr_t)memory;
	fclose(maps);
	return count > 1;
}

static void move(struct torture *t)
{
	void *to = map_at(NULL, BYTES), *from = t->memory;

	t->memory = mremap(t->memory, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (t->memory == MAP_FAILED && errno == EFAULT && is_of_several_mappings(from))
		t->memory = from;
	else
		check(t, t->memory == to, "mremap()");
}

static void drop(struct torture *t)
{
	size_t from, len = pages(t, &from);

	check(t, !madvise(t->memory + from, len, MADV_DONTNEED), "madvise()");
	memset(t->in_memory + from, 0, len);
}

static void protect(struct torture *t)
{
	size_t from, len = pages(t, &from);

	check(t, !mprotect(t->memory + from, len, PROT_NONE), "mprotect()");
	check(t, !mprotect(t->memory + from, len, PROT_READ | PROT_WRITE), "mprotect()");
}

static void new_chunk(struct torture *t)
{
	free(t->chunk);
	t->chunk = malloc(BYTES);
	memcpy(t->chunk, t->in_chunk, BYTES);
}

static void resize_chunk(struct torture *t)
{
	const size_t kept = below(t, 2) ? BYTES / 3 : BYTES;

	t->chunk = realloc(t->chunk, kept);
	check(t, !memcmp(t->chunk, t->in_chunk, kept), "realloc()");
	t->chunk = realloc(t->chunk, BYTES);
	memcpy(t->chunk + kept, t->in_chunk + kept, BYTES - kept);
}

static void fork_child(struct torture *t)
{
	const pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(memcmp(t->memory, t->in_memory, BYTES) ||
		      memcmp(t->chunk, t->in_chunk, BYTES));
	check(t, waitpid(child, &status, 0) == child && !status, "what a child has");
}

static void *on_stack(void *seen)
{
	__u8 bytes[BYTES];

	*(bool *)seen = peer_sees(bytes, BYTES);
	return NULL;
}

static void end_thread(struct torture *t)
{
	pthread_t thread;
	bool seen;

	check(t, !pthread_create(&thread, NULL, on_stack, &seen), "pthread_create()");
	pthread_join(thread, NULL);
	check(t, seen, "a stack");
}

static void lower_break(struct torture *t)
{
	static const __u8 zeroes[BYTES];
	__u8 *end = sbrk(0), *start = sbrk(BYTES);

	check(t, start == end, "sbrk()");
	check(t, !memcmp(start, zeroes, BYTES), "above the break");
	check(t, peer_sees(start + PAGE / 2, BYTES - PAGE), "what is above the break");
	check(t, sbrk(-BYTES) == start + BYTES, "sbrk()");
}

static void *run(void *arg)
{
	static void (*const acts[])(struct torture * t) = {
		reg_memory, reg_memory, reg_memory,   reg_memory, reg_chunk,
		reg_chunk,  unmap,	map_over,     move,	  drop,
		protect,    new_chunk,	resize_chunk, end_thread, fork_child,
	};
	struct torture *t = arg;

	t->memory = map_at(NULL, BYTES);
	t->chunk = calloc(1, BYTES);
	for (int i = 0; i < t->steps && !t->wrong; i++) {
		acts[below(t, sizeof(acts) / sizeof(*acts))](t);
		if (t->lowers_break)
			lower_break(t);
	}
	munmap(t->memory, BYTES);
	free(t->chunk);
	return NULL;
}

/* Memory in which another thread counts all the time, beside registered memory. */
static struct {
	__u8 before[100];
	volatile __u64 count;
	__u8 behind[100];
} shared;

static bool counting;

static void *count(void *counted)
{
	while (__atomic_load_n(&counting, __ATOMIC_RELAXED)) {
		shared.count++;
		++*(__u64 *)counted;
	}
	return NULL;
}

/* Register locked memory, which is not cached but otherwise remains unchanged. */
static bool reg_beside_count(int steps)
{
	bool right = true;

	for (int i = 0; i < steps && right; i++) {
		right = peer_sees(i % 2 ? shared.before : shared.behind, 100);
		if (i % 3)
			right = right && !munlock(&shared, sizeof(shared));
	}
	return right;
}

Test(torture, everything_at_once)
{
	static struct torture t[THREADS];
	const int steps = getenv("STEPS") ? atoi(getenv("STEPS")) : USUAL_STEPS;
	pthread_t counter;
	__u64 counted = 0;
	bool right;

	keep_malloc_off_the_break();
	counting = true;
	expect_int(pthread_create(&counter, NULL, count, &counted), ==, 0);
	for (int i = 0; i < THREADS; i++) {
		t[i].seed = i;
		t[i].steps = steps;
		t[i].lowers_break = i == 0;
		expect_int(pthread_create(&t[i].thread, NULL, run, &t[i]), ==, 0);
	}
	right = reg_beside_count(steps);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	__atomic_store_n(&counting, false, __ATOMIC_RELAXED);
	pthread_join(counter, NULL);
	for (int i = 0; i < THREADS; i++)
		expect_msg(!t[i].wrong, "thread %d: %s", i, t[i].wrong);
	expect_msg(right, "beside what is counted");
	expect_int(shared.count, ==, counted);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Another thread maps a page of registered memory anew, between the moment when the library looks
 * at the mappings and the moment when it moves the memory. The tests run in namespace a, where xa
 * is loaded; tests/net/context.sh runs them.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/held_call.h"
#include "support/mapped.h"
#include "support/refuse.h"
#include "support/test.h"

enum { PAGES = 8, SIZE = PAGES * PAGE, OTHER = 0x5c };

TestSuite(adopt_between, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

/*
 * The call during which the page is mapped anew. The library makes memory readable and writable by
 * mprotect(2) before it copies the memory into the heap. When it gives memory back, it restores the
 * process's access.
 */
static const struct held_call moving = {
	.number = SYS_mprotect,
	.arg = 2,
	.value = PROT_READ | PROT_WRITE,
};

/* Map PAGE of the memory anew, with bytes OTHER, and expect that from now on. */
static void map_anew(int page)
{
	__u8 *const at = mapped.memory + page * PAGE;

	expect(mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == at);
	memset(at, OTHER, PAGE);
	memset(mapped.before + page * PAGE, OTHER, PAGE);
}

static void map_third_anew(void)
{
	map_anew(2);
}

static void map_sixth_anew(void)
{
	map_anew(5);
}

static bool is_as_expected(void)
{
	return !memcmp(mapped.memory, mapped.before, SIZE);
}

static bool reads_text;

static void choose_list(void)
{
	if (reads_text)
		refuse_mapping_queries();
}

static void fork_once(void *status)
{
	pid_t child;

	choose_list();
	child = fork();

	if (!child)
		_exit(!is_as_expected());
	if (waitpid(child, status, 0) != child)
		*(int *)status = -1;
}

/*
 * Returns whether peers reach PAGE of the memory by the key of MR: then the page has each of two
 * bytes that are written by this key.
 */
static bool is_reached(const struct xrdma_mr *mr, int page)
{
	__u8 *const reached = mapped_reached(mr) + page * PAGE, old = *reached;
	bool is = true;

	for (int change = 1; change < 3; change++) {
		*reached = old ^ change;
		is = is && mapped.memory[page * PAGE] == *reached;
	}
	*reached = old;
	return is;
}

static void expect_reached(const struct xrdma_mr *mr)
{
	for (int page = 0; page < PAGES; page++)
		expect_int(is_reached(mr, page), ==, page != 2);
}

/*
 * Register the memory, which has access PROT, and fork. While the library makes the call MOVING,
 * another thread maps the third page anew. Child and parent must have the expected bytes, and peers
 * must reach all pages but that one.
 */
static void expect_fork(int prot)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, SIZE);
	int status = -1;

	expect_int(mprotect(mapped.memory, SIZE, prot), ==, 0);
	run_held(fork_once, &status, &moving, map_third_anew);
	expect_int(status, ==, 0);
	expect(is_as_expected());
	expect_reached(mr);
	mapped_end(mr);
	expect(is_as_expected());
	expect_int(mprotect(mapped.memory, SIZE, PROT_READ | PROT_WRITE), ==, 0);
}

/* The page is mapped anew just before a fork gives the memory back to the process for a moment. */
Tests(adopt_between, given_to_a_child, 2)
{
	reads_text = i;
	expect_fork(PROT_READ | PROT_WRITE);
}

/*
 * The page is mapped anew while the library moves the memory into the heap again after a fork. The
 * memory is read-only, so the library makes no call of MOVING before that.
 */
Tests(adopt_between, taken_back_after_a_fork, 2)
{
	reads_text = i;
	expect_fork(PROT_READ);
}

static void end_region(void *mr)
{
	choose_list();
	xrdma_mr_close(mr);
}

/*
 * A region ends that has two mappings, which are moved one after the other. A page of the second
 * one is mapped anew when the first one is moved. The process gets all of the memory back.
 */
Tests(adopt_between, given_back, 2)
{
	struct xrdma_heap *heap = &mapped.owner.context->heap;
	struct xrdma_mr *mr;
	__u64 at;

	reads_text = i;
	expect_int(madvise(mapped.memory + SIZE / 2, SIZE / 2, MADV_DONTDUMP), ==, 0);
	mr = mapped_reg(mapped.memory, SIZE);
	at = mapped_row(mr).offset;
	run_held(end_region, mr, &moving, map_sixth_anew);
	expect(is_as_expected());
	expect(!xrdma_heap_holds(heap, at, SIZE));
}

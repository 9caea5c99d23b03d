// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/adopt.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <unistd.h>

#include "dev/run.h"
#include "lib/error.h"
#include "lib/mover.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *runs; /* a tree of them, by address; none overlap */

/* Those that overlap are taken for the same. */
static int compare(const void *left, const void *right)
{
	const struct xrdma_run *a = left, *b = right;

	return a->end <= b->start ? -1 : a->start >= b->end;
}

/* The first that has a byte from START up to END, or NULL. */
static struct xrdma_run *first_in(__u64 start, __u64 end)
{
	struct xrdma_run key = { .start = start, .end = end }, *first = NULL, **found;

	while (key.start < key.end && (found = tfind(&key, &runs, compare))) {
		first = *found;
		key.end = first->start;
	}
	return first;
}

/* For the pages from START up to END, of which no run has any. */
static int add(struct xrdma_heap *heap, __u64 start, __u64 end, struct xrdma_run **run)
{
	int err = xrdma_run_create(heap, start, end, run);

	if (err || tsearch(*run, &runs, compare))
		return err;
	xrdma_run_destroy(*run);
	return xrdma_fail(ENOMEM, "no memory for records of registered memory");
}

/* One registration needs the bytes from START up to END no more. */
static void leave(__u64 start, __u64 end)
{
	struct xrdma_run *run;

	while (start < end && (run = first_in(start, end))) {
		start = run->end;
		if (--run->users)
			continue;
		tdelete(run, &runs, compare);
		xrdma_run_destroy(run);
	}
}

/* From START up to END: the number of them that a registration has more is where the error was. */
static int join(struct xrdma_heap *heap, __u64 start, __u64 end)
{
	__u64 at = start;
	int err = 0;

	while (at < end && !err) {
		struct xrdma_run *run = first_in(at, end);

		if (!run || run->start > at)
			err = add(heap, at, run ? run->start : end, &run);
		else if (run->heap != heap)
			err = xrdma_fail(EBUSY,
					 "the memory at %#llx is registered with another context",
					 at);
		if (!err) {
			run->users++;
			at = run->end;
		}
	}
	if (err)
		leave(start, at);
	return err;
}

int xrdma_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	const __u64 start = addr & ~in_page, end = (addr + len + in_page) & ~in_page;
	int err;

	if (end < addr + len || addr + len < addr)
		return xrdma_fail(EINVAL, "%llu bytes at %#llx: there are no such addresses", len,
				  addr);
	if (xrdma_mover_owns(start, end))
		return xrdma_fail(EOPNOTSUPP, "the memory at %#llx is the library's", addr);
	pthread_mutex_lock(&lock);
	err = join(heap, start, end);
	pthread_mutex_unlock(&lock);
	return err;
}

__u64 xrdma_adopted_piece(__u64 addr, __u64 *at)
{
	const struct xrdma_run *run;
	__u64 len;

	pthread_mutex_lock(&lock);
	run = first_in(addr, addr + 1);
	*at = run->at + (addr - run->start);
	len = run->end - addr;
	pthread_mutex_unlock(&lock);
	return len;
}

void xrdma_disown(__u64 addr, __u64 len)
{
	pthread_mutex_lock(&lock);
	leave(addr, addr + len);
	pthread_mutex_unlock(&lock);
}

bool xrdma_adopt_lock(void)
{
	pthread_mutex_lock(&lock);
	return runs;
}

static void suspend_one(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == preorder || visit == leaf)
		xrdma_run_suspend(*(struct xrdma_run **)node);
}

void xrdma_adopt_suspend(void)
{
	twalk(runs, suspend_one);
}

static void resume_one(const void *node, VISIT visit, void *err)
{
	if (visit == preorder || visit == leaf)
		*(int *)err = xrdma_run_resume(*(struct xrdma_run **)node) ?: *(int *)err;
}

int xrdma_adopt_resume(void)
{
	int err = 0;

	twalk_r(runs, resume_one, &err);
	return err;
}

void xrdma_adopt_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void forget_one(void *run)
{
	xrdma_run_forget(run);
}

void xrdma_adopt_forget(void)
{
	tdestroy(runs, forget_one);
	runs = NULL;
	xrdma_mover_forget();
	pthread_mutex_init(&lock, NULL);
}

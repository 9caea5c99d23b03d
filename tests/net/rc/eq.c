// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Event queues, and asynchronous registration (fi_mr(3), fi_eq(3)). tests/net/rc.sh runs it. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xrdma/eq.h>

#include "support/region.h"
#include "support/buffers.h"
#include "support/test.h"

enum { WAIT = 10000 /* ms */, PAGE = 4096 };

static struct xrdma_eq *eq;

static void open_bound(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED);
	expect_int(xrdma_eq_open(pair.b.owner.context, &eq), ==, 0);
	expect_int(xrdma_pd_bind_eq(pair.b.owner.pd, eq, XRDMA_REG_MR), ==, 0);
}

/* Close the bound domain. The pair's context remains until then. */
static void close_bound(void)
{
	struct xrdma_pd *pd;

	expect_error(xrdma_eq_close(eq), EBUSY, "1 objects are bound");
	expect_int(xrdma_pd_dealloc(pair.b.owner.pd), ==, 0);
	expect_int(xrdma_eq_close(eq), ==, 0);
	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	pair.b.owner.pd = pd;
	region_close();
}

static void stop(void)
{
	__u32 event;

	expect_int(xrdma_eq_read(eq, &event, NULL, 0, 0), ==, -EAGAIN);
	region_stop();
}

TestSuite(eq, .once = open_bound, .end = close_bound, .init = region_start, .fini = stop);

static int context; /* context of registrations: its address counts */

static int reg(void *at, size_t len, __u64 key, struct xrdma_mr **mr)
{
	const struct iovec buffer = { at, len };
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = &buffer,
		.iov_count = 1,
		.access = REGION_ACCESS,
		.requested_key = key,
		.context = &context,
	};

	return xrdma_mr_regattr(pair.b.owner.pd, &attr, 0, mr);
}

/* Expect as the next event that MR was registered. */
static void expect_registered(struct xrdma_mr **mr)
{
	struct xrdma_eq_entry entry = { .data = 1 };
	__u32 event = 0;

	expect_int(xrdma_eq_sread(eq, &event, &entry, sizeof(entry), WAIT, 0), ==, sizeof(entry));
	expect_int(event, ==, XRDMA_EVENT_MR_COMPLETE);
	expect(*mr && entry.fid == *mr);
	expect(entry.context == &context);
	expect_int(entry.data, ==, 0);
}

/*
 * Expect as the next event that a registration failed with the error of a synchronous registration.
 */
static void expect_failed(int err, const char *text)
{
	struct xrdma_eq_err_entry failure = { .fid = &context, .data = 1 };
	struct xrdma_eq_entry entry;
	__u32 event = 0;

	expect_error(xrdma_eq_sread(eq, &event, &entry, sizeof(entry), WAIT, 0), XRDMA_EAVAIL,
		     "xrdma_eq_readerr()");
	expect_int(xrdma_eq_readerr(eq, &failure, 0), ==, sizeof(failure));
	expect(!failure.fid);
	expect(failure.context == &context);
	expect_int(failure.err, ==, err);
	expect_int(failure.prov_errno, ==, err);
	expect_int(failure.data, ==, 0);
	expect_error(-failure.err, err, text);
}

/* After the event, the region is ready. */
Test(eq, registered)
{
	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &region.mr), ==, 0);
	expect_registered(&region.mr);
	region_every_operation();
}

/* The arguments are not needed any more after the call, except the place for the region. */
Test(eq, several_buffers)
{
	struct iovec iov[REGION_BUFFERS];
	struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = iov,
		.iov_count = REGION_BUFFERS,
		.access = REGION_ACCESS,
		.requested_key = REGION_KEY,
		.context = &context,
	};

	region_cut(iov);
	expect_int(xrdma_mr_regattr(pair.b.owner.pd, &attr, 0, &region.mr), ==, 0);
	memset(iov, 0xff, sizeof(iov));
	memset(&attr, 0xff, sizeof(attr));
	expect_registered(&region.mr);
	region.own_base = 0;
	region_every_operation();
}

/* A call that fails causes no event. */
Test(eq, failed_at_once)
{
	struct xrdma_mr *none = NULL;
	const struct iovec nothing = { pair.target, 0 };

	expect_error(register_buffers(pair.b.owner.pd, &nothing, 1, REGION_ACCESS, 1, 0, &none),
		     EINVAL, "buffer 0 has 0 bytes");
	expect_error(register_buffer(pair.b.owner.pd, pair.target, 1, REGION_ACCESS, 1, 1, &none),
		     XRDMA_EBADFLAGS, "flags 0x1");
	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &region.mr), ==, 0);
	expect_registered(&region.mr);
	expect(!none);
}

/* Each failed registration is an error event. The events come in order, without a region. */
Test(eq, failed_later)
{
	struct xrdma_mr *none = NULL;
	struct xrdma_eq_entry entry;
	__u8 *hole = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(hole != MAP_FAILED);
	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &region.mr), ==, 0);
	expect_int(reg(hole, 1, 1, &none), ==, 0);
	expect_int(reg(pair.target, 1, REGION_KEY, &none), ==, 0);
	expect_int(reg(pair.target, 1, 1ULL << 32, &none), ==, 0);
	expect_registered(&region.mr);
	expect_failed(EFAULT, "must be readable and writable");
	expect_failed(XRDMA_ENOKEY, "in use");
	expect_failed(EKEYREJECTED, "32 bits");
	expect(!none);
	expect_int(xrdma_eq_readerr(eq, (struct xrdma_eq_err_entry *)&entry, 0), ==, -EAGAIN);
	munmap(hole, PAGE);
}

static short ready(void)
{
	struct pollfd fd = { .fd = xrdma_eq_fd(eq), .events = POLLIN };

	poll(&fd, 1, 0);
	return fd.revents;
}

/* An event remains until it is read, which needs enough room. */
Test(eq, read)
{
	struct pollfd fd = { .fd = xrdma_eq_fd(eq), .events = POLLIN };
	struct xrdma_eq_err_entry failure;
	struct xrdma_eq_entry entry;
	struct xrdma_mr *none;
	__u32 event;

	expect(!ready());
	expect_error(xrdma_eq_read(eq, &event, &entry, sizeof(entry), 0), EAGAIN, "no event");
	expect_error(xrdma_eq_sread(eq, &event, &entry, sizeof(entry), 1, 0), EAGAIN, "in time");
	expect_error(xrdma_eq_readerr(eq, &failure, 0), EAGAIN, "no event");
	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &region.mr), ==, 0);
	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &none), ==, 0);
	expect_int(poll(&fd, 1, WAIT), ==, 1);
	expect_int(xrdma_eq_sread(eq, &event, &entry, sizeof(entry), WAIT, XRDMA_PEEK), ==,
		   sizeof(entry));
	expect(entry.fid == region.mr);
	expect_error(xrdma_eq_read(eq, &event, &entry, sizeof(entry) - 1, 0), XRDMA_ETOOSMALL,
		     "23 bytes for an event of 24");
	expect_error(xrdma_eq_readerr(eq, &failure, 0), EAGAIN, "not an error");
	expect_registered(&region.mr);
	expect_int(poll(&fd, 1, WAIT), ==, 1);
	expect_int(xrdma_eq_readerr(eq, &failure, XRDMA_PEEK), ==, sizeof(failure));
	expect(ready());
	expect_failed(XRDMA_ENOKEY, "in use");
	expect(!ready());
}

Test(eq, refused)
{
	struct xrdma_eq_entry entry;
	struct xrdma_eq *other;
	struct xrdma_pd *pd;
	__u32 event;

	expect_error(xrdma_eq_read(eq, &event, &entry, sizeof(entry), 1), XRDMA_EBADFLAGS, "0x1");
	expect_error(xrdma_eq_sread(eq, &event, &entry, sizeof(entry), -1, 1), XRDMA_EBADFLAGS,
		     "0x1");
	expect_error(xrdma_eq_readerr(eq, NULL, 1), XRDMA_EBADFLAGS, "0x1");
	expect_error(xrdma_pd_bind_eq(pair.b.owner.pd, eq, XRDMA_REG_MR), EBUSY, "is bound");
	expect_error(xrdma_pd_bind_eq(pair.b.owner.pd, eq, 0), XRDMA_EBADFLAGS, "XRDMA_REG_MR");
	expect_error(xrdma_pd_bind_eq(pair.a.owner.pd, eq, XRDMA_REG_MR), EINVAL,
		     "another context");
	expect_int(xrdma_eq_open(pair.b.owner.context, &other), ==, 0);
	expect_error(xrdma_pd_bind_eq(pair.b.owner.pd, other, XRDMA_REG_MR), EBUSY, "is bound");
	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	expect_int(xrdma_pd_bind_eq(pd, other, XRDMA_REG_MR), ==, 0);
	expect_error(xrdma_eq_close(other), EBUSY, "1 objects");
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	expect_int(xrdma_eq_close(other), ==, 0);
}

/* Expect event EVENT next, with the LEN bytes of BUF. */
static void expect_posted(__u32 event, const void *buf, size_t len)
{
	char read[64];
	__u32 number = 0;

	expect_int(xrdma_eq_read(eq, &number, read, sizeof(read), 0), ==, len);
	expect_int(number, ==, event);
	expect(!memcmp(read, buf, len));
}

/* Events of the application's own, of any length, come in order with those of the library. */
Test(eq, posted)
{
	const struct {
		struct xrdma_eq_entry entry;
		char more[9];
	} long_one = { { .fid = &context, .data = 7 }, "and more" };
	__u32 event;

	expect_int(reg(pair.target, PAIR_BYTES, REGION_KEY, &region.mr), ==, 0);
	expect_registered(&region.mr);
	expect_int(xrdma_eq_post(eq, 1001, &long_one, sizeof(long_one), 0), ==, sizeof(long_one));
	expect(ready());
	expect_int(xrdma_eq_post(eq, 1002, "short", 6, 0), ==, 6);
	expect_int(xrdma_eq_post(eq, 1003, NULL, 0, 0), ==, 0);
	expect_error(xrdma_eq_read(eq, &event, NULL, sizeof(long_one) - 1, 0), XRDMA_ETOOSMALL,
		     "for an event of 40");
	expect_posted(1001, &long_one, sizeof(long_one));
	expect_posted(1002, "short", 6);
	expect(ready());
	expect_posted(1003, "", 0);
	expect(!ready());
}

/* An event that one thread posts wakes another thread that waits. */
static void *post_later(void *arg)
{
	usleep(20000);
	return (void *)xrdma_eq_post(eq, 1, arg, 4, 0);
}

Test(eq, posted_by_another_thread)
{
	pthread_t poster;
	void *posted;
	char read[4];
	__u32 event;

	pthread_create(&poster, NULL, post_later, (void *)"abc");
	expect_int(xrdma_eq_sread(eq, &event, read, sizeof(read), WAIT, 0), ==, 4);
	expect(!strcmp(read, "abc"));
	pthread_join(poster, &posted);
	expect_int((intptr_t)posted, ==, 4);
}

Test(eq, post_refused)
{
	static char large[XRDMA_EQ_POST_MAX + 1];

	expect_error(xrdma_eq_post(eq, 1, large, sizeof(large), 0), EINVAL, "at most 65536");
	expect_error(xrdma_eq_post(eq, 1, large, 1, XRDMA_PEEK), XRDMA_EBADFLAGS, "flags");
	expect(!ready());
	expect_int(xrdma_eq_post(eq, 1, large, XRDMA_EQ_POST_MAX, 0), ==, XRDMA_EQ_POST_MAX);
	expect_int(xrdma_eq_read(eq, &(__u32){ 0 }, large, sizeof(large), 0), ==,
		   XRDMA_EQ_POST_MAX);
}

/*
 * A domain cannot be closed before its regions are registered, nor a context before its queues are
 * closed.
 */
Test(eq, in_use)
{
	struct xrdma_context *small = open_small("xb");
	struct xrdma_eq *queue;
	struct xrdma_mr *mr = NULL;
	struct xrdma_pd *pd;
	__u8 *memory;

	expect_int(xrdma_eq_open(small, &queue), ==, 0);
	expect_error(xrdma_context_close(small), EBUSY, "1 event queues");
	expect_int(xrdma_pd_alloc(small, &pd), ==, 0);
	expect_int(xrdma_alloc(small, PAGE, PAGE, (void **)&memory), ==, 0);
	expect_int(xrdma_pd_bind_eq(pd, queue, XRDMA_REG_MR), ==, 0);
	expect_int(register_buffer(pd, memory, PAGE, 0, 0, 0, &mr), ==, 0);
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "still has 1 regions");
	while (xrdma_pd_dealloc(pd) == -EBUSY && !__atomic_load_n(&mr, __ATOMIC_ACQUIRE))
		;
	expect_int(xrdma_mr_close(mr), ==, 0);
	while (xrdma_pd_dealloc(pd))
		;
	expect_int(xrdma_eq_close(queue), ==, 0);
	expect_int(xrdma_free(small, memory), ==, 0);
	expect_int(xrdma_context_close(small), ==, 0);
}

/* ibv_reg_mr(3) has no events: registration is synchronous there. */
Test(eq, verbs)
{
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAGE, 0, &region.mr), ==, 0);
	expect(region.mr != NULL);
	expect(!ready());
}

/* A child cannot use its parent's event queue. */
Test(eq, forked)
{
	struct xrdma_eq_entry entry;
	__u32 event;
	int status;
	pid_t child = fork();

	if (!child)
		_exit(xrdma_eq_read(eq, &event, &entry, sizeof(entry), 0) != -EPERM ||
		      xrdma_eq_post(eq, 1, NULL, 0, 0) != -EPERM || xrdma_eq_close(eq) != -EPERM);
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
}

enum { SHARERS = 3, TIMES = 20 }; /* each region has two of the 128 keys */

static struct sharer {
	pthread_t thread;
	__u64 key;
	struct xrdma_mr *mrs[TIMES];
	int count; /* number of successes */
} sharers[SHARERS];

static void *reg_often(void *arg)
{
	struct sharer *sharer = arg;

	for (int i = 0; i < TIMES; i++)
		sharer->count += !reg(pair.target, PAGE, sharer->key + i, &sharer->mrs[i]);
	return NULL;
}

static void *close_all(void *arg)
{
	struct xrdma_eq_entry entry;
	int *count = arg;
	__u32 event;

	for (int i = 0; i < SHARERS * TIMES; i++)
		if (xrdma_eq_sread(eq, &event, &entry, sizeof(entry), WAIT, 0) > 0)
			*count += !xrdma_mr_close(entry.fid);
	return NULL;
}

/* Several threads register, and one reads all events. */
Test(eq, share_queue)
{
	pthread_t closer;
	int closed = 0;

	pthread_create(&closer, NULL, close_all, &closed);
	for (int i = 0; i < SHARERS; i++) {
		sharers[i].key = i * TIMES;
		pthread_create(&sharers[i].thread, NULL, reg_often, &sharers[i]);
	}
	for (int i = 0; i < SHARERS; i++) {
		pthread_join(sharers[i].thread, NULL);
		expect_int(sharers[i].count, ==, TIMES);
	}
	pthread_join(closer, NULL);
	expect_int(closed, ==, SHARERS * TIMES);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Regions whose memory is mapped after they were registered, or anew (fi_mr(3), fi_mr_refresh());
 * tests/net/rc.sh runs it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xrdma/cntr.h>

#include "support/region.h"
#include "support/test.h"

enum { PAGE = 4096, PAGES = 132, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED };

static __u8 *area; /* address range of B, of as many pages */

static void open_domain(void)
{
	region_open(XRDMA_MR_LOCAL | XRDMA_MR_MMU_NOTIFY);
}

static void start(void)
{
	region_start();
	area = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(area != MAP_FAILED);
}

static void stop(void)
{
	region_stop();
	munmap(area, PAGES * PAGE);
}

TestSuite(refresh, .once = open_domain, .end = region_close, .init = start, .fini = stop);

static __u8 *page(int number)
{
	return area + number * PAGE;
}

/* COUNT pages, of which each byte is VALUE. */
static void map(int number, int count, int value)
{
	expect(mmap(page(number), count * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0) ==
	       page(number));
	memset(page(number), value, count * PAGE);
}

static void unmap(int number, int count)
{
	expect_int(munmap(page(number), count * PAGE), ==, 0);
}

static void reg(void)
{
	const struct iovec all = { area, PAGES * PAGE };

	region_regv(&all, 1, REGION_ACCESS);
	region.own_base = (uintptr_t)area;
}

static void refresh(int number, int count)
{
	const struct iovec portion = { page(number), count * PAGE };

	expect_msg(xrdma_mr_refresh(region.mr, &portion, 1, 0) == 0, "%s", xrdma_error());
}

/* wr is a request of A's for 64 bytes at OFFSET of the area. */
static void set_request(enum xrdma_wr_opcode opcode, __u32 offset)
{
	pair_connect(4, 1024);
	region_set_write(offset % PAGE, 64);
	wr.opcode = opcode;
	wr.remote_addr = region.base + offset;
}

static void expect_reached(int number)
{
	const __u32 at = 70 + number;

	set_request(XRDMA_WR_RDMA_WRITE, number * PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(number) + at, p.source + at, 64));
	set_request(XRDMA_WR_RDMA_READ, number * PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(number) + at, p.source + at, 64));
}

static void expect_missing_at(__u32 offset)
{
	set_request(XRDMA_WR_RDMA_WRITE, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
	set_request(XRDMA_WR_RDMA_READ, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
}

static void expect_missing(int number)
{
	expect_missing_at(number * PAGE + 100);
}

/* All of it may be missing, mapped to be nobody's or not mapped at all. */
Test(refresh, mapped_afterwards)
{
	unmap(5, PAGES - 5);
	reg();
	expect_missing(0);
	expect_missing(5);
	expect_missing(PAGES - 1);
	map(2, 4, 1);
	expect_missing(2);
	refresh(2, 2);
	expect_reached(2);
	expect_reached(3);
	expect_missing(4);
	expect_int(xrdma_mr_refresh(region.mr, NULL, 0, 0), ==, 0);
	expect_reached(4);
	expect_reached(5);
	expect_missing(1);
	expect_missing(6);
	region_end();
	expect_int(page(3)[0], ==, 1);
	expect_int(page(3)[73], ==, p.source[73]);
}

/* What is there at registration is reached, and of what an access has some is not, none is. */
Test(refresh, mapped_in_part)
{
	map(3, 1, 3);
	map(7, 2, 7);
	reg();
	expect_reached(3);
	expect_reached(7);
	expect_reached(8);
	expect_missing_at(4 * PAGE - 63);
	expect_missing_at(3 * PAGE - 1);
	expect_int(page(3)[PAGE - 1], ==, 3);
	expect_int(page(3)[0], ==, 3);
}

/* The process's own requests and receives fail too. */
Test(refresh, local_access)
{
	reg();
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	map(0, 1, 0);
	refresh(0, 1);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
}

/* Everything works in what is there. */
Test(refresh, every_operation)
{
	__u8 *target = p.target;

	_Static_assert(PAIR_BYTES < PAGES * PAGE, "the last page is missing");
	map(0, PAGES - 1, 0);
	reg();
	p.target = area;
	region_every_operation();
	p.target = target;
	expect_missing(PAGES - 1);
}

/* What is mapped in place of what was is found again, and the rest stays what it was. */
Test(refresh, mapped_anew)
{
	map(0, PAGES, 1);
	reg();
	for (int i = 0; i < 20; i++) {
		const int number = i * 7 % PAGES;

		unmap(number, 1);
		refresh(number, 1);
		expect_missing(number);
		map(number, 1, 2 + i);
		refresh(number, 1);
		expect_reached(number);
		expect_reached((number + 1) % PAGES);
		expect_int(page(number)[0], ==, 2 + i);
	}
	region_end();
	for (int i = 0; i < 20; i++)
		expect_int(page(i * 7 % PAGES)[0], ==, 2 + i);
}

/* What is unmapped time and again takes no more memory. */
Test(refresh, mapped_time_and_again)
{
	const __u64 size = p.b.owner.context->heap.size;

	map(0, PAGES, 1);
	reg();
	for (int i = 0; i < 300; i++) {
		map(2, 8, i);
		refresh(i % 2 ? 0 : 3, 5);
	}
	expect_int(p.b.owner.context->heap.size, ==, size);
}

/*
 * Two regions of the same memory: each is refreshed alone. What is registered anew finds what is
 * there.
 */
Test(refresh, shared_with_another)
{
	const struct iovec all = { area, PAGES * PAGE };
	struct xrdma_mr *others[2];
	struct region first;

	map(0, PAGES, 1);
	reg();
	first = region;
	for (int i = 0; i < 2; i++) {
		if (i)
			map(4, 1, 2);
		expect_int(xrdma_mr_regv(p.b.owner.pd, &all, 1, REGION_ACCESS, 0,
					 REGION_KEY + 1 + i, 0, &others[i], NULL),
			   ==, 0);
	}
	region.key = REGION_KEY + 2;
	expect_reached(4);
	memset(page(4), 3, PAGE);
	for (int i = 0; i < 2; i++) {
		region.key = REGION_KEY + i;
		set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_int(page(4)[0], ==, 3);
		expect_reached(5);
	}
	region.key = REGION_KEY;
	refresh(4, 1);
	expect_reached(4);
	memset(page(4), 3, PAGE);
	region.key = REGION_KEY + 1;
	set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(page(4)[0], ==, 3);
	expect_int(xrdma_mr_close(others[1]), ==, 0);
	region = first;
	expect_reached(4);
	expect_reached(5);
	expect_int(xrdma_mr_close(others[0]), ==, 0);
	expect_reached(4);
	region_end();
	expect_int(page(4)[0], ==, 3);
	expect_int(page(6)[0], ==, 1);
}

/* Several buffers, of the heap and of the process, one of which is not there. */
Test(refresh, of_several_buffers)
{
	const struct iovec buffers[] = { { p.target, PAGE },
					 { page(4) + 100, 3 * PAGE },
					 { page(20), PAGE } };
	const struct iovec portions[] = { { page(5), PAGE }, { page(20) + 50, 100 } };

	map(4, 1, 4);
	region_regv(buffers, 3, REGION_ACCESS);
	set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 164);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(5) - 64, p.source + PAGE - 164, 64));
	memset(page(5) - 64, 4, 64);
	expect_missing_at(2 * PAGE - 163);
	expect_missing_at(4 * PAGE - 1);
	for (int i = 1; i <= 64; i++)
		expect_int(page(5)[-i], ==, 4);
	map(5, 1, 5);
	map(20, 1, 20);
	expect_missing_at(2 * PAGE);
	expect_int(xrdma_mr_refresh(region.mr, portions, 2, 0), ==, 0);
	set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 163);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(5) - 63, p.source + PAGE - 163, 64));
	set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(20), p.source, 64));
	expect_missing_at(3 * PAGE);
}

/* Nothing of what is wrong changes anything. */
Test(refresh, refused)
{
	const struct iovec outside[] = { { page(4) - 1, 2 },
					 { page(8) - 1, 2 },
					 { page(4), 5 * PAGE },
					 { page(4), -PAGE },
					 { NULL, 1 } };
	const struct iovec all = { page(4), 4 * PAGE };

	map(4, 5, 1);
	region_regv(&all, 1, REGION_ACCESS);
	for (int i = 0; i < 5; i++)
		expect_error(xrdma_mr_refresh(region.mr, &outside[i], 1, 0), EINVAL,
			     "not in a buffer of the region");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 1, 0), EINVAL, "iov is NULL");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 1), XRDMA_EBADFLAGS, "0x1");
	expect(mmap(page(5), PAGE, PROT_READ, ANONYMOUS, -1, 0) == page(5));
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT,
		     "must be readable and writable");
	set_request(XRDMA_WR_RDMA_WRITE, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(page(4), p.source, 64));
}

/* Of what windows may have been bound to, or peers may have invalidated; others are. */
Test(refresh, of_verbs)
{
	const unsigned int never[] = { XRDMA_ACCESS_MW_BIND, XRDMA_ACCESS_REMOTE_INVALIDATE };
	struct xrdma_mr *mr;

	map(0, PAGES, 1);
	for (int i = 0; i < 2; i++) {
		expect_int(xrdma_reg_mr(p.b.owner.pd, area, PAGE, never[i], &mr), ==, 0);
		expect_error(xrdma_mr_refresh(mr, NULL, 0, 0), EOPNOTSUPP, "register the memory");
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	expect_int(xrdma_reg_mr(p.b.owner.pd, area, PAGES * PAGE,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
					XRDMA_ACCESS_REMOTE_READ,
				&region.mr),
		   ==, 0);
	region.key = xrdma_mr_key(region.mr);
	region.base = (uintptr_t)area;
	map(3, 1, 3);
	refresh(3, 1);
	expect_reached(3);
	unmap(3, 1);
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT, "there is no memory at");
	expect_reached(4);
}

/* One that is disabled stays so. */
Test(refresh, disabled)
{
	region.flags = XRDMA_RMA_EVENT;
	map(0, PAGES, 1);
	reg();
	refresh(0, PAGES);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	refresh(0, PAGES);
	expect_reached(0);
}

static void *keep_refreshing(void *stop)
{
	int err = 0;

	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED) && !err)
		err = xrdma_mr_refresh(region.mr, NULL, 0, 0);
	return err ? stop : NULL;
}

/* Meanwhile what peers ask for fails; what is carried out is there. */
Test(refresh, meanwhile)
{
	int counts[2] = { 0 }, tries = 0;
	bool stop = false;
	pthread_t thread;
	void *failed;

	map(0, PAGES, 1);
	reg();
	expect_int(pthread_create(&thread, NULL, keep_refreshing, &stop), ==, 0);
	while ((!counts[0] || !counts[1]) && tries++ < 10000) {
		memset(page(9), 9, 64);
		set_request(XRDMA_WR_RDMA_WRITE, 9 * PAGE);
		expect_int(pair_post(), ==, 0);
		pair_poll(1);
		counts[wc[0].status == XRDMA_WC_SUCCESS]++;
		if (wc[0].status == XRDMA_WC_SUCCESS)
			expect(!memcmp(page(9), p.source, 64));
		else
			expect_int(wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	expect(!failed);
	expect(counts[0] && counts[1]);
	expect_reached(9);
}

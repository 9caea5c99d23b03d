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

#include "support/area.h"
#include "support/buffers.h"
#include "support/test.h"

enum { PAGE = AREA_PAGE, PAGES = AREA_PAGES };

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_MMU_NOTIFY);
}

TestSuite(refresh, .once = open_domain, .end = region_close, .init = area_start, .fini = area_stop);

/* All of it may be missing, mapped to be nobody's or not mapped at all. */
Test(refresh, mapped_afterwards)
{
	area_unmap(5, PAGES - 5);
	area_reg();
	area_expect_missing(0);
	area_expect_missing(5);
	area_expect_missing(PAGES - 1);
	area_map(2, 4, 1);
	area_expect_missing(2);
	area_refresh(2, 2);
	area_expect_reached(2);
	area_expect_reached(3);
	area_expect_missing(4);
	expect_int(xrdma_mr_refresh(region.mr, NULL, 0, 0), ==, 0);
	area_expect_reached(4);
	area_expect_reached(5);
	area_expect_missing(1);
	area_expect_missing(6);
	region_end();
	expect_int(area_page(3)[0], ==, 1);
	expect_int(area_page(3)[73], ==, p.source[73]);
}

/* What is there at registration is reached, and of what an access has some is not, none is. */
Test(refresh, mapped_in_part)
{
	area_map(3, 1, 3);
	area_map(7, 2, 7);
	area_reg();
	area_expect_reached(3);
	area_expect_reached(7);
	area_expect_reached(8);
	area_expect_missing_at(4 * PAGE - 63);
	area_expect_missing_at(3 * PAGE - 1);
	expect_int(area_page(3)[PAGE - 1], ==, 3);
	expect_int(area_page(3)[0], ==, 3);
}

/* The process's own requests and receives fail too. */
Test(refresh, local_access)
{
	area_reg();
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	area_map(0, 1, 0);
	area_refresh(0, 1);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
}

/* Everything works in what is there. */
Test(refresh, every_operation)
{
	__u8 *target = p.target;

	area_map(0, PAGES - 1, 0);
	area_reg();
	p.target = area_page(0);
	region_every_operation();
	p.target = target;
	area_expect_missing(PAGES - 1);
}

/* What is mapped in place of what was is found again, and the rest stays what it was. */
Test(refresh, mapped_anew)
{
	area_map(0, PAGES, 1);
	area_reg();
	for (int i = 0; i < 20; i++) {
		const int number = i * 7 % PAGES;

		area_unmap(number, 1);
		area_refresh(number, 1);
		area_expect_missing(number);
		area_map(number, 1, 2 + i);
		area_refresh(number, 1);
		area_expect_reached(number);
		area_expect_reached((number + 1) % PAGES);
		expect_int(area_page(number)[0], ==, 2 + i);
	}
	region_end();
	for (int i = 0; i < 20; i++)
		expect_int(area_page(i * 7 % PAGES)[0], ==, 2 + i);
}

/* What is unmapped time and again takes no more memory. */
Test(refresh, mapped_time_and_again)
{
	const __u64 size = p.b.owner.context->heap.size;

	area_map(0, PAGES, 1);
	area_reg();
	for (int i = 0; i < 300; i++) {
		area_map(2, 8, i);
		area_refresh(i % 2 ? 0 : 3, 5);
	}
	expect_int(p.b.owner.context->heap.size, ==, size);
}

/*
 * Two regions of the same memory: each is refreshed alone. What is registered anew finds what is
 * there.
 */
Test(refresh, shared_with_another)
{
	const struct iovec all = { area_page(0), PAGES * PAGE };
	struct xrdma_mr *others[2];
	struct region first;

	area_map(0, PAGES, 1);
	area_reg();
	first = region;
	for (int i = 0; i < 2; i++) {
		if (i)
			area_map(4, 1, 2);
		expect_int(register_buffers(p.b.owner.pd, &all, 1, REGION_ACCESS,
					    REGION_KEY + 1 + i, 0, &others[i]),
			   ==, 0);
	}
	region.key = REGION_KEY + 2;
	area_expect_reached(4);
	memset(area_page(4), 3, PAGE);
	for (int i = 0; i < 2; i++) {
		region.key = REGION_KEY + i;
		area_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_int(area_page(4)[0], ==, 3);
		area_expect_reached(5);
	}
	region.key = REGION_KEY;
	area_refresh(4, 1);
	area_expect_reached(4);
	memset(area_page(4), 3, PAGE);
	region.key = REGION_KEY + 1;
	area_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(area_page(4)[0], ==, 3);
	expect_int(xrdma_mr_close(others[1]), ==, 0);
	region = first;
	area_expect_reached(4);
	area_expect_reached(5);
	expect_int(xrdma_mr_close(others[0]), ==, 0);
	area_expect_reached(4);
	region_end();
	expect_int(area_page(4)[0], ==, 3);
	expect_int(area_page(6)[0], ==, 1);
}

/* Several buffers, of the heap and of the process, one of which is not there. */
Test(refresh, of_several_buffers)
{
	const struct iovec buffers[] = { { p.target, PAGE },
					 { area_page(4) + 100, 3 * PAGE },
					 { area_page(20), PAGE } };
	const struct iovec portions[] = { { area_page(5), PAGE }, { area_page(20) + 50, 100 } };

	area_map(4, 1, 4);
	region_regv(buffers, 3, REGION_ACCESS);
	area_set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 164);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(5) - 64, p.source + PAGE - 164, 64));
	memset(area_page(5) - 64, 4, 64);
	area_expect_missing_at(2 * PAGE - 163);
	area_expect_missing_at(4 * PAGE - 1);
	for (int i = 1; i <= 64; i++)
		expect_int(area_page(5)[-i], ==, 4);
	area_map(5, 1, 5);
	area_map(20, 1, 20);
	area_expect_missing_at(2 * PAGE);
	expect_int(xrdma_mr_refresh(region.mr, portions, 2, 0), ==, 0);
	area_set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 163);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(5) - 63, p.source + PAGE - 163, 64));
	area_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(20), p.source, 64));
	area_expect_missing_at(3 * PAGE);
}

/* Nothing of what is wrong changes anything. */
Test(refresh, refused)
{
	const struct iovec outside[] = { { area_page(4) - 1, 2 },
					 { area_page(8) - 1, 2 },
					 { area_page(4), 5 * PAGE },
					 { area_page(4), -PAGE },
					 { NULL, 1 } };
	const struct iovec all = { area_page(4), 4 * PAGE };

	area_map(4, 5, 1);
	region_regv(&all, 1, REGION_ACCESS);
	for (int i = 0; i < 5; i++)
		expect_error(xrdma_mr_refresh(region.mr, &outside[i], 1, 0), EINVAL,
			     "not in a buffer of the region");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 1, 0), EINVAL, "iov is NULL");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 1), XRDMA_EBADFLAGS, "0x1");
	expect(mmap(area_page(5), PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == area_page(5));
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT,
		     "must be readable and writable");
	area_set_request(XRDMA_WR_RDMA_WRITE, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(4), p.source, 64));
}

/* Of what windows may have been bound to, or peers may have invalidated; others are. */
Test(refresh, of_verbs)
{
	const unsigned int never[] = { XRDMA_ACCESS_MW_BIND, XRDMA_ACCESS_REMOTE_INVALIDATE };
	struct xrdma_mr *mr;

	area_map(0, PAGES, 1);
	for (int i = 0; i < 2; i++) {
		expect_int(xrdma_mr_reg(p.b.owner.pd, area_page(0), PAGE, never[i], &mr), ==, 0);
		expect_error(xrdma_mr_refresh(mr, NULL, 0, 0), EOPNOTSUPP, "register the memory");
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	expect_int(xrdma_mr_reg(p.b.owner.pd, area_page(0), PAGES * PAGE,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
					XRDMA_ACCESS_REMOTE_READ,
				&region.mr),
		   ==, 0);
	region.key = xrdma_mr_key(region.mr);
	region.base = (uintptr_t)area_page(0);
	area_map(3, 1, 3);
	area_refresh(3, 1);
	area_expect_reached(3);
	area_unmap(3, 1);
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT, "there is no memory at");
	area_expect_reached(4);
}

/*
 * Refreshing ends once a context has had an mkey that signs: from then on revocation also waits
 * for threads that copy staged data.
 */
Test(refresh, beside_signatures)
{
	region_use_signatures();
	area_map(0, PAGES, 1);
	area_reg();
	area_map(3, 1, 3);
	area_refresh(0, PAGES);
	area_expect_reached(3);
}

/* One that is disabled stays so. */
Test(refresh, disabled)
{
	region.flags = XRDMA_RMA_EVENT;
	area_map(0, PAGES, 1);
	area_reg();
	area_refresh(0, PAGES);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	area_refresh(0, PAGES);
	area_expect_reached(0);
}

/*
 * With pauses, in which the region is reached, and a page that is another's each time, so that
 * other threads run also on a single CPU while it is moved.
 */
static void *keep_refreshing(void *stop)
{
	int err = 0;

	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED) && !err) {
		area_map(4, 1, 4);
		err = xrdma_mr_refresh(region.mr, NULL, 0, 0);
		usleep(100);
	}
	return err ? stop : NULL;
}

/* Meanwhile what peers ask for fails; what is carried out is there. */
Test(refresh, meanwhile)
{
	int counts[2] = { 0 }, tries = 0;
	bool stop = false;
	pthread_t thread;
	void *failed;

	area_map(0, PAGES, 1);
	area_reg();
	expect_int(pthread_create(&thread, NULL, keep_refreshing, &stop), ==, 0);
	while ((!counts[0] || !counts[1]) && tries++ < 10000) {
		memset(area_page(9), 9, 64);
		area_set_request(XRDMA_WR_RDMA_WRITE, 9 * PAGE);
		expect_int(pair_post(), ==, 0);
		pair_poll(1);
		counts[wc[0].status == XRDMA_WC_SUCCESS]++;
		if (wc[0].status == XRDMA_WC_SUCCESS)
			expect(!memcmp(area_page(9), p.source, 64));
		else
			expect_int(wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	expect(!failed);
	expect(counts[0] && counts[1]);
	area_expect_reached(9);
}

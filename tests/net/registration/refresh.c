// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Regions whose memory is mapped, or mapped anew, after their registration (fi_mr(3),
 * fi_mr_refresh()). tests/net/rc.sh runs it.
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

#include "support/demand.h"
#include "support/buffers.h"
#include "support/test.h"

enum { PAGE = DEMAND_PAGE, PAGES = DEMAND_PAGES };

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_MMU_NOTIFY);
}

TestSuite(refresh, .once = open_domain, .end = region_close, .init = demand_start,
	  .fini = demand_stop);

/*
 * A region may be registered while none of its pages is accessible: some are mapped without access,
 * and the others are not mapped.
 */
Test(refresh, mapped_afterwards)
{
	demand_unmap(5, PAGES - 5);
	demand_reg();
	demand_expect_missing(0);
	demand_expect_missing(5);
	demand_expect_missing(PAGES - 1);
	demand_map(2, 4, 1);
	demand_expect_missing(2);
	demand_refresh(2, 2);
	demand_expect_reached(2);
	demand_expect_reached(3);
	demand_expect_missing(4);
	expect_int(xrdma_mr_refresh(region.mr, NULL, 0, 0), ==, 0);
	demand_expect_reached(4);
	demand_expect_reached(5);
	demand_expect_missing(1);
	demand_expect_missing(6);
	region_end();
	expect_int(demand_page(3)[0], ==, 1);
	expect_int(demand_page(3)[73], ==, pair.source[73]);
}

/*
 * Pages that exist at registration are reached. An access with one missing page is refused as a
 * whole.
 */
Test(refresh, mapped_in_part)
{
	demand_map(3, 1, 3);
	demand_map(7, 2, 7);
	demand_reg();
	demand_expect_reached(3);
	demand_expect_reached(7);
	demand_expect_reached(8);
	demand_expect_missing_at(4 * PAGE - 63);
	demand_expect_missing_at(3 * PAGE - 1);
	expect_int(demand_page(3)[PAGE - 1], ==, 3);
	expect_int(demand_page(3)[0], ==, 3);
}

/* The process's own requests and receives also fail if pages are missing. */
Test(refresh, local_access)
{
	demand_reg();
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	demand_map(0, 1, 0);
	demand_refresh(0, 1);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
}

/* Every operation works in pages that are mapped. */
Test(refresh, every_operation)
{
	__u8 *target = pair.target;

	demand_map(0, PAGES - 1, 0);
	demand_reg();
	pair.target = demand_page(0);
	region_every_operation();
	pair.target = target;
	demand_expect_missing(PAGES - 1);
}

/* New mappings replace old ones after a refresh. The other pages stay as they were. */
Test(refresh, mapped_anew)
{
	demand_map(0, PAGES, 1);
	demand_reg();
	for (int i = 0; i < 20; i++) {
		const int number = i * 7 % PAGES;

		demand_unmap(number, 1);
		demand_refresh(number, 1);
		demand_expect_missing(number);
		demand_map(number, 1, 2 + i);
		demand_refresh(number, 1);
		demand_expect_reached(number);
		demand_expect_reached((number + 1) % PAGES);
		expect_int(demand_page(number)[0], ==, 2 + i);
	}
	region_end();
	for (int i = 0; i < 20; i++)
		expect_int(demand_page(i * 7 % PAGES)[0], ==, 2 + i);
}

/* Memory that is unmapped repeatedly does not use up the heap. */
Test(refresh, mapped_time_and_again)
{
	const __u64 size = pair.b.owner.context->heap.size;

	demand_map(0, PAGES, 1);
	demand_reg();
	for (int i = 0; i < 300; i++) {
		demand_map(2, 8, i);
		demand_refresh(i % 2 ? 0 : 3, 5);
	}
	expect_int(pair.b.owner.context->heap.size, ==, size);
}

/*
 * Each of two regions of the same memory is refreshed alone. A new registration finds the current
 * mappings.
 */
Test(refresh, shared_with_another)
{
	const struct iovec all = { demand_page(0), PAGES * PAGE };
	struct xrdma_mr *others[2];
	struct region first;

	demand_map(0, PAGES, 1);
	demand_reg();
	first = region;
	for (int i = 0; i < 2; i++) {
		if (i)
			demand_map(4, 1, 2);
		expect_int(register_buffers(pair.b.owner.pd, &all, 1, REGION_ACCESS,
					    REGION_KEY + 1 + i, 0, &others[i]),
			   ==, 0);
	}
	region.key = REGION_KEY + 2;
	demand_expect_reached(4);
	memset(demand_page(4), 3, PAGE);
	for (int i = 0; i < 2; i++) {
		region.key = REGION_KEY + i;
		demand_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_int(demand_page(4)[0], ==, 3);
		demand_expect_reached(5);
	}
	region.key = REGION_KEY;
	demand_refresh(4, 1);
	demand_expect_reached(4);
	memset(demand_page(4), 3, PAGE);
	region.key = REGION_KEY + 1;
	demand_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(demand_page(4)[0], ==, 3);
	expect_int(xrdma_mr_close(others[1]), ==, 0);
	region = first;
	demand_expect_reached(4);
	demand_expect_reached(5);
	expect_int(xrdma_mr_close(others[0]), ==, 0);
	demand_expect_reached(4);
	region_end();
	expect_int(demand_page(4)[0], ==, 3);
	expect_int(demand_page(6)[0], ==, 1);
}

/* A region of several buffers, of the heap and of the process, may lack one of them. */
Test(refresh, of_several_buffers)
{
	const struct iovec buffers[] = { { pair.target, PAGE },
					 { demand_page(4) + 100, 3 * PAGE },
					 { demand_page(20), PAGE } };
	const struct iovec portions[] = { { demand_page(5), PAGE }, { demand_page(20) + 50, 100 } };

	demand_map(4, 1, 4);
	region_regv(buffers, 3, REGION_ACCESS);
	demand_set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 164);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(5) - 64, pair.source + PAGE - 164, 64));
	memset(demand_page(5) - 64, 4, 64);
	demand_expect_missing_at(2 * PAGE - 163);
	demand_expect_missing_at(4 * PAGE - 1);
	for (int i = 1; i <= 64; i++)
		expect_int(demand_page(5)[-i], ==, 4);
	demand_map(5, 1, 5);
	demand_map(20, 1, 20);
	demand_expect_missing_at(2 * PAGE);
	expect_int(xrdma_mr_refresh(region.mr, portions, 2, 0), ==, 0);
	demand_set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 163);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(5) - 63, pair.source + PAGE - 163, 64));
	demand_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(20), pair.source, 64));
	demand_expect_missing_at(3 * PAGE);
}

/* A refresh that is refused changes nothing. */
Test(refresh, refused)
{
	const struct iovec outside[] = { { demand_page(4) - 1, 2 },
					 { demand_page(8) - 1, 2 },
					 { demand_page(4), 5 * PAGE },
					 { demand_page(4), -PAGE },
					 { NULL, 1 } };
	const struct iovec all = { demand_page(4), 4 * PAGE };

	demand_map(4, 5, 1);
	region_regv(&all, 1, REGION_ACCESS);
	for (int i = 0; i < 5; i++)
		expect_error(xrdma_mr_refresh(region.mr, &outside[i], 1, 0), EINVAL,
			     "not in a buffer of the region");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 1, 0), EINVAL, "iov is NULL");
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 1), XRDMA_EBADFLAGS, "0x1");
	expect(mmap(demand_page(5), PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == demand_page(5));
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT,
		     "must be readable and writable");
	demand_set_request(XRDMA_WR_RDMA_WRITE, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(4), pair.source, 64));
}

/*
 * A region of verbs can be refreshed, unless windows may have been bound to it, or peers may have
 * invalidated it.
 */
Test(refresh, of_verbs)
{
	const unsigned int never[] = { XRDMA_ACCESS_MW_BIND, XRDMA_ACCESS_REMOTE_INVALIDATE };
	struct xrdma_mr *mr;

	demand_map(0, PAGES, 1);
	for (int i = 0; i < 2; i++) {
		expect_int(xrdma_mr_reg(pair.b.owner.pd, demand_page(0), PAGE, never[i], &mr), ==,
			   0);
		expect_error(xrdma_mr_refresh(mr, NULL, 0, 0), EOPNOTSUPP, "register the memory");
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	expect_int(xrdma_mr_reg(pair.b.owner.pd, demand_page(0), PAGES * PAGE,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
					XRDMA_ACCESS_REMOTE_READ,
				&region.mr),
		   ==, 0);
	region.key = xrdma_mr_key(region.mr);
	region.base = (uintptr_t)demand_page(0);
	demand_map(3, 1, 3);
	demand_refresh(3, 1);
	demand_expect_reached(3);
	demand_unmap(3, 1);
	expect_error(xrdma_mr_refresh(region.mr, NULL, 0, 0), EFAULT, "there is no memory at");
	demand_expect_reached(4);
}

/*
 * A refresh works in a context that had an mkey that signs. From then on, revoking a key also waits
 * for threads that copy bounced data.
 */
Test(refresh, beside_signatures)
{
	region_use_signatures();
	demand_map(0, PAGES, 1);
	demand_reg();
	demand_map(3, 1, 3);
	demand_refresh(0, PAGES);
	demand_expect_reached(3);
}

/* A region that is disabled stays disabled. */
Test(refresh, disabled)
{
	region.flags = XRDMA_RMA_EVENT;
	demand_map(0, PAGES, 1);
	demand_reg();
	demand_refresh(0, PAGES);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	demand_refresh(0, PAGES);
	demand_expect_reached(0);
}

/*
 * Refresh a region repeatedly, each time with another page mapped anew. The region is reached in
 * pauses, so that other threads run also on a single CPU.
 */
static void *keep_refreshing(void *stop)
{
	int err = 0;

	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED) && !err) {
		demand_map(4, 1, 4);
		err = xrdma_mr_refresh(region.mr, NULL, 0, 0);
		usleep(100);
	}
	return err ? stop : NULL;
}

/* While the region is refreshed, peers' requests fail. A request that succeeds has its effect. */
Test(refresh, meanwhile)
{
	int counts[2] = { 0 }, tries = 0;
	bool stop = false;
	pthread_t thread;
	void *failed;

	demand_map(0, PAGES, 1);
	demand_reg();
	expect_int(pthread_create(&thread, NULL, keep_refreshing, &stop), ==, 0);
	while ((!counts[0] || !counts[1]) && tries++ < 10000) {
		memset(demand_page(9), 9, 64);
		demand_set_request(XRDMA_WR_RDMA_WRITE, 9 * PAGE);
		expect_int(pair_post(), ==, 0);
		pair_poll(1);
		counts[send_wc[0].status == XRDMA_WC_SUCCESS]++;
		if (send_wc[0].status == XRDMA_WC_SUCCESS)
			expect(!memcmp(demand_page(9), pair.source, 64));
		else
			expect_int(send_wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	expect(!failed);
	expect(counts[0] && counts[1]);
	demand_expect_reached(9);
}

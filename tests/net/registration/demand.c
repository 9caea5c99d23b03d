// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Regions whose memory is mapped on demand (fi_mr(3), without FI_MR_ALLOCATED and
 * FI_MR_MMU_NOTIFY), without telling the library. tests/net/rc.sh runs it.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "key/fault.h"
#include "support/async.h"
#include "support/distant.h"
#include "support/demand.h"
#include "support/buffers.h"
#include "support/test.h"

enum { PAGE = DEMAND_PAGE, PAGES = DEMAND_PAGES };

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL);
}

TestSuite(demand, .once = open_domain, .end = region_close, .init = demand_start,
	  .fini = demand_stop);

/* An access to missing memory is refused each time. It succeeds as soon as the memory exists. */
Test(demand, mapped_afterwards)
{
	demand_unmap(5, PAGES - 5);
	demand_reg();
	demand_expect_missing(0);
	demand_expect_missing(5);
	demand_expect_missing(5);
	demand_map(5, 1, 5);
	demand_expect_reached(5);
	demand_expect_missing(4);
	demand_map(4, 1, 4);
	demand_expect_reached(4);
	demand_expect_reached(5);
	demand_map(PAGES - 1, 1, 1);
	demand_expect_reached(PAGES - 1);
	region_end();
	expect_int(demand_page(5)[0], ==, 5);
	expect_int(demand_page(5)[75], ==, pair.source[75]);
}

/*
 * A region may span all addresses of the process. The program's own text, executable memory of a
 * file, is among them.
 */
Test(demand, all_addresses)
{
	struct xrdma_mr *mr;

	expect_error(register_buffer(pair.b.owner.pd, NULL, 1ULL << 47, REGION_ACCESS, REGION_KEY,
				     0, &mr),
		     EOPNOTSUPP, "cannot be registered");
}

/* An access to two pages finds both missing, one after the other. */
Test(demand, two_pages)
{
	demand_reg();
	demand_map(3, 1, 3);
	demand_expect_missing_at(4 * PAGE - 63);
	expect_int(demand_page(4)[-1], ==, 3);
	demand_map(4, 1, 4);
	demand_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE - 63);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(4) - 63, pair.source + PAGE - 63, 64));
}

/* Number of pages before and behind a border. */
enum { FEW = 8, LEN = FEW * PAGE - 20 };

static __u8 *few(void)
{
	return demand_page(DEMAND_BORDER - FEW / 2);
}

static void begin_few(void)
{
	const struct iovec all = { few(), FEW * PAGE };

	demand_unmap(DEMAND_BORDER - FEW / 2, FEW);
	region_regv(&all, 1, REGION_ACCESS);
	region.own_base = (uintptr_t)few();
	demand_map(DEMAND_BORDER - FEW / 2, FEW, 0);
	pair_connect(4, 1024);
}

/* Pages are missed in the middle of messages of many packets. */
Test(demand, messages)
{
	__u8 *target = pair.target;

	pair.target = few();
	begin_few();
	region_write(20, LEN);
	expect(!memcmp(pair.target + 20, pair.source + 20, LEN));
	begin_few();
	region_set_write(20, LEN);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	memset(pair.target, 7, FEW * PAGE);
	pair_expect(XRDMA_WC_SUCCESS);
	for (int i = 0; i < LEN; i++)
		expect_int(pair.source[20 + i], ==, 7);
	begin_few();
	pair_set_send(20, LEN);
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	pair_send_once();
	expect(!memcmp(pair.target + 20, pair.source + 20, LEN));
	pair.target = target;
	region_end();
}

/*
 * A READ whose memory is only partly mapped fails at the first missing page, like a WRITE, although
 * rnr_retry is 7, which means for ever.
 */
Test(demand, messages_that_end_in_nothing)
{
	const enum xrdma_wr_opcode opcodes[] = { XRDMA_WR_RDMA_READ, XRDMA_WR_RDMA_WRITE };
	const __u8 rnr_retry = pair.a.attr.rnr_retry;

	pair.a.attr.rnr_retry = 7;
	for (int i = 0; i < 2; i++) {
		begin_few();
		demand_unmap(DEMAND_BORDER + 1, FEW / 2 - 1);
		region_set_write(20, LEN);
		send_wr.opcode = opcodes[i];
		pair_expect(XRDMA_WC_REM_OP_ERR);
		region_end();
	}
	pair.a.attr.rnr_retry = rnr_retry;
}

/*
 * Memory that cannot be moved into the region is left alone, and access to it is refused. The pages
 * around it are reached.
 */
Test(demand, not_its_own)
{
	demand_reg();
	demand_map(4, 8, 4);
	demand_map_shared(6, 1);
	demand_expect_reached(5);
	demand_expect_missing(6);
	demand_expect_reached(7);
	expect_int(demand_page(6)[0], ==, 0);
}

/* B gets an event, because a request that needs a missing page stops its queue pair. */
Test(demand, event)
{
	demand_reg();
	region_add(8, XRDMA_WC_REM_OP_ERR);
	expect(async_expect(pair.b.owner.context, XRDMA_ASYNC_QP_FATAL).of.qp == pair.b.qp);
}

/* The first access is an atomic. */
Test(demand, atomic)
{
	demand_reg();
	region_add(8, XRDMA_WC_REM_OP_ERR);
	demand_map(0, 1, 0);
	region_add(8, XRDMA_WC_SUCCESS);
	expect_int(demand_page(0)[8], ==, 1);
	region_add(8, XRDMA_WC_SUCCESS);
	expect_int(demand_page(0)[8], ==, 2);
}

/* The process's own requests and receives map pages as well, or fail. */
Test(demand, local_access)
{
	demand_reg();
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	demand_map(0, 1, 0);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	demand_unmap(0, 1);
	demand_reg();
	demand_map(0, 1, 0);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
}

/* B sends, writes and reads pages of its own on demand. */
Test(demand, local_messages)
{
	const enum xrdma_wr_opcode opcodes[] = { XRDMA_WR_RDMA_WRITE, XRDMA_WR_RDMA_READ };
	const unsigned int access =
		XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE;
	struct xrdma_mr *open_to_b;

	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, PAIR_BYTES, access, &open_to_b), ==,
		   0);
	pair.a.attr.access = access;
	for (int i = 0; i < 2; i++) {
		struct xrdma_sge data;
		const struct xrdma_send_wr request = {
			.sg_list = &data,
			.num_sge = 1,
			.opcode = opcodes[i],
			.flags = XRDMA_SEND_SIGNALED,
			.remote_addr = (uintptr_t)pair.source,
			.rkey = xrdma_mr_key(open_to_b),
		};

		begin_few();
		memset(few(), 3 + i, FEW * PAGE);
		data = (struct xrdma_sge){ (uintptr_t)few() + 20, LEN, xrdma_mr_lkey(region.mr) };
		expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
		pair_poll_recv(1);
		expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect(!memcmp(pair.source, few() + 20, LEN));
		expect_int(pair.source[0], ==, 3);
	}
	region_end();
	expect_int(xrdma_mr_close(open_to_b), ==, 0);
}

/* A region may have several buffers, of the heap and of the process. */
Test(demand, several_buffers)
{
	const struct iovec buffers[] = { { pair.target, PAGE },
					 { demand_page(4) + 100, 3 * PAGE },
					 { demand_page(20), PAGE } };

	region_regv(buffers, 3, REGION_ACCESS);
	demand_expect_missing_at(4 * PAGE);
	demand_map(4, 4, 4);
	demand_set_request(XRDMA_WR_RDMA_WRITE, 2 * PAGE - 163);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(5) - 63, pair.source + PAGE - 163, 64));
	demand_map(20, 1, 20);
	demand_set_request(XRDMA_WR_RDMA_WRITE, 4 * PAGE - 10);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(20), pair.source + PAGE, 54));
}

static pthread_barrier_t held;

/* Hold a lock, so that no page is mapped in the meantime. */
static void *hold_faults(void *arg)
{
	struct xrdma_faults *faults = arg;

	xrdma_mutex_lock(&faults->lock);
	pthread_barrier_wait(&held);
	usleep(100000);
	xrdma_mutex_unlock(&faults->lock);
	return NULL;
}

/* A queue pair that is connected anew is not affected by earlier misses. */
Test(demand, connected_anew)
{
	pthread_t holder;

	demand_reg();
	demand_set_request(XRDMA_WR_RDMA_WRITE, 100);
	pthread_barrier_init(&held, NULL, 2);
	pthread_create(&holder, NULL, hold_faults, pair.b.qp->pd->context->faults);
	pthread_barrier_wait(&held);
	expect_int(pair_post(), ==, 0);
	usleep(10000);
	pair_connect(4, 1024);
	pthread_join(holder, NULL);
	usleep(10000);
	demand_map(0, 1, 1);
	pair_expect(XRDMA_WC_SUCCESS);
}

/* The pages around a missing page are mapped again, too. */
Test(demand, mapped_anew)
{
	demand_map(0, DEMAND_BORDER - 1, 1);
	demand_reg();
	demand_expect_reached(9);
	demand_map(9, 1, 9);
	demand_map(DEMAND_BORDER - 1, 1, 1);
	demand_expect_reached(DEMAND_BORDER - 1);
	demand_expect_reached(9);
	expect_int(demand_page(9)[0], ==, 9);
	demand_unmap(9, 1);
	demand_refresh(9, 1);
	demand_expect_missing(9);
	demand_map(9, 1, 10);
	demand_expect_reached(9);
}

/* More memory is mapped than the heap has room for. The memory that is used has room. */
Test(demand, more_than_there_is_room_for)
{
	enum { LEN = 64 << 20 };
	__u8 *large = mmap(distant_address(), LEN, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct iovec all = { large, LEN };

	munmap(large, LEN);
	region_regv(&all, 1, REGION_ACCESS);
	expect(mmap(large, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == large);
	for (int i = 0; i < 3; i++) {
		demand_set_request(XRDMA_WR_RDMA_WRITE, (i * 21 << 20) + 100);
		pair_expect(XRDMA_WC_SUCCESS);
		expect(!memcmp(large + (i * 21 << 20) + 100, pair.source + 100, 64));
	}
	region_end();
	expect(!memcmp(large + 100, pair.source + 100, 64));
	munmap(large, LEN);
}

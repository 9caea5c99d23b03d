// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Completion counters of regions (fi_mr(3), XRDMA_MR_MODE_RMA_EVENT), which XDP increments.
 * tests/net/rc.sh runs it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "support/region.h"
#include "support/buffers.h"
#include "support/test.h"

enum { CNTRS = 64 };

static struct xrdma_cntr *cntr; /* counter of B */

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_RMA_EVENT);
}

static void start(void)
{
	region_start();
	region.flags = XRDMA_RMA_EVENT;
	expect_msg(xrdma_cntr_open(pair.b.owner.pd, &cntr) == 0, "%s", xrdma_error());
}

/* Stop, with the counter closed first, so that the region can be closed. */
static void stop(void)
{
	if (cntr)
		expect_int(xrdma_cntr_close(cntr), ==, 0);
	region_stop();
}

TestSuite(events, .once = open_domain, .end = region_close, .init = start, .fini = stop);

static void bind_and_enable(void)
{
	expect_msg(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE) == 0, "%s",
		   xrdma_error());
	expect_msg(xrdma_mr_enable(region.mr) == 0, "%s", xrdma_error());
}

static void reg_counted(void)
{
	region_reg(REGION_ACCESS);
	bind_and_enable();
	pair_connect(4, 1024);
}

/* Neither peers nor the process can use the region before it is enabled, bound or not. */
Test(events, disabled_until_enabled)
{
	region_reg(REGION_ACCESS);
	for (int bound = 0; bound < 2; bound++) {
		const __u32 lkey = xrdma_mr_lkey(region.mr);

		region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
		region_expect_refused(XRDMA_WR_RDMA_READ, REGION_KEY, 0, 64);
		region_expect_sent(lkey, XRDMA_WC_LOC_PROT_ERR);
		region_expect_received(lkey, XRDMA_WC_LOC_PROT_ERR);
		if (!bound)
			expect_int(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE), ==, 0);
	}
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	memset(pair.target, 0, 64);
	region_every_operation();
}

/* All rows of a region of several buffers are disabled until it is enabled. */
Test(events, of_buffers)
{
	struct iovec iov[REGION_BUFFERS];

	region_cut(iov);
	region_regv(iov, REGION_BUFFERS, REGION_ACCESS);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
	bind_and_enable();
	pair_connect(4, 1024);
	region_write(0, PAIR_BYTES);
	expect_int(xrdma_cntr_read(cntr), ==, 1);
	pair_expect_written(0, PAIR_BYTES);
}

/* Each WRITE and each atomic counts as one, whatever its number of packets. Nothing else counts. */
Test(events, what_counts)
{
	reg_counted();
	region_write(0, 1);
	expect_int(xrdma_cntr_read(cntr), ==, 1);
	region_write(0, 200000);
	expect_int(xrdma_cntr_read(cntr), ==, 2);
	region_add(8, XRDMA_WC_SUCCESS);
	expect_int(xrdma_cntr_read(cntr), ==, 3);
	region_write(0, 0);
	region_set_write(0, 64);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_set_send(0, 64);
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	pair_send_once();
	memset(pair.target, 0, 200000);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, PAIR_BYTES - 63, 64);
	expect_int(xrdma_cntr_read(cntr), ==, 3);
	pair_connect(4, 1024);
	region_set_write(0, 64);
	send_wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(xrdma_cntr_read(cntr), ==, 4);
}

/* A CMP_SWAP counts only if it swaps, because otherwise it does not modify the region. */
Test(events, compare_and_swap)
{
	reg_counted();
	memset(pair.target, 0, 16);
	pair_connect(4, 1024);
	region_set_write(0, 8);
	send_wr.opcode = XRDMA_WR_ATOMIC_CMP_AND_SWP;
	send_wr.remote_addr = region.base + 8;
	send_wr.compare_add = 1;
	send_wr.swap = 2;
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(xrdma_cntr_read(cntr), ==, 0);
	send_wr.compare_add = 0;
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(xrdma_cntr_read(cntr), ==, 1);
}

/* Counting needs nothing from B's process. A thread that sees the count sees the bytes, too. */
Test(events, without_the_process)
{
	enum { COUNT = 1000 };

	reg_counted();
	for (__u64 i = 1; i <= COUNT; i++) {
		memcpy(pair.source, &i, sizeof(i));
		region_write(0, sizeof(i));
		expect_int(xrdma_cntr_read(cntr), ==, i);
		expect(!memcmp(pair.target, &i, sizeof(i)));
	}
	expect_int(xrdma_cq_poll(pair.b.cq, 1, recv_wc), ==, 0);
}

/* Several regions may have one counter. A region has only one. */
Test(events, shared)
{
	struct xrdma_mr *other;

	region_reg(REGION_ACCESS);
	bind_and_enable();
	expect_int(register_buffer(pair.b.owner.pd, pair.target, 64, REGION_ACCESS, 7,
				   XRDMA_RMA_EVENT, &other),
		   ==, 0);
	expect_int(xrdma_mr_bind_cntr(other, cntr, XRDMA_REMOTE_WRITE), ==, 0);
	expect_error(xrdma_mr_bind_cntr(other, cntr, XRDMA_REMOTE_WRITE), EBUSY, "has a counter");
	expect_int(xrdma_mr_enable(other), ==, 0);
	pair_connect(4, 1024);
	region_write(0, 64);
	region.key = 7;
	region_write(0, 64);
	expect_int(xrdma_cntr_read(cntr), ==, 2);
	expect_int(xrdma_cntr_close(cntr), ==, 0);
	cntr = NULL;
	expect_int(xrdma_mr_close(other), ==, 0);
}

/* The counter is closed before the region. Its row may be used for another counter afterwards. */
Test(events, closed)
{
	struct xrdma_cntr *others[CNTRS], *none;

	reg_counted();
	expect_error(xrdma_mr_close(region.mr), EBUSY, "bound to a counter");
	expect_error(xrdma_pd_dealloc(pair.b.owner.pd), EBUSY, "counters");
	region_write(0, 64);
	xrdma_cntr_add(cntr, 40);
	expect_int(xrdma_cntr_close(cntr), ==, 0);
	cntr = NULL;
	for (int i = 0; i < CNTRS; i++)
		expect_int(xrdma_cntr_open(pair.b.owner.pd, &others[i]), ==, 0);
	expect_error(xrdma_cntr_open(pair.b.owner.pd, &none), ENOMEM, "all 64 counters");
	region_write(0, 64);
	for (int i = 0; i < CNTRS; i++) {
		expect_int(xrdma_cntr_read(others[i]), ==, 0);
		expect_int(xrdma_cntr_close(others[i]), ==, 0);
	}
}

Test(events, set)
{
	reg_counted();
	xrdma_cntr_set(cntr, ~0ULL - 1);
	region_write(0, 64);
	expect(xrdma_cntr_read(cntr) == ~0ULL);
	xrdma_cntr_add(cntr, 5);
	expect_int(xrdma_cntr_read(cntr), ==, 4);
}

/*
 * A counter can be bound only before the region is enabled, and only if the region was registered
 * for it.
 */
Test(events, not_bound)
{
	struct xrdma_cntr *foreign;
	struct xrdma_pd *other;

	region_reg(REGION_ACCESS);
	expect_error(xrdma_mr_bind_cntr(region.mr, cntr, 0), XRDMA_EBADFLAGS, "flags 0x0");
	expect_error(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE >> 1), XRDMA_EBADFLAGS,
		     "flags 0x1000");
	expect_error(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE | 1), XRDMA_EBADFLAGS,
		     "flags 0x2001");
	expect_int(xrdma_pd_alloc(pair.b.owner.context, &other), ==, 0);
	expect_int(xrdma_cntr_open(other, &foreign), ==, 0);
	expect_error(xrdma_mr_bind_cntr(region.mr, foreign, XRDMA_REMOTE_WRITE), EINVAL,
		     "another protection domain");
	expect_int(xrdma_cntr_close(foreign), ==, 0);
	expect_int(xrdma_pd_dealloc(other), ==, 0);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	expect_error(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE), EINVAL, "is enabled");
	region.flags = 0;
	region_reg(REGION_ACCESS);
	expect_error(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE), EINVAL,
		     "without XRDMA_RMA_EVENT");
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	pair_connect(4, 1024);
	region_write(0, 64);
	expect_int(xrdma_cntr_read(cntr), ==, 0);
}

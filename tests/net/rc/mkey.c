// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Access by mkeys of B, from A and from B (mlx5dv_wr_mkey_configure(3)). */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/mkey.h"
#include "support/xdp_run.h"
#include "support/test.h"

TestSuite(mkey, .once = pair_open, .end = pair_close, .init = mkey_start, .fini = mkey_stop);

/* The manual page's example: 64 bytes, then 4096, of two regions. */
Test(mkey, list_of_two_regions)
{
	struct xrdma_sge sges[2] = { mkey_part(100, 64), mkey_part(9000, 4096) };
	struct xrdma_mr *other;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target + 8192, 8192, XRDMA_ACCESS_LOCAL_WRITE,
				&other),
		   ==, 0);
	sges[1].lkey = xrdma_mr_key(other);
	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 2, sges);
	mkey_expect_configured();
	mkey_write(0, 64 + 4096);
	mkey_expect_part(100, 64, 0);
	mkey_expect_part(9000, 4096, 64);
	mkey_write(60, 1000);
	mkey_expect_part(160, 4, 0);
	mkey_expect_part(9000, 996, 4);
	pair_expect_written(0, 0);
	expect_int(xrdma_mr_close(other), ==, 0);
	mkey_expect_refused(0, 64 + 4096);
	mkey_write(0, 64);
	mkey_expect_part(100, 64, 0);
}

/* The manual page's example: 512 bytes, 8 of another region, 512 at 516, 8 at 8. */
Test(mkey, interleaved_of_two_regions)
{
	struct xrdma_mr_interleaved data[2] = { mkey_block(0, 512, 4), mkey_block(2000, 8, 0) };

	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, 2, 2, data);
	mkey_expect_configured();
	mkey_write(0, 1040);
	mkey_expect_part(0, 512, 0);
	mkey_expect_part(2000, 8, 512);
	mkey_expect_part(516, 512, 520);
	mkey_expect_part(2008, 8, 1032);
	pair_expect_written(0, 0);
	mkey_expect_refused(1, 1040);
}

/* A column of a matrix of 1000 rows of 24 bytes is written and read, in several packets. */
Test(mkey, column)
{
	const struct xrdma_mr_interleaved column = mkey_block(8, 8, 16);
	static __u8 before[8000];

	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, 1000, 1, &column);
	mkey_expect_configured();
	mkey_write(0, sizeof(before));
	memcpy(before, pair.source, sizeof(before));
	memset(pair.source, 0, sizeof(before));
	for (__u32 at = 0; at < sizeof(before); at += 1000) {
		send_sge = (struct xrdma_sge){ (uintptr_t)pair.source + at, 1000,
					       xrdma_mr_key(mkey.local) };
		send_wr.opcode = XRDMA_WR_RDMA_READ;
		send_wr.remote_addr = at;
		pair_expect(XRDMA_WC_SUCCESS);
	}
	expect(!memcmp(pair.source, before, sizeof(before)));
	for (int row = 0; row < 1000; row++)
		mkey_expect_part(24 * row + 8, 8, 8 * row);
	pair_expect_written(0, 0);
}

/* Addresses count from 0, up to the last byte (zero-based mode). */
Test(mkey, has_its_own_bounds)
{
	mkey_set_parts(4, 100, 50, MKEY_REMOTE);
	mkey_write(399, 1);
	mkey_expect_part(549, 1, 0);
	mkey_expect_refused(399, 2);
	mkey_expect_refused(400, 1);
	pair_set_write(0, 1);
	send_wr.rkey = mkey.key;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

static void expect_fetch_add(__u64 at, enum xrdma_wc_status status)
{
	pair_set_fetch_add(0, 2);
	send_sge.addr = (uintptr_t)pair.source;
	send_sge.lkey = xrdma_mr_key(mkey.local);
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = at;
	pair_expect(status);
}

/* An atomic works if one entry contains its whole word. */
Test(mkey, atomics)
{
	mkey_set_parts(2, 12, 4, MKEY_REMOTE);
	memset(pair.target, 0, 64);
	expect_fetch_add(0, XRDMA_WC_SUCCESS);
	expect_int(*(__u64 *)pair.target, ==, 2);
	memset(pair.target, 0, 64);
	expect_fetch_add(8, XRDMA_WC_REM_INV_REQ_ERR);
	pair_expect_written(0, 0);
}

/* A receive whose memory is an mkey's gets a SEND. */
Test(mkey, memory_of_a_receive)
{
	mkey_set_parts(4, 300, 10, XRDMA_ACCESS_LOCAL_WRITE);
	pair_set_send(0, 1100);
	recv_sge = (struct xrdma_sge){ 50, 1150, mkey.key };
	pair_send_once();
	mkey_expect_part(50, 250, 0);
	mkey_expect_part(310, 300, 250);
	mkey_expect_part(620, 300, 550);
	mkey_expect_part(930, 250, 850);
	pair_expect_written(0, 0);
}

/* B's own READ writes into an mkey's memory, in several packets. */
Test(mkey, memory_of_a_read)
{
	struct xrdma_sge into = { 5, 1190, 0 };

	mkey_set_parts(4, 300, 10, XRDMA_ACCESS_LOCAL_WRITE);
	into.lkey = mkey.key;
	mkey_allow_b();
	mkey_post(XRDMA_WR_RDMA_READ, &into, XRDMA_WC_SUCCESS);
	mkey_expect_part(5, 295, 0);
	mkey_expect_part(310, 300, 295);
	mkey_expect_part(620, 300, 595);
	mkey_expect_part(930, 295, 895);
	pair_expect_written(0, 0);
}

/* B's own WRITE sends data from an mkey's memory. */
Test(mkey, memory_of_a_write)
{
	struct xrdma_sge from = { 100, 1000, 0 };

	mkey_set_parts(4, 300, 10, 0);
	from.lkey = mkey.key;
	mkey_allow_b();
	for (int i = 0; i < 2000; i++)
		pair.target[i] = i * 7;
	mkey_post(XRDMA_WR_RDMA_WRITE, &from, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, pair.target + 100, 200));
	expect(!memcmp(pair.source + 200, pair.target + 310, 300));
	expect(!memcmp(pair.source + 500, pair.target + 620, 300));
	expect(!memcmp(pair.source + 800, pair.target + 930, 200));
	memset(pair.target, 0, 2000);
}

/* The mkey needs the right, and the regions need LOCAL_WRITE. */
Test(mkey, local_rights)
{
	struct xrdma_sge into = { 0, 100, mkey.key };

	mkey_set_parts(4, 300, 10, MKEY_REMOTE);
	mkey_allow_b();
	mkey_post(XRDMA_WR_RDMA_READ, &into, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY_RIGHTS);
	pair_expect_written(0, 0);
}

Test(mkey, region_that_is_not_writable)
{
	struct xrdma_sge part;

	expect_int(xrdma_mr_close(mkey.region), ==, 0);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAIR_BYTES, 0, &mkey.region), ==, 0);
	part = mkey_part(0, 1000);
	mkey_set_list(&part, 1);
	mkey_set_access(MKEY_REMOTE);
	mkey_expect_refused(0, 1000);
	pair_set_read(0, 1000);
	send_sge = (struct xrdma_sge){ (uintptr_t)pair.source, 1000, xrdma_mr_key(mkey.local) };
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect(XRDMA_WC_SUCCESS);
}

/* An mkey is not usable before it is configured, or if it has rights but no layout. */
Test(mkey, not_configured)
{
	mkey_expect_refused(0, 1);
	mkey_set_access(MKEY_REMOTE);
	mkey_expect_refused(0, 1);
}

/* A configuration changes only what it sets. */
Test(mkey, overrides_what_it_sets)
{
	struct xrdma_sge part = mkey_part(1000, 100);
	struct xrdma_mr_interleaved block = mkey_block(500, 10, 10);

	mkey_set_parts(2, 100, 100, XRDMA_ACCESS_REMOTE_READ);
	mkey_expect_refused(0, 100);
	mkey_set_access(XRDMA_ACCESS_REMOTE_WRITE);
	mkey_write(50, 100);
	mkey_expect_part(50, 50, 0);
	mkey_expect_part(200, 50, 50);
	pair_set_read(0, 100);
	send_sge = (struct xrdma_sge){ (uintptr_t)pair.source, 100, xrdma_mr_key(mkey.local) };
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_connect(4, 1024);
	mkey_set_list(&part, 1);
	expect_int(side_key(&pair.b, mkey.key)->kind, ==, XRDMA_MKEY_KIND_LIST);
	mkey_write(0, 100);
	mkey_expect_part(1000, 100, 0);
	mkey_expect_refused(1, 100);
	mkey_begin(1);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, 3, 1, &block);
	mkey_expect_configured();
	expect_int(side_key(&pair.b, mkey.key)->kind, ==, XRDMA_MKEY_KIND_INTERLEAVED);
	mkey_write(5, 25);
	mkey_expect_part(505, 5, 0);
	mkey_expect_part(520, 10, 5);
	mkey_expect_part(540, 10, 15);
	pair_expect_written(0, 0);
}

static void replace_layout(void)
{
	const struct xrdma_sge part = mkey_part(5000, 100);

	mkey_set_list(&part, 1);
}

/* A program run never uses a layout that is partly the old one and partly the new one. */
Test(mkey, configured_after_runs_under_way)
{
	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	xdp_run_expect_waited_for(replace_layout);
}

/* Without setters nothing changes. */
Test(mkey, no_setters)
{
	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	mkey.attr.conf_flags = XRDMA_MKEY_CONF_RESET_SIG_ATTR;
	mkey_begin(0);
	mkey_expect_configured();
	mkey_write(0, 200);
	mkey_expect_part(0, 100, 0);
	mkey_expect_part(200, 100, 100);
}

/* LOCAL_INV clears it: neither rights nor layout come back. */
Test(mkey, invalidated)
{
	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	mkey_invalidate();
	mkey_expect_refused(0, 1);
	mkey_set_access(MKEY_REMOTE);
	mkey_expect_refused(0, 1);
	mkey_invalidate();
	mkey_set_list(&(struct xrdma_sge){ (uintptr_t)pair.target, 10, xrdma_mr_key(mkey.region) },
		      1);
	mkey_expect_refused(0, 1);
	mkey_set_access(MKEY_REMOTE);
	mkey_write(0, 10);
	mkey_expect_part(0, 10, 0);
}

/* A peer's SEND can invalidate an mkey that was created for that. */
Test(mkey, invalidated_by_a_peer)
{
	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	pair_set_send(1000, 16);
	recv_sge = mkey_part(1000, 16);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = mkey.key;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	mkey_create(XRDMA_MKEY_INIT_REMOTE_INVALIDATE);
	pair_connect(4, 1024);
	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	pair_set_send(1000, 16);
	recv_sge = mkey_part(1000, 16);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = mkey.key;
	pair_send_once();
	expect_int(recv_wc[0].invalidated_key, ==, mkey.key);
	expect_int(side_key(&pair.b, mkey.key)->state, ==, XRDMA_MKEY_STATE_FREE);
	pair_expect_written(1000, 16);
	mkey_expect_refused(0, 1);
}

/* Destroying an mkey frees its row and its entries. */
Test(mkey, destroyed)
{
	struct xrdma_pd *pd = pair.b.owner.pd;
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = XRDMA_LAYOUT_ENTRIES_MAX,
	};

	mkey_set_parts(2, 100, 100, MKEY_REMOTE);
	expect_int(xrdma_mkey_destroy(mkey.mkey), ==, 0);
	mkey.mkey = NULL;
	mkey_expect_refused(0, 1);
	for (int i = 0; i < 1000; i++) {
		expect_int(xrdma_mkey_create(pd, &init, &mkey.mkey), ==, 0);
		expect_int(xrdma_mkey_destroy(mkey.mkey), ==, 0);
	}
	mkey.mkey = NULL;
	mkey_create(0);
	expect_error(
		xrdma_pd_dealloc(pd), EBUSY,
		"regions, windows, mkeys, encryption keys, queue pairs, mapped keys and counters");
}

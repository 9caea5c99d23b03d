// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory windows of B, through which A writes (IBA 10.6.7): what they can be bound to, and what
 * they allow.
 */
#include <errno.h>
#include <stdint.h>

#include "support/test.h"
#include "support/window.h"

TestSuite(window, .once = pair_open, .end = pair_close, .init = window_start, .fini = window_stop);

/* The rights that peers have by a window do not depend on their rights by the region's key. */
Test(window, of_each_type)
{
	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(64, 256);
	window_alloc(XRDMA_MW_TYPE_2A);
	window_expect_bound(100, 3000, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(100, 3000);
	window_end_key();
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(100, 3000, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(101, 2999);
}

/* Expect that a window allows nothing before it is bound. */
static void expect_unbound(enum xrdma_mw_type type, __u8 state)
{
	window_alloc(type);
	expect_int(side_key(&pair.b, window.key)->state, ==, state);
	window_expect_refused(64, 256);
}

Test(window, not_bound_yet)
{
	expect_unbound(XRDMA_MW_TYPE_1, XRDMA_MKEY_STATE_INVALID);
	expect_unbound(XRDMA_MW_TYPE_2A, XRDMA_MKEY_STATE_FREE);
	expect_unbound(XRDMA_MW_TYPE_2B, XRDMA_MKEY_STATE_FREE);
}

/* An access within the region, but outside the window, is refused. */
Test(window, has_its_own_bounds)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		window_expect_refused(64, 257);
		window_alloc(type);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		window_expect_refused(63, 1);
	}
}

/* A window has its own rights: only the rights for windows of the region count (10.6.7.2.2). */
Test(window, has_its_own_rights)
{
	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_READ);
	window_expect_refused(64, 256);
	window_expect_bound(64, 256, 0);
	window_expect_refused(64, 256);
	pair_set_write(64, 256);
	send_wr.rkey = xrdma_mr_key(window.region);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

static void expect_atomic(unsigned int access, enum xrdma_wc_status status)
{
	window_expect_bound(64, 256, access);
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
	pair_connect(4, 1024);
	pair_set_write(64, 8);
	send_wr.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	send_wr.rkey = window.key;
	send_sge.lkey = xrdma_mr_key(window.local);
	pair_expect(status);
}

Test(window, of_words)
{
	window_alloc(XRDMA_MW_TYPE_1);
	expect_atomic(XRDMA_ACCESS_REMOTE_ATOMIC, XRDMA_WC_SUCCESS);
	expect_atomic(XRDMA_ACCESS_REMOTE_WRITE, XRDMA_WC_REM_ACCESS_ERR);
}

/* IBA 10.6.7.2.2: peers may get the right to write only if the process has it. */
Test(window, of_a_region_without_local_write)
{
	window_set_region(XRDMA_ACCESS_MW_BIND);
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_expect_not_bound(XRDMA_ACCESS_REMOTE_WRITE, XRDMA_V_KEY_RIGHTS);
		window_expect_not_bound(XRDMA_ACCESS_REMOTE_ATOMIC, XRDMA_V_KEY_RIGHTS);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_READ);
		window_end_key();
	}
}

Test(window, of_a_region_that_allows_none)
{
	window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE);
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_expect_not_bound(XRDMA_ACCESS_REMOTE_READ, XRDMA_V_KEY_RIGHTS);
	}
}

Test(window, beyond_its_region)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window.bind.info.length = PAIR_BYTES + 1;
		window.bind.info.addr = (uintptr_t)pair.target;
		window_expect_bind_fails(XRDMA_V_KEY_RANGE);
		window.bind.info.addr--;
		window.bind.info.length = 1;
		window_expect_bind_fails(XRDMA_V_KEY_RANGE);
	}
}

/*
 * A window cannot be bound to a region of another protection domain, nor by a queue pair of another
 * one.
 */
Test(window, of_another_domain)
{
	struct xrdma_pd *own = pair.b.owner.pd, *other;

	expect_int(xrdma_pd_alloc(pair.b.owner.context, &other), ==, 0);
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		pair.b.owner.pd = other;
		window_alloc(type);
		pair.b.owner.pd = own;
		window_expect_not_bound(XRDMA_ACCESS_REMOTE_READ, XRDMA_V_KEY_PD);
	}
	window_dealloc();
	pair.b.owner.pd = other;
	window_set_region(XRDMA_ACCESS_MW_BIND);
	pair.b.owner.pd = own;
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_not_bound(XRDMA_ACCESS_REMOTE_READ, XRDMA_V_KEY_PD);
	window_set_region(XRDMA_ACCESS_MW_BIND);
	expect_int(xrdma_pd_dealloc(other), ==, 0);
}

/*
 * Windows of type 2 may be zero-based: peers name the first byte by address 0. The region may be
 * any.
 */
Test(window, zero_based)
{
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_ZERO_BASED);
	pair_set_write(64, 256);
	send_wr.rkey = window.key;
	send_wr.remote_addr = 0;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	window_expect_refused(64, 256);
	window_end_key();
	window_set_region(XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_LOCAL_WRITE |
			  XRDMA_ACCESS_ZERO_BASED);
	window_alloc(XRDMA_MW_TYPE_2B);
	window_bind_of(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window.bind.info.addr = 64;
	window_expect_executed();
	pair_set_write(64, 256);
	send_wr.rkey = window.key;
	send_wr.remote_addr = 64;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* Several windows of all types overlap on one region. Each key allows what its window allows. */
Test(window, overlapping)
{
	struct xrdma_mw *mws[3];
	__u32 keys[3];

	for (int i = 0; i < 3; i++) {
		window_alloc(XRDMA_MW_TYPE_1 + i);
		window_expect_bound(64 * i, 256,
				    i == 2 ? XRDMA_ACCESS_REMOTE_READ : XRDMA_ACCESS_REMOTE_WRITE);
		mws[i] = window.mw;
		keys[i] = window.key;
		window.mw = NULL;
	}
	for (int i = 0; i < 2; i++) {
		window.key = keys[i];
		window_write(192, 64);
		expect_int(xrdma_mw_dealloc(mws[i]), ==, 0);
	}
	window.mw = mws[2];
	window.key = keys[2];
	window_expect_refused(192, 64);
}

/* Windows are only for peers: they have no L_Key. */
Test(window, is_for_peers_only)
{
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ);
	pair_set_send(64, 256);
	recv_sge.lkey = window.key;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	pair_connect(4, 1024);
	send_sge = (struct xrdma_sge){ (uintptr_t)pair.target + 64, 256, window.key };
	expect_int(xrdma_qp_post_send(pair.b.qp, &send_wr, &send_bad), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY_RIGHTS);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * States of memory windows of B and of their keys (IBA 10.6.7), and the objects that they keep in
 * use.
 */
#include <errno.h>
#include <stdint.h>

#include "support/test.h"
#include "support/window.h"

TestSuite(window_state, .once = pair_open, .end = pair_close, .init = window_start,
	  .fini = window_stop);

/*
 * The library chooses keys of type 1. Each bind brings a new key, and the old one becomes invalid.
 */
Test(window_state, type_1_bound_again)
{
	__u32 before;

	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	before = window.key;
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(64, 256);
	window.key = before;
	window_expect_refused(64, 256);
}

/* A bind of length 0 without a region unbinds the window. It can be bound again. */
Test(window_state, type_1_bound_to_nothing)
{
	__u32 before;

	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	before = window.key;
	window_end_key();
	window_expect_refused(64, 256);
	window.key = before;
	window_expect_refused(64, 256);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(64, 256);
}

static void expect_type_2_states(enum xrdma_mw_type type)
{
	__u32 before;

	window_alloc(type);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	before = window.key;
	window_invalidate(before);
	window_expect_refused(64, 256);
	if (type == XRDMA_MW_TYPE_2A)
		return;
	window_expect_bound(128, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(128, 256);
	window.key = before;
	window_expect_refused(128, 256);
}

/*
 * The program chooses the low byte of a key of type 2. The next key may be another one, or the
 * same.
 */
Test(window_state, type_2_bound_again)
{
	expect_type_2_states(XRDMA_MW_TYPE_2A);
	expect_type_2_states(XRDMA_MW_TYPE_2B);
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_invalidate(window.key);
	window.key = (window.key & 0xffffff00) | ((window.key - 1) & 0xff);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(64, 256);
}

/* Either side may invalidate a key of type 2 that is valid or free (IBA 10.6.5). */
Test(window_state, invalidated)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_2A; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_invalidate(window.key);
		window_invalidate_by_peer(window.key);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		window_invalidate_by_peer(window.key);
		window_invalidate_by_peer(window.key);
		window_invalidate(window.key);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		window_write(64, 256);
		window_invalidate(window.key);
		window_expect_refused(64, 256);
	}
}

static void expect_region_in_use(void)
{
	expect_error(xrdma_mr_close(window.region), EBUSY, "1 windows are bound");
	window_write(64, 256);
}

/* A region cannot be closed while windows are bound to it. */
Test(window_state, keeps_its_region)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		window_alloc(type);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		expect_region_in_use();
		window_dealloc();
		window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
		window_alloc(type);
		window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		expect_region_in_use();
		window_end_key();
		window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
	}
}

/* A region can be closed once a peer has invalidated the key of its window. */
Test(window_state, releases_its_region)
{
	struct xrdma_mr *region = window.region;

	window_alloc(XRDMA_MW_TYPE_2A);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect_region_in_use();
	window_invalidate_by_peer(window.key);
	expect_int(xrdma_mr_close(region), ==, 0);
	window.region = NULL;
	window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_end_key();
}

static void expect_qp_in_use(void)
{
	expect_error(side_modify(&pair.b, XRDMA_QPS_RESET, XRDMA_QP_STATE), EBUSY, "type 2A");
	expect_error(xrdma_qp_destroy(pair.b.qp), EBUSY, "1 bound windows of type 2A");
	window_write(64, 256);
}

/*
 * Bound windows of type 2A keep their queue pair from being reset or destroyed, until either side
 * ends them.
 */
Test(window_state, type_2a_keeps_its_queue_pair)
{
	window_alloc(XRDMA_MW_TYPE_2A);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect_qp_in_use();
	window_invalidate(window.key);
	pair_connect(4, 1024);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect_qp_in_use();
	window_invalidate_by_peer(window.key);
	pair_connect(4, 1024);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect_qp_in_use();
	window_dealloc();
	pair_connect(4, 1024);
}

/* Windows of type 1 and 2B do not prevent RESET, which does not change them. */
Test(window_state, others_do_not)
{
	window_alloc(XRDMA_MW_TYPE_1);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	pair_connect(4, 1024);
	window_write(64, 256);
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	pair_connect(4, 1024);
	window_write(64, 256);
}

/*
 * The key of a window of type 2B becomes invalid with its queue pair, because another one may get
 * the QPN.
 */
Test(window_state, type_2b_without_its_queue_pair)
{
	struct xrdma_mkey_row *row;

	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	row = side_key(&pair.b, window.key);
	side_destroy(&pair.b);
	expect_int(row->state, ==, XRDMA_MKEY_STATE_FREE);
	side_create(&pair.b);
	pair_connect(4, 1024);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(64, 256);
}

/* Windows belong to a domain, which cannot be freed before them. */
Test(window_state, of_a_domain)
{
	struct xrdma_mw *mws[16];
	struct xrdma_pd *pd;
	int count = 0;

	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	while (count < 16 && !xrdma_mw_alloc(pd, XRDMA_MW_TYPE_1, &mws[count]))
		count++;
	expect_error(xrdma_mw_alloc(pd, XRDMA_MW_TYPE_1, &window.mw), ENOMEM,
		     "keys of the context");
	window.mw = NULL;
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "windows");
	while (count)
		expect_int(xrdma_mw_dealloc(mws[--count]), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Windows and mkeys whose memory is scattered in the heap, on both sides. tests/net/rc.sh runs it.
 */
#include <stdint.h>

#include "support/mkey.h"
#include "support/scattered.h"
#include "support/test.h"
#include "support/window.h"

enum { PAGE = 4096 };

TestSuite(scattered, .once = pair_open, .end = pair_close, .init = scattered_start,
	  .fini = scattered_stop);

/*
 * Expect a window of type TYPE on LENGTH bytes of the region. The region begins in any page; the
 * window ends where the range does.
 */
static void expect_window(enum xrdma_mw_type type, __u32 offset, __u32 length)
{
	window_alloc(type);
	window_expect_bound(offset, length, XRDMA_ACCESS_REMOTE_WRITE);
	window_write(offset, length);
	window_write(offset + length - 1, 1);
	window_expect_refused(offset, length + 1);
}

Test(scattered, windows)
{
	window_start();
	expect(side_key(&pair.b, xrdma_mr_key(window.region))->offset & XRDMA_PAGED);
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++) {
		expect_window(type, 0, PAIR_BYTES - 1);
		expect_window(type, 5 * PAGE + 10, 9 * PAGE + 100);
		expect_window(type, 3 * PAGE - 100, 64);
	}
	window_stop();
}

/* A list has parts that begin and end in any page. */
Test(scattered, list)
{
	mkey_start();
	const struct xrdma_sge parts[] = { mkey_part(PAGE - 600, 3 * PAGE), mkey_part(100, 1),
					   mkey_part(7 * PAGE, 2 * PAGE + 300) };

	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 3, parts);
	mkey_expect_configured();
	mkey_write(0, 5 * PAGE + 301);
	mkey_expect_part(PAGE - 600, 3 * PAGE, 0);
	mkey_expect_part(100, 1, 3 * PAGE);
	mkey_expect_part(7 * PAGE, 2 * PAGE + 300, 3 * PAGE + 1);
	pair_expect_written(0, 0);
	mkey_expect_refused(1, 5 * PAGE + 301);
	mkey_stop();
}

/* Some blocks of an interleaved mkey lie in two pages. */
Test(scattered, interleaved)
{
	enum { ROUNDS = 30, BLOCK = 1000, SKIP = 300 };

	mkey_start();
	const struct xrdma_mr_interleaved blocks = mkey_block(77, BLOCK, SKIP);

	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, ROUNDS, 1, &blocks);
	mkey_expect_configured();
	mkey_write(0, ROUNDS * BLOCK);
	for (int i = 0; i < ROUNDS; i++)
		mkey_expect_part(77 + i * (BLOCK + SKIP), BLOCK, i * BLOCK);
	pair_expect_written(0, 0);
	mkey_expect_refused(1, ROUNDS * BLOCK);
	mkey_stop();
}

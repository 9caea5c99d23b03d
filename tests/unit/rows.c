// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Rows of a table that are taken and freed one at a time. */
#include "lib/rows.h"
#include "support/test.h"

Test(rows, each_once_and_none_that_is_reserved)
{
	enum { FIRST = 2, COUNT = 1000 };
	bool seen[COUNT] = { false };
	struct xrdma_rows rows;

	expect_int(xrdma_rows_init(&rows, FIRST, COUNT), ==, 0);
	for (int i = FIRST; i < COUNT; i++) {
		__u32 row = i % 2 ? xrdma_rows_take_random(&rows) : xrdma_rows_take(&rows);

		expect(row >= FIRST && row < COUNT);
		expect(!seen[row]);
		seen[row] = true;
	}
	expect_int(xrdma_rows_take(&rows), ==, XRDMA_ROWS_NONE);
	expect_int(xrdma_rows_take_random(&rows), ==, XRDMA_ROWS_NONE);
	xrdma_rows_give(&rows, 77);
	expect_int(xrdma_rows_take_random(&rows), ==, 77);
	xrdma_rows_exit(&rows);
}

/* A row that was freed is not the next one: 1000 random rows are not in order. */
Test(rows, random_ones)
{
	enum { COUNT = 1 << 20 };
	struct xrdma_rows rows;
	int ascending = 0;
	__u32 last = 0;

	expect_int(xrdma_rows_init(&rows, 0, COUNT), ==, 0);
	for (int i = 0; i < 1000; i++) {
		__u32 row = xrdma_rows_take_random(&rows);

		xrdma_rows_give(&rows, row);
		ascending += row > last;
		last = row;
	}
	expect(ascending > 100 && ascending < 900);
	xrdma_rows_exit(&rows);
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An address range of B (region.h) whose pages a test maps and unmaps after registration. */
#ifndef XRDMA_TESTS_DEMAND_H
#define XRDMA_TESTS_DEMAND_H

#include "region.h"

enum {
	DEMAND_PAGE = 4096,
	DEMAND_PAGES = 132,
	/*
	 * Page at a multiple of 2 MiB. A fault on one side of it brings no pages of the other side.
	 */
	DEMAND_BORDER = 66,
};
_Static_assert(DEMAND_PAGES *DEMAND_PAGE > PAIR_BYTES, "some pages are never used");

/* Fixtures of a test: region_start(), and a range without any memory. */
void demand_start(void);
void demand_stop(void);

/* Returns the address of page NUMBER. */
__u8 *demand_page(int number);

/* Map COUNT pages, beginning with page NUMBER, and fill them with VALUE; or unmap them. */
void demand_map(int number, int count, int value);
void demand_unmap(int number, int count);

/* Map COUNT pages that other processes may share (MAP_SHARED). */
void demand_map_shared(int number, int count);

/* Register the whole range as B's region. */
void demand_reg(void);

/* Refresh COUNT pages of the region, beginning with page NUMBER. */
void demand_refresh(int number, int count);

/* Connect both again. Set send_wr to a request of A for 64 bytes at OFFSET of the region. */
void demand_set_request(enum xrdma_wr_opcode opcode, __u32 offset);

/* Expect that A can write and read 64 bytes in page NUMBER, or that it cannot. */
void demand_expect_reached(int number);
void demand_expect_missing(int number);
void demand_expect_missing_at(__u32 offset);

#endif

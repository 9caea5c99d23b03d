/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An address range of B's (region.h), in which memory comes and goes. */
#ifndef XRDMA_TESTS_AREA_H
#define XRDMA_TESTS_AREA_H

#include "region.h"

enum {
	AREA_PAGE = 4096,
	AREA_PAGES = 132,
	/* Page of the range that begins at a multiple of 2 MiB: what is on both sides is not looked
	 * for at once, when it is missed. */
	AREA_BORDER = 66,
};
_Static_assert(AREA_PAGES *AREA_PAGE > PAIR_BYTES, "some pages are never used");

/* Fixtures of each test: region_start(), and the range, in which there is no memory. */
void area_start(void);
void area_stop(void);

__u8 *area_page(int number);

/* COUNT pages are memory, of which each byte is VALUE; or not mapped. */
void area_map(int number, int count, int value);
void area_unmap(int number, int count);

/* COUNT pages are not the process's alone. */
void area_map_shared(int number, int count);

/* The region becomes all of it. */
void area_reg(void);
void area_refresh(int number, int count);

/* wr is a request of A's for 64 bytes at OFFSET of the region. Both are connected anew. */
void area_set_request(enum xrdma_wr_opcode opcode, __u32 offset);

/* A writes and reads in the page, or cannot, 64 bytes. */
void area_expect_reached(int number);
void area_expect_missing(int number);
void area_expect_missing_at(__u32 offset);

#endif

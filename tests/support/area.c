// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "area.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "apart.h"
#include "test.h"

enum { BYTES = AREA_PAGES * AREA_PAGE, RESERVED = BYTES + XRDMA_HEAP_ELEMENT };

static __u8 *reserved, *area;

void area_start(void)
{
	const uintptr_t border = AREA_BORDER * AREA_PAGE;

	region_start();
	p.a.attr.rnr_retry = p.b.attr.rnr_retry = 7; /* without end */
	reserved = mmap(apart(), RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(reserved != MAP_FAILED);
	area = reserved + (-((uintptr_t)reserved + border) & (XRDMA_HEAP_ELEMENT - 1));
}

void area_stop(void)
{
	region_stop();
	munmap(reserved, RESERVED);
}

__u8 *area_page(int number)
{
	return area + number * AREA_PAGE;
}

static void map(int number, int count, int flags)
{
	expect(mmap(area_page(number), count * AREA_PAGE, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == area_page(number));
}

void area_map(int number, int count, int value)
{
	map(number, count, MAP_PRIVATE);
	memset(area_page(number), value, count * AREA_PAGE);
}

void area_map_shared(int number, int count)
{
	map(number, count, MAP_SHARED);
}

void area_unmap(int number, int count)
{
	expect_int(munmap(area_page(number), count * AREA_PAGE), ==, 0);
}

void area_reg(void)
{
	const struct iovec all = { area, BYTES };

	region_regv(&all, 1, REGION_ACCESS);
	region.own_base = (uintptr_t)area;
}

void area_refresh(int number, int count)
{
	const struct iovec portion = { area_page(number), count * AREA_PAGE };

	expect_msg(xrdma_mr_refresh(region.mr, &portion, 1, 0) == 0, "%s", xrdma_error());
}

void area_set_request(enum xrdma_wr_opcode opcode, __u32 offset)
{
	pair_connect(4, 1024);
	region_set_write(offset % AREA_PAGE, 64);
	wr.opcode = opcode;
	wr.remote_addr = region.base + offset;
}

void area_expect_reached(int number)
{
	const __u32 at = 70 + number;

	area_set_request(XRDMA_WR_RDMA_WRITE, number * AREA_PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(number) + at, p.source + at, 64));
	area_set_request(XRDMA_WR_RDMA_READ, number * AREA_PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(area_page(number) + at, p.source + at, 64));
}

void area_expect_missing_at(__u32 offset)
{
	area_set_request(XRDMA_WR_RDMA_WRITE, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
	area_set_request(XRDMA_WR_RDMA_READ, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
}

void area_expect_missing(int number)
{
	area_expect_missing_at(number * AREA_PAGE + 100);
}

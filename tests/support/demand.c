// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "demand.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "distant.h"
#include "test.h"

enum { BYTES = DEMAND_PAGES * DEMAND_PAGE, RESERVED = BYTES + XRDMA_HEAP_ELEMENT };

static __u8 *reserved, *area;

void demand_start(void)
{
	const uintptr_t border = DEMAND_BORDER * DEMAND_PAGE;

	region_start();
	pair.a.attr.rnr_retry = pair.b.attr.rnr_retry = 7; /* retry for ever */
	reserved = mmap(distant_address(), RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(reserved != MAP_FAILED);
	area = reserved + (-((uintptr_t)reserved + border) & (XRDMA_HEAP_ELEMENT - 1));
}

void demand_stop(void)
{
	region_stop();
	munmap(reserved, RESERVED);
}

__u8 *demand_page(int number)
{
	return area + number * DEMAND_PAGE;
}

static void map(int number, int count, int flags)
{
	expect(mmap(demand_page(number), count * DEMAND_PAGE, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == demand_page(number));
}

void demand_map(int number, int count, int value)
{
	map(number, count, MAP_PRIVATE);
	memset(demand_page(number), value, count * DEMAND_PAGE);
}

void demand_map_shared(int number, int count)
{
	map(number, count, MAP_SHARED);
}

void demand_unmap(int number, int count)
{
	expect_int(munmap(demand_page(number), count * DEMAND_PAGE), ==, 0);
}

void demand_reg(void)
{
	const struct iovec all = { area, BYTES };

	region_regv(&all, 1, REGION_ACCESS);
	region.own_base = (uintptr_t)area;
}

void demand_refresh(int number, int count)
{
	const struct iovec portion = { demand_page(number), count * DEMAND_PAGE };

	expect_msg(xrdma_mr_refresh(region.mr, &portion, 1, 0) == 0, "%s", xrdma_error());
}

void demand_set_request(enum xrdma_wr_opcode opcode, __u32 offset)
{
	pair_connect(4, 1024);
	region_set_write(offset % DEMAND_PAGE, 64);
	send_wr.opcode = opcode;
	send_wr.remote_addr = region.base + offset;
}

void demand_expect_reached(int number)
{
	const __u32 at = 70 + number;

	demand_set_request(XRDMA_WR_RDMA_WRITE, number * DEMAND_PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(number) + at, pair.source + at, 64));
	demand_set_request(XRDMA_WR_RDMA_READ, number * DEMAND_PAGE + at);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(demand_page(number) + at, pair.source + at, 64));
}

void demand_expect_missing_at(__u32 offset)
{
	demand_set_request(XRDMA_WR_RDMA_WRITE, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
	demand_set_request(XRDMA_WR_RDMA_READ, offset);
	pair_expect(XRDMA_WC_REM_OP_ERR);
}

void demand_expect_missing(int number)
{
	demand_expect_missing_at(number * DEMAND_PAGE + 100);
}

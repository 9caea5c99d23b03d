// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Mkeys whose memory is mapped on demand. Its pages are so far apart that they are not all mapped
 * at once. tests/net/rc.sh runs it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/mkey.h"
#include "support/region.h"
#include "support/sig.h"
#include "support/buffers.h"
#include "support/test.h"

enum {
	PAGE = 4096,
	STRIDE = 2 << 20,
	ROUNDS = 16,
	BLOCK = 64,
	FIRST = 3 * PAGE - 20, /* offset of the first block; each block lies in two pages */
	BYTES = ROUNDS * STRIDE,
};

static __u8 *of_heap, *reserved;

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_PROV_KEY);
}

/* Replace the target by a range of addresses without memory, which the mkey uses. */
static void start(void)
{
	mkey_start();
	pair.a.attr.rnr_retry = pair.b.attr.rnr_retry = 7; /* retry for ever */
	pair_connect(4, 1024);
	reserved = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(reserved != MAP_FAILED);
	expect_int(xrdma_mr_close(mkey.region), ==, 0);
	expect_msg(register_buffer(pair.b.owner.pd, reserved, BYTES, REGION_ACCESS, 0, 0,
				   &mkey.region) == 0,
		   "%s", xrdma_error());
	of_heap = pair.target;
	pair.target = reserved;
}

static void stop(void)
{
	pair.target = of_heap;
	mkey_stop();
	munmap(reserved, BYTES);
}

TestSuite(demand_mkey, .once = open_domain, .end = region_close, .init = start, .fini = stop);

static __u8 *block(int number)
{
	return reserved + FIRST + number * STRIDE;
}

static void map_block(int number)
{
	expect(mprotect(reserved + number * STRIDE + 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE) ==
	       0);
}

static void map_all(void)
{
	for (int i = 0; i < ROUNDS; i++)
		map_block(i);
}

static void configure(void)
{
	const struct xrdma_mr_interleaved blocks = mkey_block(FIRST, BLOCK, STRIDE - BLOCK);

	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE | MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, ROUNDS, 1, &blocks);
	mkey_expect_configured();
}

static void set_request(enum xrdma_wr_opcode opcode)
{
	pair_set_write(0, ROUNDS * BLOCK);
	send_wr.opcode = opcode;
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	send_sge.lkey = xrdma_mr_key(mkey.local);
}

/* A packet misses 32 pages. It is executed when it is sent again. */
Test(demand_mkey, written)
{
	configure();
	map_all();
	set_request(XRDMA_WR_RDMA_WRITE);
	pair_expect(XRDMA_WC_SUCCESS);
	for (int i = 0; i < ROUNDS; i++)
		expect(!memcmp(block(i), pair.source + i * BLOCK, BLOCK));
}

/* If one of the pages cannot be mapped, the packet is refused, and changes nothing. */
Test(demand_mkey, written_in_part)
{
	static const __u8 zeroes[BLOCK];

	configure();
	for (int i = 0; i < ROUNDS; i++)
		if (i != 5)
			map_block(i);
	set_request(XRDMA_WR_RDMA_WRITE);
	pair_expect(XRDMA_WC_REM_OP_ERR);
	map_block(5);
	for (int i = 0; i < ROUNDS; i++)
		expect(!memcmp(block(i), zeroes, BLOCK));
}

Test(demand_mkey, read)
{
	configure();
	map_all();
	for (int i = 0; i < ROUNDS; i++)
		memset(block(i), i + 1, BLOCK);
	set_request(XRDMA_WR_RDMA_READ);
	pair_expect(XRDMA_WC_SUCCESS);
	for (int i = 0; i < ROUNDS * BLOCK; i++)
		expect_int(pair.source[i], ==, i / BLOCK + 1);
}

/* A receive needs memory only for the bytes that arrive. */
Test(demand_mkey, received)
{
	configure();
	for (int i = 0; i < 4; i++)
		map_block(i);
	pair_set_send(0, 4 * BLOCK);
	send_sge.lkey = xrdma_mr_key(mkey.local);
	recv_sge = (struct xrdma_sge){ 0, ROUNDS * BLOCK, mkey.key };
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 4 * BLOCK);
	for (int i = 0; i < 4; i++)
		expect(!memcmp(block(i), pair.source + i * BLOCK, BLOCK));
}

/* B's own requests map pages, too: a READ into the mkey, and a WRITE from other pages. */
Test(demand_mkey, local)
{
	struct xrdma_sge memory = { 0, ROUNDS * BLOCK, mkey.key };

	configure();
	mkey_allow_b();
	map_all();
	mkey_post(XRDMA_WR_RDMA_READ, &memory, XRDMA_WC_SUCCESS);
	for (int i = 0; i < ROUNDS; i++)
		expect(!memcmp(block(i), pair.source + i * BLOCK, BLOCK));
}

Test(demand_mkey, local_source)
{
	struct xrdma_sge memory = { 0, ROUNDS * BLOCK, mkey.key };

	configure();
	mkey_allow_b();
	map_all();
	for (int i = 0; i < ROUNDS; i++)
		memset(block(i), i + 1, BLOCK);
	mkey_post(XRDMA_WR_RDMA_WRITE, &memory, XRDMA_WC_SUCCESS);
	for (int i = 0; i < ROUNDS * BLOCK; i++)
		expect_int(pair.source[i], ==, i / BLOCK + 1);
}

/* Data may be transformed on the way. Both domains have the same fields here. */
Test(demand_mkey, transformed)
{
	const struct xrdma_sig_block_domain crc = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512);
	const struct xrdma_sig_block_attr attr = {
		.sz = sizeof(attr),
		.mem = &crc,
		.wire = NULL,
		.check_mask = 0xff,
	};
	const struct xrdma_sge parts[3] = { mkey_part(FIRST, 200), mkey_part(FIRST + STRIDE, 200),
					    mkey_part(FIRST + 2 * STRIDE, 116) };
	__u8 plain[512], in_memory[516];
	const struct xrdma_sig to_mem = sig_of(&crc, NULL, 0);
	struct xrdma_sge memory = { 0, sizeof(plain), 0 };

	mkey_create(XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	mkey_begin(3);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE | MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 3, parts);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	mkey_expect_configured();
	map_all();
	mkey_allow_b();
	memory.lkey = mkey.key;
	arc4random_buf(plain, sizeof(plain));
	sig_receive(&to_mem, sizeof(plain), plain, in_memory);
	memcpy(pair.source, plain, sizeof(plain));
	mkey_post(XRDMA_WR_RDMA_READ, &memory, XRDMA_WC_SUCCESS);
	expect(!memcmp(block(0), in_memory, 200));
	expect(!memcmp(block(1), in_memory + 200, 200));
	expect(!memcmp(block(2), in_memory + 400, 116));
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Domains without XRDMA_MR_MODE_LOCAL, in a process with a registration cache: messages are stored
 * in the program's own memory. tests/net/cache.sh runs this between namespaces a and b.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "peer_view.h"
#include "support/no_local.h"
#include "support/test.h"

enum {
	MODE = XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_PROV_KEY,
	MUCH = 100 << 10,
};

static __u8 from[PAIR_BYTES];

static void open_bare(void)
{
	no_local_open(MODE);
}

static void start(void)
{
	no_local_start(from, map_at(NULL, PAIR_BYTES));
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_READ;
	pair_connect(4, 4096);
}

static void stop(void)
{
	munmap(pair.target, PAIR_BYTES);
	pair_stop();
}

TestSuite(no_local, .once = open_bare, .end = no_local_close, .init = start, .fini = stop);

/*
 * Post a receive of LEN bytes. Afterwards its memory is in the heap and cached, or not, as KEPT
 * says.
 */
static void post_recv(__u32 len, bool kept)
{
	pair_set_send(0, len);
	recv_sge.lkey = NO_LOCAL_KEY;
	expect_msg(pair_post_recv() == 0, "%s", xrdma_error());
	expect(is_cached(pair.target) == kept);
}

static void send_it(__u32 len)
{
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, len);
	pair_expect_written(0, len);
}

Test(no_local, in_place)
{
	for (int i = 0; i < 20; i++) { /* the context has 16 keys */
		post_recv(MUCH, true);
		send_it(MUCH);
		expect(is_cached(pair.target));
	}
}

Test(no_local, little_is_copied)
{
	post_recv(16 << 10, false);
	send_it(16 << 10);
	expect(!is_cached(pair.target));
}

/* One of the segments has no memory. */
Test(no_local, segments)
{
	struct xrdma_sge sges[3];

	pair_set_send(0, 2 * MUCH);
	for (int i = 0; i < 3; i += 2)
		sges[i] = (struct xrdma_sge){ (uintptr_t)pair.target + i / 2 * MUCH, MUCH,
					      NO_LOCAL_KEY };
	sges[1] = (struct xrdma_sge){ .lkey = NO_LOCAL_KEY };
	recv_wr.sg_list = sges;
	recv_wr.num_sge = 3;
	pair_send_once();
	pair_expect_written(0, 2 * MUCH);
	expect(is_cached(pair.target) && is_cached(pair.target + 2 * MUCH - 1));
}

/* A message is received into two mappings, of which only one can be registered. */
Test(no_local, what_cannot_be_registered_is_copied)
{
	expect(mmap(pair.target, 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == pair.target);
	for (int i = 0; i < 3; i++) {
		post_recv(MUCH, false);
		send_it(MUCH);
	}
}

Test(no_local, read)
{
	__u8 *const read = map_at(NULL, PAIR_BYTES);

	arc4random_buf(pair.b.owner.memory, MUCH);
	send_wr = (struct xrdma_send_wr){
		.wr_id = 1,
		.sg_list = &(struct xrdma_sge){ (uintptr_t)read, MUCH, NO_LOCAL_KEY },
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_READ,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_addr = (uintptr_t)pair.b.owner.memory,
	};
	expect_int(xrdma_mr_close(pair.target_mr), ==, 0);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.b.owner.memory, MUCH,
				XRDMA_ACCESS_REMOTE_READ, &pair.target_mr),
		   ==, 0);
	send_wr.rkey = xrdma_mr_key(pair.target_mr);
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(read, pair.b.owner.memory, MUCH));
	expect(is_cached(read));
	munmap(read, PAIR_BYTES);
}

/* Without a cache, memory of failed requests belongs to the program again. */
static void open_without(void)
{
	setenv("XRDMA_MR_CACHE_MONITOR", "disabled", 1);
	no_local_open(MODE);
}

TestSuite(no_local_uncached, .once = open_without, .end = no_local_close, .init = start,
	  .fini = stop);

Test(no_local_uncached, all_is_copied)
{
	post_recv(MUCH, false);
	send_it(MUCH);
}

static void open_limited(void)
{
	setenv("XRDMA_MR_CACHE_MONITOR", "memhooks", 1);
	setenv("XRDMA_MR_CACHE_MAX_SIZE", "65536", 1);
	no_local_open(MODE);
}

TestSuite(no_local_limited, .once = open_limited, .end = no_local_close, .init = start,
	  .fini = stop);

Test(no_local_limited, what_would_not_be_kept_is_copied)
{
	post_recv(MUCH, false);
	send_it(MUCH);
	post_recv(60 << 10, true);
	send_it(60 << 10);
}

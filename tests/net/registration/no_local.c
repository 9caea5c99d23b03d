// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Domains without FI_MR_LOCAL (fi_mr(3)): memory of the program's own requests is not registered,
 * and its keys are ignored. The tests run between namespaces a and b, where xa and xb are loaded;
 * tests/net/rc.sh runs it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/no_local.h"
#include "support/buffers.h"
#include "support/test.h"

enum {
	MODE = XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_PROV_KEY,
	REMOTE_ACCESS =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
};

static __u8 from[PAIR_BYTES], into[PAIR_BYTES];

static void open_bare(void)
{
	no_local_open(MODE);
}

static void start(void)
{
	no_local_start(from, into);
}

TestSuite(no_local, .once = open_bare, .end = no_local_close, .init = start, .fini = pair_stop);

Test(no_local, sends)
{
	pair_every_size(no_local_send);
}

static void write_from(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(no_local, writes)
{
	pair.target = pair.b.owner.memory;
	memset(pair.target, 0, PAIR_BYTES);
	pair_every_size(write_from);
}

/* Exchange the roles: A's requests for data come from B. */
static void start_fetches(void)
{
	no_local_open(MODE);
	pair.b.attr.access = REMOTE_ACCESS;
}

static struct xrdma_mr *remote;

/* Let READs and atomics fetch B's memory into memory of A that has no key. */
static void start_fetch(void)
{
	no_local_start(NULL, into);
	pair.source = pair.b.owner.memory;
	arc4random_buf(pair.source, PAIR_BYTES);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.source, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | REMOTE_ACCESS, &remote),
		   ==, 0);
	pair.rkey = xrdma_mr_key(remote);
	pair.b.attr.access = REMOTE_ACCESS;
	pair_connect(4, 1024);
}

static void stop_fetch(void)
{
	expect_int(xrdma_mr_close(remote), ==, 0);
	pair_stop();
}

TestSuite(no_local_fetch, .once = start_fetches, .end = no_local_close, .init = start_fetch,
	  .fini = stop_fetch);

static void read_into(__u32 offset, __u32 len)
{
	pair_set_read(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(no_local_fetch, reads)
{
	pair_every_size(read_into);
}

Test(no_local_fetch, atomics)
{
	__u64 *const word = (__u64 *)pair.source, held = 7;

	*word = 5;
	pair_set_fetch_add(0, 3);
	send_sge.addr = (uintptr_t)&held;
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(held, ==, 5);
	send_wr.opcode = XRDMA_WR_ATOMIC_CMP_AND_SWP;
	send_wr.compare_add = 8;
	send_wr.swap = 1;
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(held, ==, 8);
	expect_int(*word, ==, 1);
}

/* Divide LEN bytes into three segments, one of which has no bytes and no memory. */
static void cut(struct xrdma_sge sges[3], const __u8 *at, __u32 len)
{
	sges[0] = (struct xrdma_sge){ (uintptr_t)at, len / 3, NO_LOCAL_KEY };
	sges[1] = (struct xrdma_sge){ .lkey = NO_LOCAL_KEY };
	sges[2] = (struct xrdma_sge){ (uintptr_t)at + len / 3, len - len / 3, 0 };
}

Test(no_local_fetch, segments)
{
	struct xrdma_sge sges[3];

	pair_set_read(100, 7777);
	cut(sges, pair.target + 100, 7777);
	send_wr.sg_list = sges;
	send_wr.num_sge = 3;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(100, 7777);
}

/* A message does not change the rest of its receive. */
Test(no_local, segments)
{
	struct xrdma_sge sges[3], recv_sges[3];

	pair_set_send(64, 6000);
	cut(sges, pair.source + 64, 6000);
	cut(recv_sges, pair.target + 64, 9000);
	send_wr.sg_list = sges;
	recv_wr.sg_list = recv_sges;
	send_wr.num_sge = recv_wr.num_sge = 3;
	pair_send_once();
	pair_expect_written(64, 6000);
}

/* Requests work with read-only memory, and with memory of a function's stack. */
Test(no_local, any_memory)
{
	static const char sent[] = "what is sent";
	char received[sizeof(sent)];

	pair_set_send(0, sizeof(sent));
	send_sge.addr = (uintptr_t)sent;
	recv_sge.addr = (uintptr_t)received;
	pair_send_once();
	expect(!memcmp(sent, received, sizeof(sent)));
	send_wr.flags |= XRDMA_SEND_INLINE;
	memset(received, 0, sizeof(received));
	pair_send_once();
	expect(!memcmp(sent, received, sizeof(sent)));
}

/* Lost packets are sent again from the same memory. */
Test(no_local, sent_again)
{
	pair_set_send(64, 5000);
	expect_int(pair_post_recv(), ==, 0);
	pair_lose_request();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 5000);
	pair_expect_written(64, 5000);
}

/* A message that is too long does not change the memory. */
Test(no_local, too_long)
{
	pair_set_send(64, 5000);
	recv_sge.length = 4999;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_REM_INV_REQ_ERR);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_LEN_ERR);
	pair_expect_written(0, 0);
}

/* Expect that all room of the heaps is free again. */
static void expect_room(void)
{
	const struct side *sides[] = { &pair.a, &pair.b };
	void *bytes;

	for (int i = 0; i < 2; i++) {
		struct xrdma_context *context = sides[i]->owner.context;

		expect_msg(xrdma_alloc(context, 1500 << 10, 64, &bytes) == 0, "%s", xrdma_error());
		expect_int(xrdma_free(context, bytes), ==, 0);
	}
}

/* Receives that are flushed or forgotten give back their room, and change no memory. */
Test(no_local, flushed)
{
	expect_room();
	for (int i = 0; i < 20; i++) {
		pair_set_send(0, 400 << 10);
		expect_int(pair_post_recv(), ==, 0);
		expect_int(pair_post_recv(), ==, 0);
		if (i % 2) {
			side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE);
			recv_sge.length = 3 << 20; /* no heap has room for this */
			expect_int(pair_post_recv(), ==, 0);
			pair_poll_recv(3);
			expect_int(recv_wc[2].status, ==, XRDMA_WC_WR_FLUSH_ERR);
		}
		pair_connect(4, 1024);
		expect_room();
	}
	pair_expect_written(0, 0);
	no_local_send(0, 400 << 10);
	pair_expect_written(0, 400 << 10);
	expect_room();
}

/* READs that are flushed do not change the memory. */
Test(no_local_fetch, flushed)
{
	expect_room();
	for (int i = 0; i < 20; i++) {
		pair_set_read(0, 400 << 10);
		pair_lose_request();
		if (i % 2) {
			side_modify(&pair.a, XRDMA_QPS_ERR, XRDMA_QP_STATE);
			pair_poll(1);
			expect_int(send_wc[0].status, ==, XRDMA_WC_WR_FLUSH_ERR);
		}
		pair_connect(4, 1024);
		expect_room();
	}
	pair_expect_written(0, 0);
}

/* Receives without room are refused. The others are not affected. */
Test(no_local, no_room)
{
	pair_set_send(0, 300);
	recv_sge.length = 3 << 20;
	expect_error(pair_post_recv(), ENOMEM, "the heap");
	expect(recv_bad == &recv_wr);
	recv_sge.length = 300;
	pair_send_once();
	pair_expect_written(0, 300);
	expect_room();
}

/* Open a domain with keys only for memory of devices. */
static void open_hmem(void)
{
	no_local_open(MODE | XRDMA_MR_MODE_HMEM);
}

TestSuite(no_local_hmem, .once = open_hmem, .end = no_local_close, .init = start,
	  .fini = pair_stop);

Test(no_local_hmem, sends)
{
	no_local_send(64, 5000);
	pair_expect_written(64, 5000);
}

/* Open a domain without any mode: regions begin at address 0, and have user keys. */
static void open_scalable(void)
{
	no_local_open(XRDMA_MR_MODE_SCALABLE);
}

TestSuite(no_local_scalable, .once = open_scalable, .end = no_local_close, .init = start,
	  .fini = pair_stop);

Test(no_local_scalable, read_and_write)
{
	struct xrdma_mr *mr;

	pair.b.attr.access = REMOTE_ACCESS;
	pair_connect(4, 1024);
	expect_msg(register_buffer(pair.b.owner.pd, into, PAIR_BYTES,
				   XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE, 7, 0,
				   &mr) == 0,
		   "%s", xrdma_error());
	pair.rkey = 7;
	pair_set_write(64, 5000);
	send_wr.remote_addr = 64;
	pair_expect(XRDMA_WC_SUCCESS);
	expect(!memcmp(into + 64, from + 64, 5000));
	memset(from, 0, PAIR_BYTES);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 5000);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

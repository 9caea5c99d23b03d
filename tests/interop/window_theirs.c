// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory windows of another implementation (IBA 10.6.7), which we use: types 1 and 2 of Soft-RoCE.
 */
#include <stdint.h>

#include "support/mixed.h"
#include "support/test.h"

enum { TYPES = 2 };

static struct window {
	struct ibv_mw *mw;
	__u32 key; /* its last key */
} window;

static void start(void)
{
	mixed_start();
	window.mw = NULL;
}

static void dealloc(void)
{
	expect_int(ibv_dealloc_mw(window.mw), ==, 0);
	window.mw = NULL;
}

static void stop(void)
{
	if (window.mw)
		dealloc();
	mixed_stop();
}

TestSuite(window_theirs, .once = mixed_open, .end = mixed_close, .init = start, .fini = stop);

static void bind_window(__u32 offset, __u32 len, unsigned int access)
{
	const struct ibv_mw_bind_info info = {
		.mr = mixed.theirs.mr,
		.addr = (uintptr_t)mixed.theirs.memory + offset,
		.length = len,
		.mw_access_flags = access,
	};
	struct ibv_mw_bind type_1 = { .send_flags = IBV_SEND_SIGNALED, .bind_info = info };
	struct ibv_send_wr type_2 = { .opcode = IBV_WR_BIND_MW };

	if (window.mw->type == IBV_MW_TYPE_1) {
		expect_int(ibv_bind_mw(mixed.theirs.qp, window.mw, &type_1), ==, 0);
		expect_int(theirs_poll().status, ==, IBV_WC_SUCCESS);
		window.key = window.mw->rkey;
	} else {
		window.key = type_2.bind_mw.rkey = ibv_inc_rkey(window.key);
		type_2.bind_mw.mw = window.mw;
		type_2.bind_mw.bind_info = info;
		expect_int(theirs_execute(&type_2).status, ==, IBV_WC_SUCCESS);
	}
}

static void bind_new(int i, __u32 offset, __u32 len, unsigned int access)
{
	if (window.mw) {
		dealloc();
		mixed_connect(&mixed.ours);
	}
	window.mw = ibv_alloc_mw(mixed.theirs.pd, IBV_MW_TYPE_1 + i);
	expect(window.mw);
	window.key = window.mw->rkey;
	bind_window(offset, len, access);
}

Tests(window_theirs, inside, TYPES)
{
	bind_new(i, 64, 3000, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	expect(ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 3000));
	expect(ours_access(XRDMA_WR_RDMA_WRITE, window.key, 3063, 1));
	expect(ours_access(XRDMA_WR_RDMA_READ, window.key, 64, 3000));
}

/* Soft-RoCE checks only the bounds of the region, not those of the window (docs/interop.md). */
Tests(window_theirs, outside, TYPES)
{
	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	expect(!ours_access(XRDMA_WR_RDMA_WRITE, window.key, MIXED_BYTES - 1, 2));
}

Tests(window_theirs, rights, TYPES)
{
	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_READ);
	expect(ours_access(XRDMA_WR_RDMA_READ, window.key, 64, 256));
	expect(!ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 256));
	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	expect(!ours_access(XRDMA_WR_RDMA_READ, window.key, 64, 256));
	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	expect(!ours_access(XRDMA_WR_ATOMIC_FETCH_AND_ADD, window.key, 64, 8));
	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_ATOMIC);
	expect(ours_access(XRDMA_WR_ATOMIC_FETCH_AND_ADD, window.key, 64, 8));
}

/* A bind of length 0 ends a window of type 1, a local invalidate one of type 2. */
Tests(window_theirs, ended, TYPES)
{
	struct ibv_send_wr invalidate = { .opcode = IBV_WR_LOCAL_INV };
	__u32 before;

	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	before = window.key;
	if (window.mw->type == IBV_MW_TYPE_1) {
		bind_window(64, 256, IBV_ACCESS_REMOTE_WRITE);
		expect(ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 256));
	} else {
		invalidate.invalidate_rkey = before;
		expect_int(theirs_execute(&invalidate).status, ==, IBV_WC_SUCCESS);
	}
	expect(!ours_access(XRDMA_WR_RDMA_WRITE, before, 64, 256));
}

/* Soft-RoCE acknowledges that it should invalidate a key of type 1 too (docs/interop.md). */
Tests(window_theirs, ended_by_us, TYPES)
{
	struct xrdma_send_wr wr = { .opcode = XRDMA_WR_SEND_WITH_INV };
	struct ibv_wc received;

	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	theirs_receive();
	wr.invalidate_key = window.key;
	expect_int(ours_execute(&wr).status, ==, XRDMA_WC_SUCCESS);
	received = theirs_poll();
	expect_int(received.wr_id, ==, 7);
	if (window.mw->type == IBV_MW_TYPE_1) {
		expect_int(received.status, ==, IBV_WC_REM_INV_REQ_ERR);
		return;
	}
	expect_int(received.status, ==, IBV_WC_SUCCESS);
	expect_int(received.invalidated_rkey, ==, window.key);
	expect(!ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 256));
}

/* Another queue pair of the domain may use a window of type 1, but not one of type 2. */
Tests(window_theirs, by_another_queue_pair, TYPES)
{
	struct ibv_qp *own = mixed.theirs.qp, *other = theirs_create_qp();

	bind_new(i, 64, 256, IBV_ACCESS_REMOTE_WRITE);
	expect(ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 256));
	mixed.theirs.qp = other;
	mixed_connect(&mixed.ours);
	expect(ours_access(XRDMA_WR_RDMA_WRITE, window.key, 64, 256) ==
	       (window.mw->type == IBV_MW_TYPE_1));
	mixed.theirs.qp = own;
	expect_int(ibv_destroy_qp(other), ==, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory windows of ours (IBA 10.6.7), which another implementation uses. Each test runs for each
 * type.
 */
#include <errno.h>
#include <stdint.h>

#include <xrdma/mw.h>

#include "support/mixed.h"
#include "support/test.h"

enum { TYPES = 3, READ_MAX = 64 /* the longest READ that our XDP program answers to Soft-RoCE */ };

static struct window {
	struct xrdma_mw *mw;
	enum xrdma_mw_type type;
	__u32 key; /* its last key */
} window;

static void start(void)
{
	mixed_start();
	window.mw = NULL;
}

/*
 * Free the window. A bound window of type 2A would keep its queue pair from being connected again.
 */
static void dealloc(void)
{
	expect_int(xrdma_mw_dealloc(window.mw), ==, 0);
	window.mw = NULL;
}

static void stop(void)
{
	if (window.mw)
		dealloc();
	mixed_stop();
}

TestSuite(window_ours, .once = mixed_open, .end = mixed_close, .init = start, .fini = stop);

static void alloc(int i)
{
	window.type = XRDMA_MW_TYPE_1 + i;
	expect_int(xrdma_mw_alloc(mixed.ours.owner.pd, window.type, &window.mw), ==, 0);
	window.key = xrdma_mw_key(window.mw);
}

static void bind_window(__u32 offset, __u32 len, unsigned int access)
{
	const struct xrdma_mw_bind_info info = {
		.mr = mixed.mr,
		.addr = (uintptr_t)mixed.ours.owner.memory + offset,
		.length = len,
		.access = access,
	};
	const struct xrdma_mw_bind type_1 = { .flags = XRDMA_SEND_SIGNALED, .info = info };
	struct xrdma_send_wr type_2 = {
		.opcode = XRDMA_WR_BIND_MW,
		.rkey = xrdma_inc_rkey(window.key),
		.mw = window.mw,
		.bind_info = info,
	};

	if (window.type == XRDMA_MW_TYPE_1) {
		expect_msg(!xrdma_mw_bind(mixed.ours.qp, window.mw, &type_1), "%s", xrdma_error());
		expect_int(ours_poll().status, ==, XRDMA_WC_SUCCESS);
		window.key = xrdma_mw_key(window.mw);
	} else {
		expect_int(ours_execute(&type_2).status, ==, XRDMA_WC_SUCCESS);
		window.key = type_2.rkey;
	}
}

static void bind_new(int i, __u32 offset, __u32 len, unsigned int access)
{
	if (window.mw) {
		dealloc();
		mixed_connect(&mixed.ours);
	}
	alloc(i);
	bind_window(offset, len, access);
}

Tests(window_ours, inside, TYPES)
{
	bind_new(i, 64, 3000, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ);
	expect(theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 3000));
	expect(theirs_access(IBV_WR_RDMA_WRITE, window.key, 3063, 1));
	expect(theirs_access(IBV_WR_RDMA_READ, window.key, 3000, READ_MAX));
}

/* A WRITE within the region, but outside the window, is refused. */
Tests(window_ours, outside, TYPES)
{
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect(!theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 257));
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect(!theirs_access(IBV_WR_RDMA_WRITE, window.key, 63, 1));
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_READ);
	expect(!theirs_access(IBV_WR_RDMA_READ, window.key, 300, READ_MAX));
}

Tests(window_ours, rights, TYPES)
{
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_READ);
	expect(theirs_access(IBV_WR_RDMA_READ, window.key, 64, READ_MAX));
	expect(!theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 256));
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect(!theirs_access(IBV_WR_RDMA_READ, window.key, 64, READ_MAX));
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect(!theirs_access(IBV_WR_ATOMIC_FETCH_AND_ADD, window.key, 64, 8));
	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_ATOMIC);
	expect(theirs_access(IBV_WR_ATOMIC_FETCH_AND_ADD, window.key, 64, 8));
}

/* A bind of length 0 ends a window of type 1, a local invalidate one of type 2. */
Tests(window_ours, ended, TYPES)
{
	struct xrdma_send_wr invalidate = { .opcode = XRDMA_WR_LOCAL_INV };
	__u32 before;

	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	before = window.key;
	if (window.type == XRDMA_MW_TYPE_1) {
		bind_window(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
		expect(theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 256));
	} else {
		invalidate.invalidate_key = before;
		expect_int(ours_execute(&invalidate).status, ==, XRDMA_WC_SUCCESS);
	}
	expect(!theirs_access(IBV_WR_RDMA_WRITE, before, 64, 256));
}

/* Only the process may end a key of type 1 (IBA 10.6.5). The sender gets an error. */
Tests(window_ours, ended_by_peer, TYPES)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV };
	struct xrdma_wc received;
	struct ibv_wc sent;

	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	ours_receive();
	wr.invalidate_rkey = window.key;
	sent = theirs_execute(&wr);
	received = ours_poll();
	expect_int(received.wr_id, ==, 7);
	if (window.type == XRDMA_MW_TYPE_1) {
		expect_int(sent.status, ==, IBV_WC_REM_ACCESS_ERR);
		expect_int(received.status, ==, XRDMA_WC_REM_INV_REQ_ERR);
		return;
	}
	expect_int(sent.status, ==, IBV_WC_SUCCESS);
	expect_int(received.status, ==, XRDMA_WC_SUCCESS);
	expect_int(received.flags, ==, XRDMA_WC_WITH_INV);
	expect_int(received.invalidated_key, ==, window.key);
	expect(!theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 256));
}

/* Another queue pair of the domain may use a window of type 1, but not one of type 2. */
Tests(window_ours, by_another_queue_pair, TYPES)
{
	struct side other = { .owner = mixed.ours.owner };

	bind_new(i, 64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect(theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 256));
	side_create(&other);
	mixed_connect(&other);
	expect(theirs_access(IBV_WR_RDMA_WRITE, window.key, 64, 256) ==
	       (window.type == XRDMA_MW_TYPE_1));
	side_destroy(&other);
}

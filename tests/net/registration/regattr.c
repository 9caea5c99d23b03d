// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Traffic with regions of fi_mr(3): by user keys and addresses from 0 on, of several buffers, with
 * each permission alone. tests/net/rc.sh runs it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "support/region.h"
#include "support/test.h"

enum { PAGE = 4096, KEY = REGION_KEY, ALL_ACCESS = REGION_ACCESS };

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED);
}

TestSuite(regattr, .once = open_domain, .end = region_close, .init = region_start,
	  .fini = region_stop);

Test(regattr, by_requested_key)
{
	region_reg(ALL_ACCESS);
	region_every_operation();
}

/*
 * In a domain whose events need no configuration, accesses are counted as soon as the counter is
 * bound.
 */
Test(regattr, counted)
{
	struct xrdma_cntr *cntr;

	region_reg(ALL_ACCESS);
	region_write(0, 64);
	expect_int(xrdma_cntr_open(pair.b.owner.pd, &cntr), ==, 0);
	region_write(0, 64);
	expect_int(xrdma_mr_bind_cntr(region.mr, cntr, XRDMA_REMOTE_WRITE), ==, 0);
	region_write(0, 64);
	expect_int(xrdma_cntr_read(cntr), ==, 1);
	expect_int(xrdma_cntr_close(cntr), ==, 0);
}

/* An access without the right, or out of bounds, is refused. */
Test(regattr, refused)
{
	region_reg(ALL_ACCESS);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, PAIR_BYTES - 63, 64);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, ~0ULL, 64);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, (uintptr_t)pair.target, 64);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY + 1, 0, 64);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, xrdma_mr_lkey(region.mr), (uintptr_t)pair.target,
			      64);
	region_end();
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, 0, 64);
}

/* READs, WRITEs and atomics of peers each need their own permission. */
Test(regattr, remote_access)
{
	region_reg(ALL_ACCESS & ~XRDMA_ACCESS_REMOTE_READ);
	region_expect_refused(XRDMA_WR_RDMA_READ, KEY, 0, 64);
	region_reg(XRDMA_ACCESS_REMOTE_WRITE);
	pair_connect(4, 1024);
	region_write(0, 64);
	pair_expect_written(0, 64);
	region_add(0, XRDMA_WC_REM_ACCESS_ERR);
	region_reg(XRDMA_ACCESS_REMOTE_ATOMIC);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, 0, 64);
	pair_connect(4, 1024);
	region_add(8, XRDMA_WC_SUCCESS);
	expect_int(pair.target[8], ==, 1);
	pair.target[8] = 0;
}

/* Let B post a request for 64 bytes of its target, and expect STATUS. */
static void expect_local(enum xrdma_wr_opcode opcode, enum xrdma_wc_status status)
{
	const unsigned int access =
		XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE;
	const struct xrdma_sge data = { (uintptr_t)pair.target, 64, xrdma_mr_lkey(region.mr) };
	struct xrdma_send_wr request = {
		.sg_list = &data,
		.num_sge = 1,
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_addr = (uintptr_t)pair.source,
	};
	struct xrdma_mr *open_to_b;

	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, 64, access, &open_to_b), ==, 0);
	request.rkey = xrdma_mr_key(open_to_b);
	pair.a.attr.access = access;
	pair_connect(4, 1024);
	recv_sge = (struct xrdma_sge){ (uintptr_t)pair.source, 64, xrdma_mr_lkey(open_to_b) };
	recv_wr = (struct xrdma_recv_wr){ .sg_list = &recv_sge, .num_sge = 1 };
	expect_int(xrdma_qp_post_recv(pair.a.qp, &recv_wr, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == status, "opcode %d: '%s'", opcode,
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(xrdma_mr_close(open_to_b), ==, 0);
}

/* Let A SEND into the target, to which B has posted a receive, and expect STATUS. */
static void expect_received(enum xrdma_wc_status status)
{
	pair_connect(4, 1024);
	pair_set_send(0, 64);
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, status);
}

static void expect_allowed(__u64 access, __u64 each, enum xrdma_wr_opcode opcode)
{
	enum xrdma_wc_status status = access & each ? XRDMA_WC_SUCCESS : XRDMA_WC_LOC_PROT_ERR;

	if (each == XRDMA_ACCESS_RECV)
		expect_received(status);
	else
		expect_local(opcode, status);
}

/*
 * B's own accesses work or fail as its permissions say, with each permission alone, and with all
 * but one.
 */
Test(regattr, local_access)
{
	const __u64 each[] = { XRDMA_ACCESS_SEND, XRDMA_ACCESS_WRITE, XRDMA_ACCESS_READ,
			       XRDMA_ACCESS_RECV };
	const enum xrdma_wr_opcode opcodes[] = { XRDMA_WR_SEND, XRDMA_WR_RDMA_WRITE,
						 XRDMA_WR_RDMA_READ, 0 };

	for (int i = 0; i < 8; i++) {
		__u64 access = i < 4 ? each[i] : ALL_ACCESS & ~each[i - 4];

		region_reg(access);
		for (int k = 0; k < 4; k++)
			expect_allowed(access, each[k], opcodes[k]);
	}
}

/* Several buffers act like one, at every length and MTU. */
Test(regattr, buffers)
{
	struct iovec iov[REGION_BUFFERS];

	region_cut(iov);
	region_regv(iov, REGION_BUFFERS, ALL_ACCESS);
	region.own_base = 0;
	region_every_operation();
	region_expect_refused(XRDMA_WR_RDMA_WRITE, KEY, PAIR_BYTES - 63, 64);
	region_reg(0);
}

/* Buffers of the heap and of malloc() alternate, in random order. */
Test(regattr, mixed_buffers)
{
	enum { EACH = 2 * PAGE + 9, COUNT = 6 };
	__u8 *memory = malloc(COUNT * EACH);
	struct iovec iov[COUNT];

	for (int i = 0; i < COUNT; i++) {
		const size_t at = (i * 5 + 1) % COUNT * EACH;

		iov[i] = (struct iovec){ (i % 2 ? memory : pair.target) + at, EACH };
	}
	region_regv(iov, COUNT, ALL_ACCESS);
	pair_connect(4, 1024);
	region_write(0, COUNT * EACH);
	for (int i = 0; i < COUNT; i++) {
		expect(!memcmp(iov[i].iov_base, pair.source + i * EACH, EACH));
		memset(iov[i].iov_base, 0, EACH);
	}
	region_write(EACH - 1, 2);
	expect_int(((__u8 *)iov[0].iov_base)[EACH - 1], ==, pair.source[EACH - 1]);
	expect_int(((__u8 *)iov[1].iov_base)[0], ==, pair.source[EACH]);
	region_end();
	free(memory);
}

/* Requests that are in progress fail when their region is closed. Here: a receive that waits. */
Test(regattr, closed_under_a_receive)
{
	region_reg(ALL_ACCESS);
	pair_connect(4, 1024);
	pair_set_send(0, 5000);
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	expect_int(pair_post_recv(), ==, 0);
	region_end();
	pair_expect(XRDMA_WC_REM_OP_ERR);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	pair_expect_written(0, 0);
}

/* A SEND that was lost fails when its region is closed. */
Test(regattr, closed_under_a_send)
{
	struct xrdma_sge data;
	const struct xrdma_send_wr send = {
		.sg_list = &data,
		.num_sge = 1,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
	};

	region_reg(ALL_ACCESS);
	pair_connect(4, 1024);
	data = (struct xrdma_sge){ (uintptr_t)pair.target, 64, xrdma_mr_lkey(region.mr) };
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &send, &send_bad), ==, 0);
	region_end();
	link_restore(&pair.a);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
}

/* A READ fails when its region is closed before the response. */
Test(regattr, closed_under_a_read)
{
	struct xrdma_mr *remote;

	expect_int(
		xrdma_mr_reg(pair.a.owner.pd, pair.source, 64, XRDMA_ACCESS_REMOTE_READ, &remote),
		==, 0);
	region_reg(ALL_ACCESS);
	pair_read_unanswered(remote, xrdma_mr_lkey(region.mr));
	region_end();
	pair_answer_read();
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	pair_expect_written(0, 0);
	expect_int(xrdma_mr_close(remote), ==, 0);
}

/* A peer's WRITE fails when its region is closed after one window of 128 packets. */
Test(regattr, closed_under_a_write)
{
	enum { WINDOW = 128 << 10 };

	region_reg(ALL_ACCESS);
	pair_connect(4, 1024);
	region_set_write(0, PAIR_BYTES);
	expect_int(pair_post(), ==, 0);
	region_end();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
	pair_expect_written(0, WINDOW);
}

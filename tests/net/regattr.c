// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Traffic with regions as fi_mr(3) has them: by requested keys and from 0 on, of several buffers,
 * with each permission alone; tests/net/rc.sh runs it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/pair.h"
#include "support/test.h"

enum {
	PAGE = 4096,
	BUFFERS = 64,
	KEY = 0x1001, /* that B requests */
	ALL_ACCESS = XRDMA_MR_ACCESS_READ | XRDMA_MR_ACCESS_WRITE | XRDMA_MR_ACCESS_RECV |
		     XRDMA_MR_ACCESS_SEND | XRDMA_MR_ACCESS_REMOTE_READ |
		     XRDMA_MR_ACCESS_REMOTE_WRITE,
};

static struct xrdma_pd *verbs_pd; /* of B's owner, which has another */

/* B's domain is one for requested keys. */
static void open_domain(void)
{
	struct xrdma_pd_attr attr = {
		.sz = sizeof(attr),
		.mr_mode = XRDMA_MR_LOCAL | XRDMA_MR_ALLOCATED,
	};

	pair_open_with(2 * BUFFERS);
	verbs_pd = p.b.owner.pd;
	expect_int(xrdma_pd_open(p.b.owner.context, &attr, &p.b.owner.pd), ==, 0);
}

static void close_domain(void)
{
	expect_int(xrdma_pd_dealloc(p.b.owner.pd), ==, 0);
	p.b.owner.pd = verbs_pd;
	pair_close();
}

static struct xrdma_mr *local; /* of A: all of the source, which may be written */
static struct xrdma_mr *mr;    /* of B */

static void start(void)
{
	pair_start();
	/* What its queue pair allows is not what is tested. */
	p.b.attr.access =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
	pair_connect(4, 1024);
	expect_int(
		xrdma_reg_mr(p.a.owner.pd, p.source, PAIR_BYTES, XRDMA_ACCESS_LOCAL_WRITE, &local),
		==, 0);
	p.lkey = xrdma_mr_lkey(local);
	mr = NULL;
}

static void end(void)
{
	if (mr)
		expect_int(xrdma_mr_close(mr), ==, 0);
	mr = NULL;
}

static void stop(void)
{
	end();
	expect_int(xrdma_mr_close(local), ==, 0);
	pair_stop();
}

TestSuite(regattr, .once = open_domain, .end = close_domain, .init = start, .fini = stop);

static void regv(const struct iovec *iov, size_t count, __u64 access)
{
	end();
	expect_msg(xrdma_mr_regv(p.b.owner.pd, iov, count, access, 0, KEY, 0, &mr, NULL) == 0, "%s",
		   xrdma_error());
	expect_int(xrdma_mr_key(mr), ==, KEY);
}

static void reg(__u64 access)
{
	const struct iovec all = { p.target, PAIR_BYTES };

	regv(&all, 1, access);
}

/* Peers name it by the requested key, from 0 on. */
static void set_write(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	wr.rkey = KEY;
	wr.remote_addr = offset;
}

static void write_one(__u32 offset, __u32 len)
{
	set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

/* And read what is B's. */
static void read_one(__u32 offset, __u32 len)
{
	memcpy(p.target + offset, p.source + offset, len);
	memset(p.source + offset, 0, len);
	set_write(offset, len);
	wr.opcode = XRDMA_WR_RDMA_READ;
	pair_expect(XRDMA_WC_SUCCESS);
}

/* B names it by addresses, but where it has several buffers. */
static __u64 base_for_b;

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_sge.lkey = xrdma_mr_lkey(mr);
	recv_sge.addr = base_for_b + offset;
	pair_send_once();
}

static void every_operation(void)
{
	pair_every_size(write_one);
	pair_every_size(send_one);
	pair_every_size(read_one);
}

Test(regattr, by_requested_key)
{
	reg(ALL_ACCESS);
	base_for_b = (uintptr_t)p.target;
	every_operation();
}

/* What a key did not allow, and what is beyond. A new message of a key that ended is refused. */
static void expect_refused(enum xrdma_wr_opcode opcode, __u32 key, __u64 addr, __u32 len)
{
	pair_connect(4, 1024);
	set_write(0, len);
	wr.opcode = opcode;
	wr.rkey = key;
	wr.remote_addr = addr;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(regattr, refused)
{
	reg(ALL_ACCESS);
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, PAIR_BYTES - 63, 64);
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, ~0ULL, 64);
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, (uintptr_t)p.target, 64);
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY + 1, 0, 64);
	expect_refused(XRDMA_WR_RDMA_WRITE, xrdma_mr_lkey(mr), (uintptr_t)p.target, 64);
	end();
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, 0, 64);
}

/* A word of B's, to which A adds. */
static void add_one(__u32 offset, enum xrdma_wc_status status)
{
	pair_connect(4, 1024);
	set_write(0, 8);
	wr.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	wr.compare_add = 1;
	wr.remote_addr = offset;
	pair_expect(status);
}

/* Of what peers do: reading is one permission, writing and atomics the other. */
Test(regattr, remote_access)
{
	reg(ALL_ACCESS & ~XRDMA_MR_ACCESS_REMOTE_WRITE);
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, 0, 64);
	add_one(0, XRDMA_WC_REM_ACCESS_ERR);
	reg(XRDMA_MR_ACCESS_REMOTE_WRITE);
	pair_connect(4, 1024);
	write_one(0, 64);
	pair_expect_written(0, 64);
	add_one(8, XRDMA_WC_SUCCESS);
	expect_int(p.target[8], ==, 1);
	p.target[8] = 0;
	expect_refused(XRDMA_WR_RDMA_READ, KEY, 0, 64);
}

/* B posts a request for 64 bytes of its target, which its key allows or not. */
static void expect_local(enum xrdma_wr_opcode opcode, enum xrdma_wc_status status)
{
	const unsigned int access =
		XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE;
	const struct xrdma_sge data = { (uintptr_t)p.target, 64, xrdma_mr_lkey(mr) };
	struct xrdma_send_wr request = {
		.sg_list = &data,
		.num_sge = 1,
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_addr = (uintptr_t)p.source,
	};
	struct xrdma_mr *open_to_b;

	expect_int(xrdma_reg_mr(p.a.owner.pd, p.source, 64, access, &open_to_b), ==, 0);
	request.rkey = xrdma_mr_key(open_to_b);
	p.a.attr.access = access;
	pair_connect(4, 1024);
	recv_sge = (struct xrdma_sge){ (uintptr_t)p.source, 64, xrdma_mr_lkey(open_to_b) };
	recv_wr = (struct xrdma_recv_wr){ .sg_list = &recv_sge, .num_sge = 1 };
	expect_int(xrdma_qp_post_recv(p.a.qp, &recv_wr, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_send(p.b.qp, &request, &bad), ==, 0);
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == status, "opcode %d: '%s'", opcode,
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(xrdma_mr_close(open_to_b), ==, 0);
}

/* A SEND of A's into it, which B's receive allows or not. */
static void expect_received(enum xrdma_wc_status status)
{
	pair_connect(4, 1024);
	pair_set_send(0, 64);
	recv_sge.lkey = xrdma_mr_lkey(mr);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, status);
}

static void expect_allowed(__u64 access, __u64 each, enum xrdma_wr_opcode opcode)
{
	enum xrdma_wc_status status = access & each ? XRDMA_WC_SUCCESS : XRDMA_WC_LOC_PROT_ERR;

	if (each == XRDMA_MR_ACCESS_RECV)
		expect_received(status);
	else
		expect_local(opcode, status);
}

/* Of what B does itself, each permission alone, and all but each. */
Test(regattr, local_access)
{
	const __u64 each[] = { XRDMA_MR_ACCESS_SEND, XRDMA_MR_ACCESS_WRITE, XRDMA_MR_ACCESS_READ,
			       XRDMA_MR_ACCESS_RECV };
	const enum xrdma_wr_opcode opcodes[] = { XRDMA_WR_SEND, XRDMA_WR_RDMA_WRITE,
						 XRDMA_WR_RDMA_READ, 0 };

	for (int i = 0; i < 8; i++) {
		__u64 access = i < 4 ? each[i] : ALL_ACCESS & ~each[i - 4];

		reg(access);
		for (int k = 0; k < 4; k++)
			expect_allowed(access, each[k], opcodes[k]);
	}
}

/* The target in BUFFERS pieces, of which each begins where the one before ended. */
static void cut(struct iovec *iov)
{
	__u32 at = 0;

	for (__u32 i = 0; i < BUFFERS; i++) {
		const __u32 len = i < BUFFERS - 1 ? 1 + i * 211 : PAIR_BYTES - at;

		iov[i] = (struct iovec){ p.target + at, len };
		at += len;
	}
}

/* It is as if the buffers were one, at every length and MTU. */
Test(regattr, buffers)
{
	struct iovec iov[BUFFERS];

	cut(iov);
	regv(iov, BUFFERS, ALL_ACCESS);
	base_for_b = 0;
	every_operation();
	expect_refused(XRDMA_WR_RDMA_WRITE, KEY, PAIR_BYTES - 63, 64);
	reg(0);
}

/* Of the heap and of malloc(), by turns, and in no order. */
Test(regattr, mixed_buffers)
{
	enum { EACH = 2 * PAGE + 9, COUNT = 6 };
	__u8 *memory = malloc(COUNT * EACH);
	struct iovec iov[COUNT];

	for (int i = 0; i < COUNT; i++) {
		const size_t at = (i * 5 + 1) % COUNT * EACH;

		iov[i] = (struct iovec){ (i % 2 ? memory : p.target) + at, EACH };
	}
	regv(iov, COUNT, ALL_ACCESS);
	pair_connect(4, 1024);
	write_one(0, COUNT * EACH);
	for (int i = 0; i < COUNT; i++) {
		expect(!memcmp(iov[i].iov_base, p.source + i * EACH, EACH));
		memset(iov[i].iov_base, 0, EACH);
	}
	write_one(EACH - 1, 2);
	expect_int(((__u8 *)iov[0].iov_base)[EACH - 1], ==, p.source[EACH - 1]);
	expect_int(((__u8 *)iov[1].iov_base)[0], ==, p.source[EACH]);
	end();
	free(memory);
}

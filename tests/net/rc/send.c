// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SEND and WRITE with immediate over the wire. tests/net/rc.sh runs it. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>

#include "support/pair.h"
#include "support/xdp_run.h"
#include "support/test.h"

static void start(void)
{
	pair_start();
	pair_set_send(64, 256);
}

TestSuite(send, .once = pair_open, .init = start, .fini = pair_stop, .end = pair_close);

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_wr.wr_id = 100 + len;
	pair_send_once();
	expect_int(recv_wc[0].byte_len, ==, len);
	expect_int(recv_wc[0].flags, ==, 0);
}

Test(send, every_size)
{
	pair_every_size(send_one);
}

/* Three pieces that do not end at packet boundaries receive a message, and some room remains. */
Test(send, scatters)
{
	struct xrdma_sge pieces[3] = { recv_sge, recv_sge, recv_sge };

	pair_set_send(64, 3000);
	pieces[0].length = 1500;
	pieces[1].addr += 100000;
	pieces[1].length = 1;
	pieces[2].addr += 1600;
	pieces[2].length = 5000;
	recv_wr.sg_list = pieces;
	recv_wr.num_sge = 3;
	pair_send_once();
	expect(!memcmp(pair.target + 64, pair.source + 64, 1500));
	expect_int(pair.target[100064], ==, pair.source[1564]);
	expect(!memcmp(pair.target + 1664, pair.source + 1565, 1499));
	memset(pair.target + 64, 0, 1500);
	memset(pair.target + 1664, 0, 1499);
	pair.target[100064] = 0;
	pair_expect_written(0, 0);
}

/* Let B send a message of no bytes to A, whose receives have no memory. */
static void send_back(int number)
{
	const struct xrdma_recv_wr nowhere = { .wr_id = 100 + number };
	const struct xrdma_send_wr nothing = { .wr_id = 200 + number, .opcode = XRDMA_WR_SEND };

	expect_int(xrdma_qp_post_recv(pair.a.qp, &nowhere, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_send(pair.b.qp, &nothing, &send_bad), ==, 0);
	expect_int(xrdma_cq_poll(pair.b.cq, 8, recv_wc), ==, 0);
}

/*
 * Both queues complete into A's completion queue, in the order of completion. Neither waits until
 * the other is empty.
 */
Test(send, completions_in_one_order)
{
	int number = 0, writes = 0;

	pair_set_write(64, 256);
	send_back(number++);
	send_back(number++);
	pair_post();
	for (int i = 0; i < 2; i++) {
		pair_poll(1);
		expect_int(send_wc[0].wr_id, ==, 100 + i);
		send_back(number++);
	}
	pair_poll(1);
	expect_int(send_wc[0].wr_id, ==, 1);
	pair_poll(1);
	expect_int(send_wc[0].wr_id, ==, 102);
	for (int i = 0; i < 20; i++) {
		pair_post();
		send_back(number++);
		pair_poll(2);
		writes += (send_wc[0].opcode == XRDMA_WC_RDMA_WRITE) +
			  (send_wc[1].opcode == XRDMA_WC_RDMA_WRITE);
	}
	expect_int(writes, >=, 19);
}

Test(send, immediate)
{
	for (__u32 len = 0; len < 5000; len += 2500) {
		pair_set_send(64, len);
		send_wr.opcode = XRDMA_WR_SEND_WITH_IMM;
		send_wr.imm = htonl(0x01020304 + len);
		pair_send_once();
		expect_int(recv_wc[0].flags, ==, XRDMA_WC_WITH_IMM);
		expect_int(recv_wc[0].imm, ==, htonl(0x01020304 + len));
		pair_expect_written(64, len);
	}
}

/* IBA 9.7.4.2: a WRITE with immediate uses a receive, but does not write to its memory. */
Test(send, write_with_immediate)
{
	for (__u32 len = 0; len < 5000; len += 2500) {
		pair_set_send(64, len);
		recv_sge.addr += 100000;
		send_wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
		send_wr.imm = htonl(len);
		expect_int(pair_post_recv(), ==, 0);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_int(send_wc[0].opcode, ==, XRDMA_WC_RDMA_WRITE);
		pair_expect_received(XRDMA_WC_RECV_RDMA_WITH_IMM, len);
		expect_int(recv_wc[0].flags, ==, XRDMA_WC_WITH_IMM);
		expect_int(recv_wc[0].imm, ==, htonl(len));
		pair_expect_written(64, len);
	}
}

/*
 * Let the sender invalidate a key by its message. When the receive completes, nothing is executed
 * under the key any more. The memory stays registered, and other keys still work, until it is
 * deregistered.
 */
static void invalidate(__u32 len)
{
	const unsigned int access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
				    XRDMA_ACCESS_REMOTE_INVALIDATE;
	struct xrdma_mr *mr;
	__u32 key;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAIR_BYTES, access, &mr), ==, 0);
	key = xrdma_mr_key(mr);
	pair_set_write(64, 256);
	send_wr.rkey = key;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	pair_set_send(64, len);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = key;
	pair_send_once();
	expect_int(recv_wc[0].flags, ==, XRDMA_WC_WITH_INV);
	expect_int(recv_wc[0].invalidated_key, ==, key);
	pair_expect_written(64, len);
	pair_set_write(64, 256);
	send_wr.rkey = key;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	expect_int(xrdma_mr_close(mr), ==, 0);
	pair_connect(4, 1024);
}

Test(send, with_invalidate)
{
	invalidate(256);
	invalidate(3000);
	invalidate(0);
}

static void poll_one(void)
{
	pair_poll_recv(1);
}

/* When a completion reports that a key is invalid, no program run uses the key any more. */
Test(send, invalidate_waits_for_runs_under_way)
{
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = pair.rkey;
	side_key(&pair.b, pair.rkey)->rights |= XRDMA_ACCESS_REMOTE_INVALIDATE;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	xdp_run_expect_waited_for(poll_one);
	expect_int(recv_wc[0].invalidated_key, ==, pair.rkey);
}

/* A sender may not invalidate the key of a region that does not allow it (IBA 10.6.5). */
Test(send, may_not_invalidate)
{
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = pair.rkey;
	expect_int(pair_post_recv(), ==, 0);
	recv_wr.wr_id = 8;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_poll_recv(2);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_REM_INV_REQ_ERR);
	expect_int(recv_wc[0].wr_id, ==, 7);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	pair_connect(4, 1024);
	pair_set_write(64, 256);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/*
 * Only solicited messages are reported as such (IBA 9.2.3). tests/net/wire.c checks the bit in the
 * packets.
 */
Test(send, solicited)
{
	pair_set_send(64, 3000);
	send_wr.flags |= XRDMA_SEND_SOLICITED;
	pair_send_once();
	pair_expect_written(64, 3000);
	pair_set_send(64, 10);
	send_wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
	send_wr.flags |= XRDMA_SEND_SOLICITED;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV_RDMA_WITH_IMM, 10);
	pair_expect_written(64, 10);
}

/* Receives are used in the order in which they were posted, many times around the ring. */
Test(send, in_order)
{
	struct xrdma_sge pieces[3];
	int posted = 0;

	for (int sent = 0; sent < 100; sent++) {
		for (; posted < sent + 3; posted++) {
			pieces[posted % 3] = recv_sge;
			pieces[posted % 3].addr = (uintptr_t)pair.target + 1000 * (posted % 3);
			recv_wr.sg_list = &pieces[posted % 3];
			recv_wr.wr_id = posted;
			expect_msg(pair_post_recv() == 0, "%s", xrdma_error());
		}
		recv_wr.wr_id = sent;
		pair_set_write(sent, 256);
		send_wr.opcode = XRDMA_WR_SEND;
		pair_expect(XRDMA_WC_SUCCESS);
		pair_expect_received(XRDMA_WC_RECV, 256);
		expect(!memcmp(pair.target + 1000 * (sent % 3), pair.source + sent, 256));
	}
}

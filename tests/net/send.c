// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SEND and WRITE with immediate over the wire; tests/net/rc.sh runs it. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "support/pair.h"

static void start(void)
{
	pair_start();
	pair_set_send(64, 256);
}

TestSuite(send, .init = start, .fini = pair_stop);

static void expect_received(enum xrdma_wc_opcode opcode, __u32 len)
{
	pair_poll_recv(1);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_SUCCESS);
	cr_expect_eq(recv_wc[0].opcode, opcode);
	cr_expect_eq(recv_wc[0].wr_id, recv_wr.wr_id);
	cr_expect_eq(recv_wc[0].byte_len, len);
	cr_expect_eq(recv_wc[0].qpn, xrdma_qp_number(p.b.qp));
}

/* One SEND of what pair_set_send() set, from post to both completions. */
static void send_once(void)
{
	cr_assert_eq(pair_post_recv(), 0, "%s", xrdma_error());
	pair_expect(XRDMA_WC_SUCCESS);
	cr_expect_eq(wc[0].opcode, XRDMA_WC_SEND);
	expect_received(XRDMA_WC_RECV, wc[0].byte_len);
}

static void send_sizes(int mtu)
{
	const __u32 sizes[] = { 0, 1, 3, 4, mtu - 1, mtu, mtu + 1, 2 * mtu, 5 * mtu + 7, 200001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pair_set_send(64 + i, sizes[i]);
		recv_wr.wr_id = 100 + i;
		send_once();
		cr_expect_eq(recv_wc[0].byte_len, sizes[i]);
		cr_expect_eq(recv_wc[0].flags, 0);
		pair_expect_written(64 + i, sizes[i]);
	}
}

Test(send, every_size)
{
	for (int mtu = XRDMA_MTU_MIN; mtu <= XRDMA_MTU_MAX; mtu *= 2)
		for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
			pair_connect(ip_version, mtu);
			send_sizes(mtu);
		}
}

/* Three pieces that do not end where packets do, and room left over. */
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
	send_once();
	cr_expect(!memcmp(p.target + 64, p.source + 64, 1500));
	cr_expect_eq(p.target[100064], p.source[1564]);
	cr_expect(!memcmp(p.target + 1664, p.source + 1565, 1499));
	memset(p.target + 64, 0, 1500);
	memset(p.target + 1664, 0, 1499);
	p.target[100064] = 0;
	pair_expect_written(0, 0);
}

Test(send, immediate)
{
	wr.opcode = XRDMA_WR_SEND_WITH_IMM;
	wr.imm = htonl(0x01020304);
	send_once();
	cr_expect_eq(recv_wc[0].flags, XRDMA_WC_WITH_IMM);
	cr_expect_eq(recv_wc[0].imm, htonl(0x01020304));
	pair_expect_written(64, 256);
}

/* 9.7.4.2: it takes a receive, whose memory is not touched. */
Test(send, write_with_immediate)
{
	for (__u32 len = 0; len < 5000; len += 2500) {
		pair_set_send(64, len);
		recv_sge.addr += 100000;
		wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
		wr.imm = htonl(len);
		cr_assert_eq(pair_post_recv(), 0);
		pair_expect(XRDMA_WC_SUCCESS);
		cr_expect_eq(wc[0].opcode, XRDMA_WC_RDMA_WRITE);
		expect_received(XRDMA_WC_RECV_RDMA_WITH_IMM, len);
		cr_expect_eq(recv_wc[0].flags, XRDMA_WC_WITH_IMM);
		cr_expect_eq(recv_wc[0].imm, htonl(len));
		pair_expect_written(64, len);
	}
}

/*
 * A key that the sender ends with its message: when the receiver learns it, nothing is carried out under it any more.
 * The memory stays registered until it is deregistered, under any other key.
 */
static void invalidate(__u32 len)
{
	const unsigned int access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
				    XRDMA_ACCESS_REMOTE_INVALIDATE;
	struct xrdma_mr *mr;
	__u32 key;

	cr_assert_eq(xrdma_mr_reg(p.b.owner.pd, p.target, PAIR_BYTES, access, &mr), 0);
	key = xrdma_mr_key(mr);
	pair_set_write(64, 256);
	wr.rkey = key;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	pair_set_send(64, len);
	wr.opcode = XRDMA_WR_SEND_WITH_INV;
	wr.invalidate_key = key;
	send_once();
	cr_expect_eq(recv_wc[0].flags, XRDMA_WC_WITH_INV);
	cr_expect_eq(recv_wc[0].invalidated_key, key);
	pair_expect_written(64, len);
	pair_set_write(64, 256);
	wr.rkey = key;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	cr_assert_eq(xrdma_mr_dereg(mr), 0);
	pair_connect(4, 1024);
}

Test(send, with_invalidate)
{
	invalidate(256);
	invalidate(3000);
	invalidate(0);
}

/* The sender may try: it has no right to end the key of any region (10.6.5). */
Test(send, may_not_invalidate)
{
	wr.opcode = XRDMA_WR_SEND_WITH_INV;
	wr.invalidate_key = p.rkey;
	cr_assert_eq(pair_post_recv(), 0);
	recv_wr.wr_id = 8;
	cr_assert_eq(pair_post_recv(), 0);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_poll_recv(2);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_REM_INV_REQ_ERR);
	cr_expect_eq(recv_wc[0].wr_id, 7);
	cr_expect_eq(recv_wc[1].status, XRDMA_WC_WR_FLUSH_ERR);
	pair_connect(4, 1024);
	pair_set_write(64, 256);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* Receives are taken in the order in which they were posted, many times around the ring. */
Test(send, in_order)
{
	struct xrdma_sge pieces[3];
	int posted = 0;

	for (int sent = 0; sent < 100; sent++) {
		for (; posted < sent + 3; posted++) {
			pieces[posted % 3] = recv_sge;
			pieces[posted % 3].addr = (uintptr_t)p.target + 1000 * (posted % 3);
			recv_wr.sg_list = &pieces[posted % 3];
			recv_wr.wr_id = posted;
			cr_assert_eq(pair_post_recv(), 0, "%s", xrdma_error());
		}
		recv_wr.wr_id = sent;
		pair_set_write(sent, 256);
		wr.opcode = XRDMA_WR_SEND;
		pair_expect(XRDMA_WC_SUCCESS);
		expect_received(XRDMA_WC_RECV, 256);
		cr_expect(!memcmp(p.target + 1000 * (sent % 3), p.source + sent, 256));
	}
}

static __u64 now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/* The sender waits as long as the receiver's timer says, and then comes again (9.7.5.2.8). */
Test(send, waits_for_a_receive)
{
	__u64 begin;

	p.b.attr.min_rnr_timer = 20; /* 10.24 ms */
	pair_connect(4, 1024);
	begin = now_us();
	cr_assert_eq(pair_post(), 0);
	cr_assert_eq(pair_post_recv(), 0);
	pair_poll(1);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	cr_expect_geq(now_us() - begin, 10240);
	expect_received(XRDMA_WC_RECV, 256);
	pair_expect_written(64, 256);
}

/* ibv_modify_qp(3): rnr_retry times, and 7 means without end. */
Test(send, gives_up_waiting)
{
	p.b.attr.min_rnr_timer = 1;
	for (int retries = 0; retries < 3; retries++) {
		p.a.attr.rnr_retry = retries;
		pair_connect(4, 1024);
		pair_expect_failure(XRDMA_WC_RNR_RETRY_EXC_ERR);
		pair_expect_states(XRDMA_QP_ERR, XRDMA_QP_RTS);
	}
	p.a.attr.rnr_retry = 7;
	pair_connect(4, 1024);
	cr_assert_eq(pair_post(), 0);
	for (int i = 0; i < 10000; i++)
		cr_assert_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
	cr_assert_eq(pair_post_recv(), 0);
	pair_poll(1);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	expect_received(XRDMA_WC_RECV, 256);
}

/* What the receiver has no room to complete waits as if no receive were posted. */
Test(send, full_completion_queue)
{
	struct xrdma_cq *small;

	cr_assert_eq(xrdma_cq_create(p.b.owner.context, 2, &small), 0);
	cr_assert_eq(xrdma_qp_destroy(p.b.qp), 0);
	p.b.init.recv_cq = small;
	cr_assert_eq(xrdma_qp_create(p.b.owner.pd, &p.b.init, &p.b.qp), 0);
	pair_connect(4, 1024);
	for (int i = 0; i < 3; i++) {
		recv_wr.wr_id = wr.wr_id = i;
		cr_assert_eq(pair_post_recv(), 0);
		cr_assert_eq(pair_post(), 0);
	}
	pair_poll(2);
	for (int i = 0; i < 10000; i++)
		cr_assert_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
	cr_assert_eq(xrdma_cq_poll(small, 8, recv_wc), 2);
	cr_expect_eq(recv_wc[1].wr_id, 1);
	pair_poll(1);
	cr_expect_eq(wc[0].wr_id, 2);
	cr_assert_eq(xrdma_cq_poll(small, 8, recv_wc), 1);
	cr_expect_eq(recv_wc[0].wr_id, 2);
	cr_assert_eq(xrdma_qp_destroy(p.b.qp), 0);
	cr_assert_eq(xrdma_cq_destroy(small), 0);
	p.b.init.recv_cq = p.b.cq;
	cr_assert_eq(xrdma_qp_create(p.b.owner.pd, &p.b.init, &p.b.qp), 0);
}

/* The receive fails, those behind it are flushed, and the sender learns it by a NAK. */
static void expect_refusal(enum xrdma_wc_status ours, enum xrdma_wc_status theirs)
{
	cr_assert_eq(pair_post_recv(), 0);
	recv_wr.wr_id = 8;
	cr_assert_eq(pair_post_recv(), 0);
	pair_expect_failure(theirs);
	pair_poll_recv(2);
	cr_expect_eq(recv_wc[0].wr_id, 7);
	cr_expect(recv_wc[0].status == ours, "'%s'", xrdma_wc_status_str(recv_wc[0].status));
	cr_expect_eq(recv_wc[1].wr_id, 8);
	cr_expect_eq(recv_wc[1].status, XRDMA_WC_WR_FLUSH_ERR);
	pair_expect_states(XRDMA_QP_ERR, XRDMA_QP_ERR);
}

Test(send, longer_than_its_receive)
{
	recv_sge.length--;
	expect_refusal(XRDMA_WC_LOC_LEN_ERR, XRDMA_WC_REM_INV_REQ_ERR);
}

/* In the last of three packets; what came before stays in the receive's memory, which is nobody's then. */
Test(send, last_longer_than_its_receive)
{
	pair_set_send(64, 3000);
	recv_sge.length--;
	cr_assert_eq(pair_post_recv(), 0);
	pair_expect(XRDMA_WC_REM_INV_REQ_ERR);
	pair_poll_recv(1);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_LOC_LEN_ERR);
	pair_expect_written(64, 2048);
}

Test(send, receive_without_a_key)
{
	recv_sge.lkey ^= 1;
	expect_refusal(XRDMA_WC_LOC_PROT_ERR, XRDMA_WC_REM_OP_ERR);
}

/* A key that ended after the receive was posted: keys are looked at when the message comes. */
Test(send, receive_whose_key_is_gone)
{
	cr_assert_eq(pair_post_recv(), 0);
	cr_assert_eq(xrdma_mr_dereg(p.target_mr), 0);
	p.target_mr = NULL;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	pair_poll_recv(1);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_LOC_PROT_ERR);
}

/* 10.3.1: in ERR what is posted is flushed, what came before is not lost. */
Test(send, flushed_in_ERR)
{
	for (recv_wr.wr_id = 7; recv_wr.wr_id < 10; recv_wr.wr_id++)
		cr_assert_eq(pair_post_recv(), 0);
	pair_expect(XRDMA_WC_SUCCESS);
	cr_assert_eq(side_modify(&p.b, XRDMA_QP_ERR, XRDMA_QP_STATE), 0);
	pair_poll_recv(3);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_SUCCESS);
	cr_expect_eq(recv_wc[0].wr_id, 7);
	for (int i = 1; i < 3; i++) {
		cr_expect_eq(recv_wc[i].status, XRDMA_WC_WR_FLUSH_ERR);
		cr_expect_eq(recv_wc[i].wr_id, 7 + i);
	}
	cr_assert_eq(pair_post_recv(), 0);
	pair_poll_recv(1);
	cr_expect_eq(recv_wc[0].status, XRDMA_WC_WR_FLUSH_ERR);
	cr_expect_eq(recv_wc[0].wr_id, 10);
}

/* 10.3.1: a reset leaves neither receives nor completions. */
Test(send, forgotten_in_RESET)
{
	cr_assert_eq(pair_post_recv(), 0);
	cr_assert_eq(pair_post_recv(), 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_connect(4, 1024);
	cr_expect_eq(xrdma_cq_poll(p.b.cq, 8, recv_wc), 0);
	recv_wr.wr_id = 9;
	send_once();
	cr_assert_eq(pair_post_recv(), 0);
	cr_assert_eq(side_modify(&p.b, XRDMA_QP_ERR, XRDMA_QP_STATE), 0);
	side_bring_to(&p.b, XRDMA_QP_RESET);
	cr_expect_eq(xrdma_cq_poll(p.b.cq, 8, recv_wc), 0);
}

Test(send, refuses_receives)
{
	struct xrdma_sge four[4] = { recv_sge, recv_sge, recv_sge, recv_sge };
	struct xrdma_recv_wr refused = { .sg_list = four, .num_sge = 4 };

	recv_wr.next = &refused;
	expect_error(pair_post_recv(), EINVAL, "num_sge is 4");
	cr_expect_eq(recv_bad, &refused);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(XRDMA_WC_RECV, 256);
	recv_wr.next = NULL;
	for (int i = 0; i < 3; i++)
		cr_assert_eq(pair_post_recv(), 0);
	expect_error(pair_post_recv(), ENOMEM, "no room for more than 3 receives");
	side_bring_to(&p.b, XRDMA_QP_RESET);
	expect_error(pair_post_recv(), EINVAL, "in RESET");
	side_bring_to(&p.b, XRDMA_QP_INIT);
	cr_expect_eq(pair_post_recv(), 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The unreliable connected service (IBA 9.8): SEND and WRITE, both with immediate. tests/net/
 * unreliable.sh runs it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "support/pair.h"
#include "support/test.h"

static void start(void)
{
	pair.a.transport = pair.b.transport = XRDMA_TRANSPORT_UC;
	pair_start();
	pair_set_send(64, 256);
}

TestSuite(uc, .once = pair_open, .init = start, .fini = pair_stop, .end = pair_close);

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	pair_send_once();
}

Test(uc, send_of_every_size)
{
	pair_every_size(send_one);
}

/* Post a WRITE with immediate, and expect that it arrives. A WRITE alone says nothing of that. */
static void write_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	send_wr.opcode = XRDMA_WR_RDMA_WRITE_WITH_IMM;
	send_wr.imm = htonl(len);
	recv_wr.num_sge = 0;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV_RDMA_WITH_IMM, len);
	expect_int(recv_wc[0].flags, ==, XRDMA_WC_WITH_IMM);
	expect_int(recv_wc[0].imm, ==, htonl(len));
}

Test(uc, write_of_every_size)
{
	pair_every_size(write_one);
}

/* A message of more packets than one call sends is continued by polling. */
Test(uc, long_message)
{
	for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
		pair_connect(ip_version, 256);
		write_one(0, PAIR_BYTES);
		pair_expect_written(0, PAIR_BYTES);
	}
}

/* A WRITE completes when it is sent. Nobody acknowledges it, but the bytes arrive. */
Test(uc, write)
{
	pair_set_write(64, 3000);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_RDMA_WRITE);
	write_one(64, 0);
	pair_expect_written(64, 3000);
}

Test(uc, immediate)
{
	send_wr.opcode = XRDMA_WR_SEND_WITH_IMM;
	send_wr.imm = htonl(0x01020304);
	pair_send_once();
	expect_int(recv_wc[0].flags, ==, XRDMA_WC_WITH_IMM);
	expect_int(recv_wc[0].imm, ==, htonl(0x01020304));
}

/* A lost message completes at its sender, and is not repeated. Its receive takes the next one. */
Test(uc, lost_message)
{
	expect_int(pair_post_recv(), ==, 0);
	pair_lose_request();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_set_send(64, 100);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 100);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

/* A message without a receive is lost. There is no RNR NAK. */
Test(uc, no_receive)
{
	pair_expect(XRDMA_WC_SUCCESS);
	send_one(64, 256);
	pair_expect_written(64, 256);
}

/* The peer refuses a WRITE in silence, and goes on (IBA 9.9.3). */
Test(uc, refused_write)
{
	pair_set_write(64, 256);
	send_wr.rkey ^= 1;
	pair_expect(XRDMA_WC_SUCCESS);
	send_one(1000, 256);
	pair_expect_written(1000, 256);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

/* A receive with a wrong key is the receiver's own error, and stops it (IBA 9.9.3). */
Test(uc, wrong_receive)
{
	recv_sge.lkey ^= 1;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_ERR);
}

/* Let B send to A, and expect that A receives it. */
static void send_back(void)
{
	const struct xrdma_recv_wr receive = { .wr_id = 100 };
	const struct xrdma_send_wr nothing = { .wr_id = 200, .opcode = XRDMA_WR_SEND };

	expect_int(xrdma_qp_post_recv(pair.a.qp, &receive, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_send(pair.b.qp, &nothing, &send_bad), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].wr_id, ==, 100);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/*
 * A request that fails by its own key moves the queue pair to SQE: later requests are flushed, but
 * it receives. The user brings it back to RTS (IBA 10.3.1, ibv_modify_qp(3)).
 */
Test(uc, send_queue_error)
{
	const __u32 lkey = send_sge.lkey;

	send_sge.lkey ^= 1;
	pair_expect_failure(XRDMA_WC_LOC_PROT_ERR);
	pair_expect_states(XRDMA_QPS_SQE, XRDMA_QPS_RTS);
	send_sge.lkey = lkey;
	pair_expect(XRDMA_WC_WR_FLUSH_ERR);
	send_back();
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	send_one(64, 256);
	send_back();
}

/* UC has no READ, no atomics and no SEND with invalidate (IBA table 35). */
Test(uc, requests_of_rc)
{
	static const enum xrdma_wr_opcode others[] = { XRDMA_WR_RDMA_READ,
						       XRDMA_WR_ATOMIC_CMP_AND_SWP,
						       XRDMA_WR_ATOMIC_FETCH_AND_ADD,
						       XRDMA_WR_SEND_WITH_INV };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		send_wr.opcode = others[i];
		expect_error(pair_post(), EOPNOTSUPP, "is not supported");
	}
}

/* In SQD requests wait (IBA 10.3.1). */
Test(uc, drained)
{
	expect_int(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_STATE), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	expect_int(xrdma_cq_poll(pair.a.cq, 8, send_wc), ==, 0);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	pair_poll(1);
	pair_expect_received(XRDMA_WC_RECV, 256);
}

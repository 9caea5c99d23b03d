// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each kind of packet, over both address families, once or a few times. tests/net/tshark.sh
 * captures them.
 */
#include <arpa/inet.h>

#include "support/pair.h"
#include "support/test.h"

/* Lengths for one packet, and for several with padding. */
static const __u32 lengths[] = { 6, 3 * 4096 + 1 };

static void connect_by(int family)
{
	if (family)
		pair_connect(6, 4096);
	else
		pair_connect(4, 1024);
}

static void execute(void (*set)(__u32 offset, __u32 len))
{
	for (int n = 0; n < 2; n++) {
		set(64, lengths[n]);
		pair_expect(XRDMA_WC_SUCCESS);
	}
}

TestSuite(wire, .once = pair_open, .init = pair_start, .fini = pair_stop, .end = pair_close);

Tests(wire, writes, 2)
{
	connect_by(i);
	execute(pair_set_write);
}

Tests(wire, messages_that_take_a_receive, 2)
{
	const enum xrdma_wr_opcode opcodes[] = {
		XRDMA_WR_SEND,
		XRDMA_WR_SEND_WITH_IMM,
		XRDMA_WR_RDMA_WRITE_WITH_IMM,
	};

	connect_by(i);
	for (size_t n = 0; n < 2 * sizeof(opcodes) / sizeof(opcodes[0]); n++) {
		pair_set_send(64, lengths[n % 2]);
		send_wr.opcode = opcodes[n / 2];
		send_wr.imm = htonl(0x01020304);
		expect_int(pair_post_recv(), ==, 0);
		pair_expect(XRDMA_WC_SUCCESS);
		pair_poll_recv(1);
	}
}

/* Two messages are solicited. In the one of several packets, the last has the bit (IBA 9.2.3). */
Test(wire, solicited)
{
	for (int n = 0; n < 2; n++) {
		pair_set_send(64, lengths[n]);
		send_wr.flags |= XRDMA_SEND_SOLICITED;
		pair_send_once();
	}
}

Tests(wire, keys_that_end, 4)
{
	struct xrdma_mr *mr;

	connect_by(i / 2);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAIR_BYTES,
				XRDMA_ACCESS_REMOTE_INVALIDATE, &mr),
		   ==, 0);
	pair_set_send(64, lengths[i % 2]);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = xrdma_mr_key(mr);
	pair_send_once();
	expect_int(xrdma_mr_close(mr), ==, 0);
}

Tests(wire, sequence_error, 2)
{
	connect_by(i);
	pair_lose_request();
	expect_int(pair_post(), ==, 0);
	pair_poll(2);
}

Tests(wire, invalid_request, 2)
{
	connect_by(i);
	pair_set_send(64, 256);
	recv_sge.length--;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_REM_INV_REQ_ERR);
}

Tests(wire, remote_access_error, 2)
{
	connect_by(i);
	send_wr.rkey ^= 1;
	pair_expect(XRDMA_WC_REM_ACCESS_ERR);
}

Tests(wire, remote_operational_error, 2)
{
	connect_by(i);
	pair_set_send(64, 256);
	recv_sge.lkey ^= 1;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_REM_OP_ERR);
}

Tests(wire, receiver_not_ready, 2)
{
	connect_by(i);
	pair_set_send(64, 256);
	expect_int(pair_post(), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_poll(1);
}

TestSuite(wire_read, .once = pair_open, .init = pair_start_read, .fini = pair_stop,
	  .end = pair_close);

Tests(wire_read, reads, 2)
{
	connect_by(i);
	execute(pair_set_read);
}

TestSuite(wire_atomic, .once = pair_open, .init = pair_start_atomic, .fini = pair_stop,
	  .end = pair_close);

Tests(wire_atomic, atomics, 2)
{
	connect_by(i);
	pair_expect(XRDMA_WC_SUCCESS);
	send_wr.opcode = XRDMA_WR_ATOMIC_CMP_AND_SWP;
	send_wr.swap = 0x0123456789abcdef;
	pair_expect(XRDMA_WC_SUCCESS);
}

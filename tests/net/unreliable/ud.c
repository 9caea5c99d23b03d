// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Datagrams (IBA 9.8.3, 10.2.5, 11.2.2, A17.4.5.2; ibv_post_send(3)). tests/net/unreliable.sh
 * runs it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/datagram.h"
#include "support/test.h"

enum { MTU = 4096 };

TestSuite(ud, .once = pair_open, .init = datagram_start, .fini = datagram_stop, .end = pair_close);

static void send_one(__u32 offset, __u32 len)
{
	datagram_set(offset, len);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_SEND);
	expect_int(send_wc[0].byte_len, ==, len);
	datagram_expect_received(len, 0);
	datagram_expect_header(offset);
	pair_expect_written(offset, len);
}

/* A datagram has at most as many bytes as the path MTU. */
Test(ud, every_size)
{
	static const __u32 sizes[] = { 0, 1, 2, 3, 4, 39, 40, 41, 255, 1024, MTU - 1, MTU };

	for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
		datagram_use_version(ip_version);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			send_one(GRH + i, sizes[i]);
		datagram_set(64, MTU + 1);
		expect_error(pair_post(), EINVAL, "the path MTU allows 4096");
	}
}

Test(ud, immediate)
{
	send_wr.opcode = XRDMA_WR_SEND_WITH_IMM;
	send_wr.imm = htonl(0x01020304);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_expect_received(DATAGRAM_BYTES, XRDMA_WC_WITH_IMM);
	expect_int(recv_wc[0].imm, ==, htonl(0x01020304));
}

/* Post a datagram that B must not receive, and expect that another one takes its receive. */
static void expect_lost(void)
{
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_set(64, DATAGRAM_BYTES);
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_expect_received(DATAGRAM_BYTES, 0);
	datagram_expect_header(64);
	pair_expect_written(64, DATAGRAM_BYTES);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

Test(ud, wrong_qkey)
{
	send_wr.remote_qkey++;
	expect_lost();
}

Test(ud, wrong_qpn)
{
	send_wr.remote_qpn = xrdma_qp_number(pair.a.qp);
	expect_lost();
}

/* The first 40 bytes count. */
Test(ud, longer_than_its_receive)
{
	send_sge.length++;
	expect_lost();
}

/* A datagram without a receive is lost. */
Test(ud, no_receive)
{
	for (int i = 0; i < 100; i++)
		pair_expect(XRDMA_WC_SUCCESS);
	send_one(64, DATAGRAM_BYTES);
}

/* A request with the upper bit in its Q_Key has the Q_Key of its queue pair (IBA 10.2.5). */
Test(ud, own_qkey)
{
	send_wr.remote_qkey = XRDMA_QKEY_PRIVILEGED | 1;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_expect_received(DATAGRAM_BYTES, 0);
}

/* The Q_Key of a queue pair can change at any time. */
Test(ud, other_qkey)
{
	pair.b.attr.qkey = SIDE_QKEY + 1;
	expect_int(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	send_wr.remote_qkey++;
	send_sge.length--;
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_expect_received(DATAGRAM_BYTES - 1, 0);
}

/* Take CAP_NET_RAW from this thread, or give it back. */
static void set_net_raw(bool is_given)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	expect_int(syscall(SYS_capget, &header, sets), ==, 0);
	sets[0].effective &= ~(__u32)CAP_TO_MASK(CAP_NET_RAW);
	if (is_given)
		sets[0].effective |= CAP_TO_MASK(CAP_NET_RAW);
	expect_int(syscall(SYS_capset, &header, sets), ==, 0);
}

/* A Q_Key with the upper bit is privileged (IBA 10.2.5). */
Test(ud, privileged_qkey)
{
	pair.b.attr.qkey = XRDMA_QKEY_PRIVILEGED | 1;
	set_net_raw(false);
	expect_error(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), EPERM,
		     "needs CAP_NET_RAW");
	set_net_raw(true);
	send_one(64, DATAGRAM_BYTES);
	expect_int(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	pair.a.attr.qkey = pair.b.attr.qkey;
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	datagram_set(64, DATAGRAM_BYTES);
	send_wr.remote_qkey = XRDMA_QKEY_PRIVILEGED;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	datagram_expect_received(DATAGRAM_BYTES, 0);
}

/* UD has only SEND (IBA table 35). */
Test(ud, requests_of_connections)
{
	static const enum xrdma_wr_opcode others[] = {
		XRDMA_WR_RDMA_WRITE,	     XRDMA_WR_RDMA_WRITE_WITH_IMM,  XRDMA_WR_RDMA_READ,
		XRDMA_WR_ATOMIC_CMP_AND_SWP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, XRDMA_WR_SEND_WITH_INV,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		send_wr.opcode = others[i];
		expect_error(pair_post(), EOPNOTSUPP, "is not supported");
	}
}

/* A request that fails by its own key moves the queue pair to SQE (IBA 10.3.1). */
Test(ud, send_queue_error)
{
	send_sge.lkey ^= 1;
	pair_expect(XRDMA_WC_LOC_PROT_ERR);
	pair_expect_states(XRDMA_QPS_SQE, XRDMA_QPS_RTS);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	datagram_set(64, DATAGRAM_BYTES);
	send_one(64, DATAGRAM_BYTES);
}

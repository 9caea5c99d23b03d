// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Address handles (IBA 11.2.2; ibv_create_ah(3)), and datagrams to several destinations. tests/net/
 * unreliable.sh runs it.
 */
#include <errno.h>
#include <string.h>

#include "support/datagram.h"
#include "support/test.h"

static struct xrdma_mr *of_a; /* memory for receives of A */

static void start(void)
{
	datagram_start();
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, GRH, XRDMA_ACCESS_LOCAL_WRITE, &of_a),
		   ==, 0);
}

static void stop(void)
{
	expect_int(xrdma_mr_close(of_a), ==, 0);
	datagram_stop();
}

TestSuite(ah, .once = pair_open, .init = start, .fini = stop, .end = pair_close);

/* Let A post receive 100, for a datagram without a payload. */
static void post_receive_of_a(void)
{
	struct xrdma_sge sge = { (uintptr_t)pair.source, GRH, xrdma_mr_key(of_a) };
	const struct xrdma_recv_wr receive = { .wr_id = 100, .sg_list = &sge, .num_sge = 1 };

	expect_int(xrdma_qp_post_recv(pair.a.qp, &receive, &recv_bad), ==, 0);
}

/* Expect that WC is the completion of A's receive, for a datagram of FROM. */
static void expect_received_by_a(const struct xrdma_wc *wc, const struct side *from)
{
	expect_int(wc->wr_id, ==, 100);
	expect_int(wc->status, ==, XRDMA_WC_SUCCESS);
	expect_int(wc->byte_len, ==, GRH);
	expect_int(wc->src_qpn, ==, xrdma_qp_number(from->qp));
}

/* Reply to the sender of the datagram at offset 64, of which only the completion is known. */
static void reply(void)
{
	struct xrdma_send_wr answer = {
		.wr_id = 200,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_qpn = recv_wc[0].src_qpn,
		.remote_qkey = SIDE_QKEY,
	};

	post_receive_of_a();
	pair_enter("b");
	expect_msg(xrdma_ah_create_from_wc(pair.b.owner.pd, recv_wc, pair.target + 64 - GRH,
					   &answer.ah) == 0,
		   "%s", xrdma_error());
	expect_int(xrdma_qp_post_send(pair.b.qp, &answer, &send_bad), ==, 0);
	expect_int(xrdma_ah_destroy(answer.ah), ==, 0);
	pair_poll(1);
	expect_received_by_a(send_wc, &pair.b);
}

Test(ah, replies)
{
	for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
		datagram_use_version(ip_version);
		datagram_set(64, DATAGRAM_BYTES);
		expect_int(pair_post_recv(), ==, 0);
		pair_expect(XRDMA_WC_SUCCESS);
		datagram_expect_received(DATAGRAM_BYTES, 0);
		reply();
		pair_poll_recv(1);
		expect_int(recv_wc[0].wr_id, ==, 200);
	}
}

Test(ah, no_reply_address)
{
	struct xrdma_wc wc = { .flags = XRDMA_WC_GRH };
	const __u8 nothing[GRH] = { 0 };
	struct xrdma_ah *ah;

	expect_error(xrdma_ah_create_from_wc(pair.b.owner.pd, &wc, nothing, &ah), EINVAL,
		     "no IP header");
	wc.flags = 0;
	expect_error(xrdma_ah_create_from_wc(pair.b.owner.pd, &wc, nothing, &ah), EINVAL,
		     "not one of a received datagram");
}

/* One post sends to several destinations, among them the sender itself. */
Test(ah, many_destinations)
{
	struct xrdma_ah *by_ipv6 = datagram_handle(&pair.a, "a", "fd66::2");
	struct xrdma_ah *to_self = datagram_handle(&pair.a, "a", "10.66.0.1");
	struct xrdma_send_wr wrs[4];

	for (int i = 0; i < 4; i++) {
		wrs[i] = send_wr;
		wrs[i].flags = 0;
		wrs[i].next = i < 3 ? &wrs[i + 1] : NULL;
	}
	wrs[1].ah = by_ipv6;
	wrs[2].ah = to_self;
	wrs[2].remote_qpn = xrdma_qp_number(pair.a.qp);
	wrs[2].num_sge = 0;
	post_receive_of_a();
	for (int i = 0; i < 3; i++)
		expect_int(pair_post_recv(), ==, 0);
	expect_msg(xrdma_qp_post_send(pair.a.qp, wrs, &send_bad) == 0, "%s", xrdma_error());
	pair_poll(1);
	expect_received_by_a(send_wc, &pair.a);
	for (int i = 0; i < 3; i++)
		datagram_expect_received(DATAGRAM_BYTES, 0);
	expect_int(xrdma_ah_destroy(by_ipv6), ==, 0);
	expect_int(xrdma_ah_destroy(to_self), ==, 0);
}

/* Requests that wait are sent, even if their handle is destroyed meanwhile. */
Test(ah, destroyed_handle)
{
	expect_int(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_STATE), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	datagram_use_version(6);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	pair_poll(1);
	datagram_expect_received(DATAGRAM_BYTES, 0);
	datagram.version = 4;
	datagram_expect_header(64);
}

Test(ah, no_destination)
{
	struct xrdma_pd *other;

	send_wr.ah = NULL;
	expect_error(pair_post(), EINVAL, "needs an address handle");
	expect_int(xrdma_pd_alloc(pair.a.owner.context, &other), ==, 0);
	pair_enter("a");
	expect_int(xrdma_ah_create(other, &pair.a.attr.ah_attr, &send_wr.ah), ==, 0);
	expect_error(pair_post(), EINVAL, "needs an address handle");
	expect_error(xrdma_pd_dealloc(other), EBUSY, "");
	expect_int(xrdma_ah_destroy(send_wr.ah), ==, 0);
	expect_int(xrdma_pd_dealloc(other), ==, 0);
	send_wr.ah = datagram.to_b;
	send_wr.remote_qpn = 1 << 24;
	expect_error(pair_post(), EINVAL, "a QPN has 24 bits");
}

Test(ah, wrong_handles)
{
	struct xrdma_ah_attr attr = pair.a.attr.ah_attr;
	struct xrdma_ah *ah;

	pair_enter("a");
	attr.udp_sport = 50000;
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), EINVAL, "no UDP ports");
	attr.udp_sport = 0;
	set_address(attr.source, "10.66.0.3");
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), EADDRNOTAVAIL, "");
	memset(attr.source, 0, sizeof(attr.source));
	set_address(attr.dest, "10.99.0.1");
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), ENETUNREACH, "");
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Draining a send queue. In SQD, requests that were begun complete, no others begin, and the path
 * to the peer may change (IBA 10.3.1; ibv_modify_qp(3)). tests/net/rc.sh runs it.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "support/pair.h"
#include "support/test.h"

TestSuite(drain, .once = pair_open, .init = pair_start, .fini = pair_stop, .end = pair_close);

static bool is_draining(void)
{
	struct xrdma_qp_attr attr = { .sz = sizeof(attr) };

	expect_int(xrdma_qp_query(pair.a.qp, &attr), ==, 0);
	return attr.sq_draining;
}

static void go_to(struct side *side, enum xrdma_qp_state state)
{
	expect_msg(side_modify(side, state, XRDMA_QP_STATE) == 0, "%s", xrdma_error());
}

/* Begin wr. It gets no response until B's link is restored. */
static void begin_undelivered(void)
{
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	go_to(&pair.a, XRDMA_QPS_SQD);
	expect(is_draining());
}

Test(drain, begins_nothing)
{
	__u32 sent;

	begin_undelivered();
	sent = pair.a.qp->row->sent_psn;
	send_wr.wr_id = 2;
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.b);
	pair_poll(1);
	expect(send_wc[0].status == XRDMA_WC_SUCCESS && send_wc[0].wr_id == 1);
	expect(!is_draining());
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	expect_int(pair.a.qp->row->sent_psn, ==, sent);
	go_to(&pair.a, XRDMA_QPS_RTS);
	pair_poll(1);
	expect(send_wc[0].status == XRDMA_WC_SUCCESS && send_wc[0].wr_id == 2);
}

/* Requests were begun that have more packets than may be in flight. All their packets are sent. */
Test(drain, ends_what_was_begun)
{
	pair_set_write(0, PAIR_BYTES);
	begin_undelivered();
	link_restore(&pair.b);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(0, PAIR_BYTES);
}

Test(drain, waits_with_changes_until_drained)
{
	begin_undelivered();
	pair.a.attr.timeout = 15;
	expect_error(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_TIMEOUT), EBUSY,
		     "change of XRDMA_QP_TIMEOUT waits until the send queue is drained");
	expect_int(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_MIN_RNR_TIMER), ==, 0);
	link_restore(&pair.b);
	while (is_draining())
		;
	expect_int(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_TIMEOUT), ==, 0);
	expect_int(pair.a.qp->attr.timeout, ==, 15);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

static void move_to(struct side *side, const char *netns, const char *dest)
{
	go_to(side, XRDMA_QPS_SQD);
	set_address(side->attr.ah_attr.dest, dest);
	pair_enter(netns);
	expect_msg(side_modify(side, XRDMA_QPS_SQD, XRDMA_QP_AV) == 0, "%s", xrdma_error());
	go_to(side, XRDMA_QPS_RTS);
}

/* Both queue pairs continue over the other address family. */
Test(drain, another_path)
{
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	move_to(&pair.a, "a", "fd66::2");
	move_to(&pair.b, "b", "fd66::1");
	expect_int(pair.a.qp->row->peer_addr[0], ==, htonl(0xfd660000));
	expect_int(pair.a.qp->row->addr[0], ==, htonl(0xfd660000));
	pair_set_write(100, 5000);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(100, 5000);
	pair_enter("a");
	expect_error(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_AV), EINVAL, "XRDMA_QP_AV");
}

/* A path that does not exist changes nothing. */
/* The peer accepts requests only from the port that it knows. */
Test(drain, another_path_by_the_same_port)
{
	pair.a.attr.ah_attr.udp_sport = 0xd234;
	pair_connect(4, 1024);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(pair.b.qp->row->resp.peer_sport, ==, 0xd234);
	pair.a.attr.ah_attr.udp_sport = 0;
	move_to(&pair.a, "a", "fd66::2");
	move_to(&pair.b, "b", "fd66::1");
	expect_int(pair.a.qp->row->udp_sport, ==, 0xd234);
	pair_expect(XRDMA_WC_SUCCESS);
}

Test(drain, no_path)
{
	go_to(&pair.a, XRDMA_QPS_SQD);
	pair_enter("a");
	set_address(pair.a.attr.ah_attr.dest, "10.99.0.1");
	expect_error(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_AV), ENETUNREACH, "no route");
	go_to(&pair.a, XRDMA_QPS_RTS);
	pair_expect(XRDMA_WC_SUCCESS);
}

/* Only the requester drains. The responder still executes the peer's requests. */
Test(drain, still_responds)
{
	go_to(&pair.b, XRDMA_QPS_SQD);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	pair_set_send(64, 256);
	pair_send_once();
}

/* A request in flight may fail. All others are flushed. */
Test(drain, fails)
{
	send_wr.rkey ^= 1;
	begin_undelivered();
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.b);
	pair_poll(2);
	expect_int(send_wc[0].status, ==, XRDMA_WC_REM_ACCESS_ERR);
	expect_int(send_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(side_state(&pair.a), ==, XRDMA_QPS_ERR);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Connections over TCP. tests/net/two_hosts.sh runs it. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "support/conn.h"
#include "support/refuse.h"
#include "support/test.h"

TestSuite(conn, .once = pair_open, .init = conn_start, .fini = conn_stop, .end = pair_close);

/* The peer sends as soon as it is connected. Receives that were posted in INIT get the messages. */
Test(conn, receives_posted_before)
{
	side_bring_to(&pair.b, XRDMA_QPS_INIT);
	side_bring_to(&pair.a, XRDMA_QPS_INIT);
	pair_set_send(64, 256);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(conn_connect("10.66.0.2"), ==, 0);
	expect_int(conn_b.err, ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(pair.a.qp->row->req.rnr_nak.count, ==, 0);
	pair_expect_received(XRDMA_WC_RECV, 256);
	expect_int(pair.b.qp->row->access, ==, XRDMA_ACCESS_REMOTE_WRITE);
}

static void get(struct xrdma_qp *qp, struct xrdma_qp_attr *into)
{
	into->sz = sizeof(*into);
	xrdma_qp_query(qp, into);
}

Test(conn, tells_each_side_of_the_other)
{
	__be32 expected[4];

	conn_a.attr.private_data = "from a!";
	conn_a.attr.private_len = 7;
	conn_expect_connected("10.66.0.2");
	expect_int(conn_a.peer.qpn, ==, xrdma_qp_number(pair.b.qp));
	expect_int(conn_b.peer.qpn, ==, xrdma_qp_number(pair.a.qp));
	expect(conn_a.peer.private_len == 6 && !memcmp(conn_a.peer.private_data, "from b", 6));
	expect(conn_b.peer.private_len == 7 && !memcmp(conn_b.peer.private_data, "from a!", 7));
	set_address(expected, "10.66.0.2");
	expect(!memcmp(conn_a.peer.addr, expected, sizeof(expected)));
	set_address(expected, "10.66.0.1");
	expect(!memcmp(conn_b.peer.addr, expected, sizeof(expected)));
	expect_int(conn_a.peer.path_mtu, ==, 4096);
	expect_int(conn_b.peer.path_mtu, ==, 4096);
}

/* Each side learns the other's UDP source port while they connect, before any packet. */
Test(conn, keeps_to_the_peers_port)
{
	const struct xrdma_qp_row *a, *b;

	expect_int(conn_connect("10.66.0.2"), ==, 0);
	a = pair.a.qp->row;
	b = pair.b.qp->row;
	expect(a->udp_sport && b->udp_sport);
	expect_int(a->resp.peer_sport, ==, b->udp_sport);
	expect_int(a->req.peer_sport, ==, b->udp_sport);
	expect_int(b->resp.peer_sport, ==, a->udp_sport);
	expect_int(b->req.peer_sport, ==, a->udp_sport);
}

/* Give both sides queue pairs of these services, instead of RC. */
static void use_services(enum xrdma_transport a, enum xrdma_transport b)
{
	side_destroy(&pair.a);
	side_destroy(&pair.b);
	pair.a.transport = a;
	pair.b.transport = b;
	side_create(&pair.a);
	side_create(&pair.b);
	pair.a.transport = pair.b.transport = XRDMA_TRANSPORT_RC;
}

Test(conn, of_uc)
{
	use_services(XRDMA_TRANSPORT_UC, XRDMA_TRANSPORT_UC);
	expect_msg(conn_connect("10.66.0.2") == 0, "%s", xrdma_error());
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
	pair_set_send(64, 256);
	pair_send_once();
}

/* Queue pairs of two services cannot be connected. */
Test(conn, of_two_services)
{
	use_services(XRDMA_TRANSPORT_RC, XRDMA_TRANSPORT_UC);
	expect_error(conn_connect("10.66.0.2"), ECONNREFUSED,
		     "the peer's queue pair has the service RC, ours has UC");
}

Test(conn, over_ipv6)
{
	conn_expect_connected("fd66::2");
}

/* Each side begins with a random PSN (IBA 9.4.1 allows any), and the other side expects it. */
Test(conn, first_psns)
{
	struct xrdma_qp_attr first, mine, theirs;

	expect_int(conn_connect("10.66.0.2"), ==, 0);
	get(pair.a.qp, &first);
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	expect_int(conn_connect("10.66.0.2"), ==, 0);
	get(pair.a.qp, &mine);
	get(pair.b.qp, &theirs);
	expect(mine.sq_psn != first.sq_psn || mine.rq_psn != first.rq_psn);
	expect_int(mine.sq_psn, ==, theirs.rq_psn);
	expect_int(mine.rq_psn, ==, theirs.sq_psn);
	expect_int(mine.max_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(mine.max_dest_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
}

Test(conn, takes_the_smaller_mtu)
{
	conn_b.attr.path_mtu = 512;
	conn_expect_connected("10.66.0.2");
	expect_int(conn_a.peer.path_mtu, ==, 512);
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	conn_a.attr.path_mtu = 256;
	conn_expect_connected("10.66.0.2");
	expect_int(conn_b.peer.path_mtu, ==, 256);
	expect_int(pair.a.qp->row->mtu, ==, 256);
	expect_int(pair.b.qp->row->mtu, ==, 256);
}

Test(conn, no_access_by_default)
{
	conn_b.attr.access = 0;
	expect_int(conn_connect("10.66.0.2"), ==, 0);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

Test(conn, refuses_arguments)
{
	int listener;

	conn_a.attr.private_len = XRDMA_CONN_PRIVATE_MAX + 1;
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, &conn_a.attr, NULL), EINVAL,
		     "at most 192");
	side_bring_to(&pair.a, XRDMA_QPS_RTR);
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, NULL, NULL), EINVAL,
		     "not in RESET or INIT");
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	expect_error(xrdma_conn_connect("10.66.0.2", "7472", pair.a.qp, NULL, NULL), ECONNREFUSED,
		     "port 7472");
	expect_error(xrdma_conn_connect("no such host", "1", pair.a.qp, NULL, NULL), EINVAL,
		     "no such host");
	set_address(conn_a.attr.source, "10.99.0.9");
	conn_a.attr.private_len = 0;
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, &conn_a.attr, NULL),
		     EADDRNOTAVAIL, "not one of the device");
	set_address(conn_a.attr.source, "fd66::1");
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, &conn_a.attr, NULL),
		     EAFNOSUPPORT, "10.66.0.2");
	expect_error(xrdma_conn_listen("10.66.0.9", "7471", &listener), EADDRNOTAVAIL, "10.66.0.9");
}

/* If one side cannot connect, it sends its reason, and both are back in RESET. */
Test(conn, refusal_reaches_the_peer)
{
	set_address(conn_b.attr.source, "10.66.0.9");
	expect_error(conn_connect("10.66.0.2"), ECONNREFUSED, "not one of the device");
	expect_int(conn_b.err, ==, -EADDRNOTAVAIL);
	pair_expect_states(XRDMA_QPS_RESET, XRDMA_QPS_RESET);
	memset(conn_b.attr.source, 0, sizeof(conn_b.attr.source));
	conn_a.attr.access = 1 << 20;
	expect_error(conn_connect("10.66.0.2"), EINVAL, "access");
	expect_int(conn_b.err, ==, -ECONNREFUSED);
	expect_msg(strstr(conn_b.error, "access"), "%s", conn_b.error);
}

static void ignore(int signal)
{
	(void)signal;
}

/* There is no host with this address, so TCP gets no response. Signals do not end the wait. */
Test(conn, signals_do_not_end_the_wait)
{
	const struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { 0 };
	const struct sigaction handled = { .sa_handler = ignore };
	int err;

	expect_int(sigaction(SIGALRM, &handled, NULL), ==, 0);
	conn_a.attr.wait_ms = 200;
	expect_int(setitimer(ITIMER_REAL, &often, NULL), ==, 0);
	err = xrdma_conn_connect("10.66.0.77", "7471", pair.a.qp, &conn_a.attr, &conn_a.peer);
	expect_int(setitimer(ITIMER_REAL, &never, NULL), ==, 0);
	expect_error(err, ETIMEDOUT, "cannot connect");
}

TestSuite(conn_for_long, .init = pair_open, .fini = pair_close);

/*
 * poll(2) takes at most INT_MAX ms, and waits for ever if the number is negative. A longer limit
 * works all the same.
 */
Test(conn_for_long, limit_above_that_of_poll)
{
#ifdef SYS_poll
	conn_start();
	conn_start_b();
	conn_a.attr.wait_ms = UINT32_MAX;
	refuse_call(SYS_poll, 2, UINT32_MAX, ENOSYS);
	expect_int(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, &conn_a.attr, &conn_a.peer),
		   ==, 0);
	expect_int(conn_join_b(), ==, 0);
	conn_stop();
#else
	SKIP("this machine has no system call poll");
#endif
}

Test(without_ipv6, listens_at_every_address_of_ipv4)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7473) };
	int listener, fd;

	pair_enter("a");
	refuse_call(SYS_socket, 0, AF_INET6, EAFNOSUPPORT);
	expect_msg(xrdma_conn_listen(NULL, "7473", &listener) == 0, "%s", xrdma_error());
	fd = socket(AF_INET, SOCK_STREAM, 0);
	expect_int(inet_pton(AF_INET, "10.66.0.1", &to.sin_addr), ==, 1);
	expect_int(connect(fd, (struct sockaddr *)&to, sizeof(to)), ==, 0);
}

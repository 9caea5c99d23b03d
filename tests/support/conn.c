// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "conn.h"

#include <stdio.h>
#include <unistd.h>

#include "test.h"

struct conn_a conn_a;
struct conn_b conn_b;

void conn_start(void)
{
	pair_start();
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	conn_a = (struct conn_a){
		.attr.sz = sizeof(conn_a.attr),
		.peer.sz = sizeof(conn_a.peer),
	};
	conn_b.peer.sz = sizeof(conn_b.peer);
	conn_b.attr = (struct xrdma_conn_attr){
		.sz = sizeof(conn_b.attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.private_data = "from b",
		.private_len = 6,
	};
	pair_enter("b");
	expect_msg(xrdma_conn_listen(NULL, "7471", &conn_b.listener) == 0, "%s", xrdma_error());
	pair_enter("a");
}

void conn_stop(void)
{
	close(conn_b.listener);
	pair_stop();
}

static void *accept_one(void *unused)
{
	pair_enter("b");
	conn_b.err = xrdma_conn_accept(conn_b.listener, pair.b.qp, &conn_b.attr, &conn_b.peer);
	snprintf(conn_b.error, sizeof(conn_b.error), "%s", xrdma_error());
	return unused;
}

void conn_start_b(void)
{
	expect_int(pthread_create(&conn_b.thread, NULL, accept_one, NULL), ==, 0);
}

int conn_join_b(void)
{
	pthread_join(conn_b.thread, NULL);
	return conn_b.err;
}

int conn_connect(const char *address)
{
	int err;

	conn_start_b();
	err = xrdma_conn_connect(address, "7471", pair.a.qp, &conn_a.attr, &conn_a.peer);
	conn_join_b();
	return err;
}

void conn_expect_connected(const char *address)
{
	expect_msg(conn_connect(address) == 0, "%s", xrdma_error());
	expect_msg(conn_b.err == 0, "%s", conn_b.error);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

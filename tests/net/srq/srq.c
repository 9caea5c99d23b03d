// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Shared receive queues (IBA 10.2.9; ibv_create_srq(3), ibv_post_srq_recv(3)). tests/net/srq.sh
 * runs it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/many.h"
#include "support/owner.h"
#include "support/test.h"

enum { LEN = 256, GRH = 40 };

static struct xrdma_wc wc[MANY_WRS];

static void start(void)
{
	many.transport = XRDMA_TRANSPORT_RC;
	many_start();
}

TestSuite(srq, .once = many_open, .init = start, .fini = many_stop, .end = many_close);

static void post(int first, int count, __u32 len)
{
	for (int i = first; i < first + count; i++)
		expect_msg(!many_post_recv(i, len), "%s", xrdma_error());
}

/* Expect that WC is receive WR_ID of queue pair NUMBER, with LEN bytes of A from OFFSET. */
static void expect_received(const struct xrdma_wc *done, __u64 wr_id, int number, __u32 offset,
			    __u32 len)
{
	const __u32 before = many.transport == XRDMA_TRANSPORT_UD ? GRH : 0;

	expect_int(done->status, ==, XRDMA_WC_SUCCESS);
	expect_int(done->wr_id, ==, wr_id);
	expect_int(done->qpn, ==, xrdma_qp_number(many.b.qps[number]));
	expect_int(done->byte_len, ==, before + len);
	expect(!memcmp(many.b.memory + wr_id * MANY_SLOT + before, many.a.memory + offset, len));
}

/* Every queue pair takes the next receive. The receives are taken in the order of posting. */
static void send_by_all(__u32 len)
{
	post(0, 2 * MANY, LEN);
	for (int i = 0; i < 2 * MANY; i++) {
		many_send(i % MANY, i, i * LEN, len);
		many_poll(&many.b, 1, wc);
		expect_received(wc, i, i % MANY, i * LEN, len);
		many_poll(&many.a, 1, wc);
		expect_int(wc->status, ==, XRDMA_WC_SUCCESS);
	}
}

Tests(srq, each_service, 3)
{
	static const enum xrdma_transport services[] = { XRDMA_TRANSPORT_RC, XRDMA_TRANSPORT_UC,
							 XRDMA_TRANSPORT_UD };

	many_stop();
	many.transport = services[i];
	many_start();
	send_by_all(LEN - GRH);
}

/* Receives are free again when their completions were polled, in any order. */
Test(srq, used_again)
{
	for (int round = 0; round < 20; round++)
		send_by_all(LEN);
}

/* A message of several packets keeps its receive, while other queue pairs take others. */
Test(srq, long_messages)
{
	post(0, MANY, MANY_SLOT);
	for (int i = 0; i < MANY; i++)
		many_send(i, i, i * MANY_SLOT, MANY_SLOT - i);
	many_poll(&many.b, MANY, wc);
	for (int i = 0; i < MANY; i++)
		expect_received(wc + i, i, i, i * MANY_SLOT, MANY_SLOT - i);
}

Test(srq, no_receive)
{
	many_send(0, 1, 0, LEN);
	many_expect_none(&many.b); /* RNR NAKs until there is one */
	post(3, 1, LEN);
	many_poll(&many.a, 1, wc);
	expect_int(wc->status, ==, XRDMA_WC_SUCCESS);
	many_poll(&many.b, 1, wc);
	expect_received(wc, 3, 0, 0, LEN);
}

/*
 * Let queue pair MANY - 1 claim receive MANY_CQES, and keep it: there is no room for its
 * completion, because the completions of all receives before it were not polled.
 */
static void claim_one(void)
{
	post(0, MANY_CQES + 2, LEN);
	for (int i = 0; i < MANY_CQES; i++) {
		many_send(0, i, i * LEN, LEN);
		many_poll(&many.a, 1, wc);
	}
	many_send(MANY - 1, MANY_CQES, 0, LEN);
	many_expect_none(&many.a);
}

static void expect_all_before(void)
{
	many_poll(&many.b, MANY_CQES, wc);
	for (int i = 0; i < MANY_CQES; i++)
		expect_received(wc + i, i, 0, i * LEN, LEN);
}

static void modify(int number, enum xrdma_qp_state state)
{
	const struct xrdma_qp_attr attr = { .sz = sizeof(attr), .state = state };

	expect_msg(!xrdma_qp_modify(many.b.qps[number], &attr, XRDMA_QP_STATE), "%s",
		   xrdma_error());
}

/* A queue pair that stops ends the receive that it has claimed. All others stay in the queue. */
Test(srq, stopped)
{
	claim_one();
	modify(MANY - 1, XRDMA_QPS_ERR);
	expect_all_before();
	many_poll(&many.b, 1, wc);
	expect_int(wc->status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(wc->wr_id, ==, MANY_CQES);
	expect_int(wc->qpn, ==, xrdma_qp_number(many.b.qps[MANY - 1]));
	many_expect_none(&many.b);
	many_send(1, 1, 0, LEN);
	many_poll(&many.b, 1, wc);
	expect_received(wc, MANY_CQES + 1, 1, 0, LEN);
}

/* The claimed receive of a queue pair that is reset or destroyed is used by another one. */
static void expect_given_back(void)
{
	expect_all_before();
	many_send(1, 1, LEN, LEN);
	many_send(2, 2, 2 * LEN, LEN);
	many_poll(&many.b, 2, wc);
	expect_received(wc, MANY_CQES + 1, 1, LEN, LEN);
	expect_received(wc + 1, MANY_CQES, 2, 2 * LEN, LEN);
	post(0, MANY_WRS, LEN); /* all are free */
	expect_error(many_post_recv(0, LEN), ENOMEM, "no room for more than 64 receives");
}

Test(srq, reset)
{
	claim_one();
	modify(MANY - 1, XRDMA_QPS_RESET);
	expect_given_back();
}

Test(srq, destroyed)
{
	claim_one();
	expect_int(xrdma_qp_destroy(many.b.qps[MANY - 1]), ==, 0);
	many.b.qps[MANY - 1] = NULL;
	expect_given_back();
}

/* A receive is free again if the queue pair that completed it is reset before it was polled. */
Test(srq, reset_before_the_poll)
{
	post(0, MANY_WRS, LEN);
	for (int i = 0; i < 3; i++)
		many_send(i, i, 0, LEN);
	many_poll(&many.a, 3, wc);
	modify(1, XRDMA_QPS_RESET);
	many_poll(&many.b, 2, wc);
	expect_int(wc[0].wr_id, ==, 0);
	expect_int(wc[1].wr_id, ==, 2);
	many_expect_none(&many.b);
	post(0, 3, LEN);
	expect_error(many_post_recv(0, LEN), ENOMEM, "no room");
}

/*
 * Send LEN bytes by queue pair 0, and expect that receive WR_ID fails with STATUS, and the request
 * with REMOTE. The next receive, which is receive 0, then serves another queue pair.
 */
static void expect_failure(__u32 len, __u64 wr_id, enum xrdma_wc_status status,
			   enum xrdma_wc_status remote)
{
	many_send(0, 1, 0, len);
	many_poll(&many.b, 1, wc);
	expect_int(wc->wr_id, ==, wr_id);
	expect_int(wc->status, ==, status);
	many_poll(&many.a, 1, wc);
	expect_int(wc->status, ==, remote);
	many_send(1, 1, 0, LEN);
	many_poll(&many.b, 1, wc);
	expect_received(wc, 0, 1, 0, LEN);
}

/* A receive that is too short fails its queue pair, and no other. */
Test(srq, too_short)
{
	post(1, 1, LEN);
	post(0, 1, LEN);
	expect_failure(LEN + 1, 1, XRDMA_WC_LOC_LEN_ERR, XRDMA_WC_REM_INV_REQ_ERR);
}

/* A receive whose key is gone fails its queue pair, and no other. */
Test(srq, dead_key)
{
	const __u32 key = xrdma_mr_key(many.b.mr) + (1 << 8) * 77;
	const struct xrdma_sge sge = { .addr = 4096, .length = LEN, .lkey = key };
	const struct xrdma_recv_wr dead = { .wr_id = 50, .sg_list = &sge, .num_sge = 1 };
	const struct xrdma_recv_wr *bad;

	expect_int(xrdma_srq_post_recv(many.srq, &dead, &bad), ==, 0);
	post(0, 1, LEN);
	expect_failure(LEN, 50, XRDMA_WC_LOC_PROT_ERR, XRDMA_WC_REM_OP_ERR);
}

Test(srq, refused_receives)
{
	const struct xrdma_sge sges[3] = { { .length = 0 } };
	const struct xrdma_recv_wr long_one = { .wr_id = 3, .sg_list = sges, .num_sge = 3 };
	const struct xrdma_recv_wr first = { .wr_id = 1, .next = (void *)&long_one };
	const struct xrdma_recv_wr *bad = NULL;

	expect_error(xrdma_qp_post_recv(many.b.qps[0], &first, &bad), EINVAL,
		     "xrdma_srq_post_recv()");
	expect(bad == &first);
	expect_error(xrdma_srq_post_recv(many.srq, &first, &bad), EINVAL,
		     "num_sge is 3: the queue was created for 2");
	expect(bad == &long_one);
	post(0, MANY_WRS - 1, LEN);
	expect_error(many_post_recv(0, LEN), ENOMEM, "no room for more than 64 receives");
}

/* Create a shared receive queue with these attributes. It is destroyed again. */
static int create(__u32 max_wr, __u32 max_sge)
{
	const struct xrdma_srq_attr attr = { .sz = sizeof(attr),
					     .max_wr = max_wr,
					     .max_sge = max_sge };
	struct xrdma_srq *other;
	int err = xrdma_srq_create(many.b.pd, &attr, &other);

	return err ?: xrdma_srq_destroy(other);
}

Test(srq, refused_queues)
{
	struct xrdma_device_attr limits = { .sz = sizeof(limits) };
	const struct xrdma_srq_attr attr = { .sz = sizeof(attr), .max_wr = 1 };
	struct xrdma_srq *second, *third;

	expect_int(xrdma_context_query(many.b.context, &limits), ==, 0);
	expect_int(limits.max_srq, ==, 2);
	expect_int(create(limits.max_srq_wr, 1), ==, 0);
	expect_int(create(1, limits.max_srq_sge), ==, 0);
	expect_error(create(0, 1), EINVAL, "max_wr 0: 1 to 16384");
	expect_error(create(limits.max_srq_wr + 1, 1), EINVAL, "max_wr 16385: 1 to 16384");
	expect_error(create(1, limits.max_srq_sge + 1), EINVAL, "max_sge 33: at most 32");
	expect_int(xrdma_srq_create(many.b.pd, &attr, &second), ==, 0);
	expect_error(xrdma_srq_create(many.b.pd, &attr, &third), ENOMEM,
		     "all 2 shared receive queues of the context are in use");
	expect_int(xrdma_srq_destroy(second), ==, 0);
}

Test(srq, query)
{
	struct xrdma_srq_attr attr = { .sz = sizeof(attr) };

	expect_int(xrdma_srq_query(many.srq, &attr), ==, 0);
	expect_int(attr.max_wr, ==, MANY_WRS);
	expect_int(attr.max_sge, ==, 2);
	attr.sz = 0;
	expect_error(xrdma_srq_query(many.srq, &attr), EINVAL, "sz");
}

/* The tool lists shared queues, and no other receive queues. */
Test(srq, is_listed)
{
	post(0, 5, LEN);
	expect(!system("build/xrdma show srq xb -j | jq -e 'map([.kind, .mask, .user_index]) == "
		       "[[\"RQ\", 63, 5]]' >/dev/null"));
}

/* The queue is used by its queue pairs, and uses its protection domain. */
Test(srq, users)
{
	struct xrdma_qp_init_attr init = {
		.sz = sizeof(init), .max_send_wr = 1, .send_cq = many.b.cq, .recv_cq = many.b.cq
	};
	struct xrdma_srq_attr attr = { .sz = sizeof(attr), .max_wr = 1 };
	struct xrdma_srq *other;
	struct xrdma_pd *pd;
	struct xrdma_qp *qp;

	expect_error(xrdma_srq_destroy(many.srq), EBUSY, "8 queue pairs still use");
	expect_int(xrdma_pd_alloc(many.b.context, &pd), ==, 0);
	expect_int(xrdma_srq_create(pd, &attr, &other), ==, 0);
	init.srq = other;
	expect_error(xrdma_qp_create(many.b.pd, &init, &qp), EINVAL, "another domain");
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "");
	expect_int(xrdma_srq_destroy(other), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

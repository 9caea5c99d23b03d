// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "many.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cq.h"
#include "pair.h"
#include "test.h"

struct many many = {
	.a = { .netns = "a", .device = "xa", .address = "10.66.0.1" },
	.b = { .netns = "b", .device = "xb", .address = "10.66.0.2" },
};

#define MUST(call) expect_msg(!(call), "%s", xrdma_error())

static void open_end(struct many_end *end)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .qps = 2 * MANY, .srqs = 2 };
	void *memory;

	pair_enter(end->netns);
	MUST(xrdma_context_open(end->device, &attr, &end->context));
	MUST(xrdma_pd_alloc(end->context, &end->pd));
	MUST(xrdma_alloc(end->context, MANY_BYTES, 4096, &memory));
	MUST(xrdma_mr_reg(end->pd, memory, MANY_BYTES,
			  XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE, &end->mr));
	end->memory = memory;
}

void many_open(void)
{
	open_end(&many.a);
	open_end(&many.b);
	arc4random_buf(many.a.memory, MANY_BYTES);
}

static void close_end(struct many_end *end)
{
	expect_int(xrdma_mr_close(end->mr), ==, 0);
	expect_int(xrdma_pd_dealloc(end->pd), ==, 0);
	expect_int(xrdma_context_close(end->context), ==, 0);
}

void many_close(void)
{
	close_end(&many.a);
	close_end(&many.b);
}

static void create(struct many_end *end, struct xrdma_srq *srq)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = many.transport,
		.max_send_wr = MANY_WRS,
		.max_send_sge = 1,
		.max_inline = 64,
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.srq = srq,
	};

	for (int i = 0; i < MANY; i++)
		MUST(xrdma_qp_create(end->pd, &init, &end->qps[i]));
}

/* The attributes of a transition that the service needs. */
static unsigned int mask_to(enum xrdma_qp_state state)
{
	const bool rc = many.transport == XRDMA_TRANSPORT_RC;
	const bool ud = many.transport == XRDMA_TRANSPORT_UD;

	switch (state) {
	case XRDMA_QPS_INIT:
		return ud ? UD_TO_INIT : TO_INIT;
	case XRDMA_QPS_RTR:
		return ud ? UD_TO_RTR : rc ? TO_RTR : TO_RTR & ~OF_RELIABLE;
	default:
		return ud || rc ? (ud ? UD_TO_RTS : TO_RTS) : TO_RTS & ~OF_RELIABLE;
	}
}

static void connect_end(const struct many_end *end, const struct many_end *peer, int number)
{
	struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.path_mtu = 1024,
		.port = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 12,
		.dest_qpn = xrdma_qp_number(peer->qps[number]),
		.qkey = MANY_QKEY,
	};

	set_address(attr.ah_attr.dest, peer->address);
	pair_enter(end->netns);
	for (attr.state = XRDMA_QPS_INIT; attr.state <= XRDMA_QPS_RTS; attr.state++)
		MUST(xrdma_qp_modify(end->qps[number], &attr, mask_to(attr.state)));
}

void many_connect(int number)
{
	connect_end(&many.a, &many.b, number);
	connect_end(&many.b, &many.a, number);
}

void many_start(void)
{
	const struct xrdma_srq_attr attr = { .sz = sizeof(attr), .max_wr = MANY_WRS, .max_sge = 2 };
	struct xrdma_ah_attr to = { 0 };

	memset(many.b.memory, 0, MANY_BYTES);
	MUST(xrdma_cq_create(many.a.context, 1, &many.a.cq));
	MUST(xrdma_cq_create(many.b.context, MANY_CQES, &many.b.cq));
	MUST(xrdma_srq_create(many.b.pd, &attr, &many.srq));
	create(&many.a, NULL);
	create(&many.b, many.srq);
	for (int i = 0; i < MANY; i++)
		many_connect(i);
	set_address(to.dest, many.b.address);
	pair_enter("a");
	MUST(xrdma_ah_create(many.a.pd, &to, &many.to_b));
}

static void destroy(struct many_end *end)
{
	for (int i = 0; i < MANY; i++) {
		if (end->qps[i])
			expect_int(xrdma_qp_destroy(end->qps[i]), ==, 0);
		end->qps[i] = NULL;
	}
	expect_int(xrdma_cq_destroy(end->cq), ==, 0);
}

void many_stop(void)
{
	if (many.to_b)
		expect_int(xrdma_ah_destroy(many.to_b), ==, 0);
	many.to_b = NULL;
	destroy(&many.a);
	destroy(&many.b);
	expect_int(xrdma_srq_destroy(many.srq), ==, 0);
}

int many_post_recv(__u64 wr_id, __u32 len)
{
	const struct xrdma_sge sge = {
		.addr = (uintptr_t)many.b.memory + wr_id * MANY_SLOT,
		.length = len,
		.lkey = xrdma_mr_key(many.b.mr),
	};
	const struct xrdma_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };
	const struct xrdma_recv_wr *bad;

	return xrdma_srq_post_recv(many.srq, &wr, &bad);
}

void many_send(int number, __u64 wr_id, __u32 offset, __u32 len)
{
	const struct xrdma_sge sge = {
		.addr = (uintptr_t)many.a.memory + offset,
		.length = len,
		.lkey = xrdma_mr_key(many.a.mr),
	};
	const struct xrdma_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.ah = many.transport == XRDMA_TRANSPORT_UD ? many.to_b : NULL,
		.remote_qpn = xrdma_qp_number(many.b.qps[number]),
		.remote_qkey = MANY_QKEY,
	};
	const struct xrdma_send_wr *bad;

	MUST(xrdma_qp_post_send(many.a.qps[number], &wr, &bad));
}

void many_poll(struct many_end *end, int count, struct xrdma_wc *wc)
{
	expect_int(cq_poll_within(10, end->cq, count, wc), ==, count);
}

void many_expect_none(struct many_end *end)
{
	const struct timespec some = { .tv_nsec = 20000000 };
	struct xrdma_wc wc;

	nanosleep(&some, NULL);
	expect_int(xrdma_cq_poll(end->cq, 1, &wc), ==, 0);
}

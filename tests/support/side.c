// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "side.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void set_address(__be32 into[4], const char *text)
{
	char mapped[64];

	snprintf(mapped, sizeof(mapped), strchr(text, ':') ? "%s" : "::ffff:%s", text);
	expect_int(inet_pton(AF_INET6, mapped, into), ==, 1);
}

static void create_cq(struct side *side)
{
	struct xrdma_cq_init_attr attr = { .sz = sizeof(attr), .entries = 8 };

	if (side->has_channel) {
		expect_int(xrdma_comp_channel_create(side->owner.context, &side->channel), ==, 0);
		attr.channel = side->channel;
	}
	expect_int(xrdma_cq_create_ex(side->owner.context, &attr, &side->cq), ==, 0);
}

void side_create(struct side *side)
{
	create_cq(side);
	side->init = (struct xrdma_qp_init_attr){
		.sz = sizeof(side->init),
		.transport = side->transport,
		.max_send_wr = 4,
		.max_send_sge = 3,
		.max_inline = 64,
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.max_recv_wr = 3,
		.max_recv_sge = 3,
		.send_ops = XRDMA_QP_WITH_MKEY_CONFIGURE,
		.auth_key = (const __u8 *)side->auth_key,
		.auth_key_size = side->auth_key ? strlen(side->auth_key) : 0,
	};
	expect_int(xrdma_qp_create(side->owner.pd, &side->init, &side->qp), ==, 0);
	side->attr = (struct xrdma_qp_attr){
		.sz = sizeof(side->attr),
		.access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE,
		.path_mtu = 1024,
		.port = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
		.min_rnr_timer = 12,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 2,
		.dest_qpn = 0x123456,
		.qkey = SIDE_QKEY,
		.rq_psn = 0xabcdef,
		.sq_psn = 0xfedcba,
	};
	set_address(side->attr.ah_attr.dest, "10.66.0.2");
}

void side_destroy(struct side *side)
{
	expect_int(xrdma_qp_destroy(side->qp), ==, 0);
	expect_int(xrdma_cq_destroy(side->cq), ==, 0);
	if (side->has_channel)
		expect_int(xrdma_comp_channel_destroy(side->channel), ==, 0);
}

void link_cut(struct side *side)
{
	side->qp->row->state = XRDMA_QPS_INIT;
}

void link_cut_responses(struct side *side)
{
	side->qp->row->state = XRDMA_QPS_RTR;
}

void link_restore(struct side *side)
{
	side->qp->row->state = XRDMA_QPS_RTS;
}

struct side lone;

void lone_open(void)
{
	owner_open(&lone.owner, "xa");
}

void lone_close(void)
{
	owner_close(&lone.owner);
}

void lone_create(void)
{
	side_create(&lone);
}

void lone_destroy(void)
{
	side_destroy(&lone);
}

int side_modify(struct side *side, enum xrdma_qp_state to, unsigned int mask)
{
	side->attr.state = to;
	return xrdma_qp_modify(side->qp, &side->attr, mask);
}

enum xrdma_qp_state side_state(const struct side *side)
{
	struct xrdma_qp_attr attr = { .sz = sizeof(attr) };

	xrdma_qp_query(side->qp, &attr);
	return attr.state;
}

/* Change the state with those attributes of MASK that the service has. */
static void bring_on(struct side *side, enum xrdma_qp_state to, unsigned int mask)
{
	if (side->transport != XRDMA_TRANSPORT_RC)
		mask &= ~(unsigned int)OF_RELIABLE;
	expect_msg(side_modify(side, to, mask) == 0, "%s", xrdma_error());
}

void side_bring_to(struct side *side, enum xrdma_qp_state state)
{
	const bool is_ud = side->transport == XRDMA_TRANSPORT_UD;

	if (side_state(side) != XRDMA_QPS_RESET)
		bring_on(side, XRDMA_QPS_RESET, XRDMA_QP_STATE);
	if (state >= XRDMA_QPS_INIT)
		bring_on(side, XRDMA_QPS_INIT, is_ud ? UD_TO_INIT : TO_INIT);
	if (state >= XRDMA_QPS_RTR)
		bring_on(side, XRDMA_QPS_RTR, is_ud ? UD_TO_RTR : TO_RTR);
	if (state >= XRDMA_QPS_RTS)
		bring_on(side, XRDMA_QPS_RTS, is_ud ? UD_TO_RTS : TO_RTS);
	if (state == XRDMA_QPS_SQD || state == XRDMA_QPS_ERR)
		bring_on(side, state, XRDMA_QP_STATE);
	expect_int(side_state(side), ==, state);
}

struct xrdma_mkey_row *side_key(const struct side *side, __u32 key)
{
	const struct xrdma_context *context = side->owner.context;
	struct xrdma_mkey_row *rows = context->tables.mkeys.rows;

	return &rows[key >> XRDMA_KEY_INDEX_SHIFT & context->keys->mask];
}

struct xrdma_send_wr side_request(enum xrdma_wr_opcode opcode, struct xrdma_sge *segment,
				  const void *addr, __u64 key)
{
	return (struct xrdma_send_wr){
		.sg_list = segment,
		.num_sge = 1,
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_addr = (uintptr_t)addr,
		.rkey = key,
	};
}

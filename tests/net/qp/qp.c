// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Queue pairs of the loaded device xa, and their states. tests/net/context.sh runs it, and sets the
 * routes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "support/side.h"
#include "support/test.h"

#define DEVICE "xa"

TestSuite(qp, .once = lone_open, .init = lone_create, .fini = lone_destroy, .end = lone_close);

Test(qp, row_follows_the_states)
{
	struct xrdma_qp_row row;

	expect_int(xrdma_qp_number(lone.qp) >> XRDMA_QPN_INDEX_BITS, ==, lone.owner.context->slot);
	expect_int(lone.qp->row->state, ==, XRDMA_QPS_RESET);
	side_bring_to(&lone, XRDMA_QPS_RTR);
	row = *lone.qp->row;
	expect_int(row.state, ==, XRDMA_QPS_RTR);
	expect_int(row.qpn, ==, xrdma_qp_number(lone.qp));
	expect_int(row.access, ==, XRDMA_ACCESS_REMOTE_WRITE);
	expect_int(row.mtu, ==, 1024);
	expect_int(row.pkey, ==, 0xffff);
	expect_int(row.pd, ==, lone.owner.pd->number);
	expect_int(row.peer_qpn, ==, 0x123456);
	expect_int(row.resp.psn, ==, 0xabcdef);
	expect_int(row.rnr_timer, ==, 12);
	expect_int(row.max_dest_rd_atomic, ==, 2);
	expect_int(row.udp_sport, >=, 0xc000);
	expect_int(row.ack_icrc, ==, xrdma_frame_ack_icrc(&row));
	expect_int(row.addr[3], ==, inet_addr("10.66.0.1"));
	expect_int(row.peer_addr[3], ==, inet_addr("10.66.0.2"));
	expect_int(side_modify(&lone, XRDMA_QPS_RTS, TO_RTS), ==, 0);
	row = *lone.qp->row;
	expect_int(row.state, ==, XRDMA_QPS_RTS);
	expect_int(row.sent_psn, ==, 0xfedcba);
	expect_int(row.req.acked_psn, ==, 0xfedcba);
	expect_int(row.resp.psn, ==, 0xabcdef);
	lone.attr.access = 0;
	lone.qp->row->sent_psn = 5;
	expect_int(xrdma_qp_modify(lone.qp, &lone.attr, XRDMA_QP_ACCESS_FLAGS), ==, 0);
	expect_int(lone.qp->row->access, ==, 0);
	expect_int(lone.qp->row->sent_psn, ==, 5);
	side_bring_to(&lone, XRDMA_QPS_RESET);
	expect_int(lone.qp->row->resp.psn, ==, 0);
}

/* Set all bytes in the rows of queue pair ROW. */
static void fill_rows(__u32 row, int byte)
{
	const struct xrdma_context_tables *tables = &lone.owner.context->tables;

	memset((struct xrdma_qp_row *)tables->qps.rows + row, byte, sizeof(struct xrdma_qp_row));
	memset((struct xrdma_queue_row *)tables->queues.rows +
		       lone.owner.context->queues->free_cqs.count + row,
	       byte, sizeof(struct xrdma_queue_row));
}

static bool is_filled(const void *bytes, size_t len, __u8 byte)
{
	const __u8 *at = bytes;

	return at[0] == byte && !memcmp(at, at + 1, len - 1);
}

/* A queue pair is created as if it were RESET, whatever its rows contained (11.2.4.1). */
Test(qp, created_in_RESET)
{
	const __u32 rows = lone.owner.context->queues->free_qps.count;
	struct xrdma_qp_row row;
	struct xrdma_queue_row rq;

	side_bring_to(&lone, XRDMA_QPS_INIT);
	side_bring_to(&lone, XRDMA_QPS_RESET);
	row = *lone.qp->row;
	rq = *lone.qp->rq->row;
	side_destroy(&lone);
	for (__u32 i = XRDMA_QP_ROWS_RESERVED; i < rows; i++)
		fill_rows(i, 0xa5);
	side_create(&lone);
	row.qpn = xrdma_qp_number(lone.qp);
	expect_int(rq.mask, ==, 3);
	expect(!memcmp(lone.qp->row, &row, sizeof(row)));
	expect_int(lone.qp->rq->row->mask, ==, rq.mask);
	expect_int(lone.qp->rq->row->stride, ==, rq.stride);
	expect_int(lone.qp->rq->row->user_index, ==, 0);
	expect_int(lone.qp->rq->row->xdp_index, ==, 0);
}

/*
 * The rows of a destroyed queue pair contain nothing that points to memory, which may be used by
 * another one.
 */
Test(qp, destroyed_rows_are_empty)
{
	const struct xrdma_qp_row *row = lone.qp->row;
	const struct xrdma_queue_row *rq = lone.qp->rq->row;

	side_bring_to(&lone, XRDMA_QPS_RTS);
	memset(lone.qp->row->rd_atomic, 0xa5, sizeof(row->rd_atomic));
	expect_int(rq->stride, ==, 3);
	side_destroy(&lone);
	expect(is_filled(row, sizeof(*row), 0));
	expect(is_filled(rq, sizeof(*rq), 0));
	side_create(&lone);
}

/* A responder that refuses a request stops its queue pair (IBA 9.9.3). */
Test(qp, is_stopped_by_its_responder)
{
	side_bring_to(&lone, XRDMA_QPS_RTS);
	lone.qp->row->resp.error = XRDMA_V_KEY;
	expect_int(side_state(&lone), ==, XRDMA_QPS_ERR);
	expect_int(lone.qp->row->state, ==, XRDMA_QPS_ERR);
	side_bring_to(&lone, XRDMA_QPS_RTS);
}

static int to_peer(const char *dest, const char *source)
{
	set_address(lone.attr.ah_attr.dest, dest);
	set_address(lone.attr.ah_attr.source, source);
	side_bring_to(&lone, XRDMA_QPS_INIT);
	return side_modify(&lone, XRDMA_QPS_RTR, TO_RTR);
}

Test(qp, paths)
{
	char mac[18];

	const __u8 *to = lone.qp->path.dest_mac;

	expect_msg(to_peer("10.77.0.5", "::") == 0, "%s", xrdma_error());
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", to[0], to[1], to[2], to[3],
		 to[4], to[5]);
	expect(lone.qp->path.has_mac);
	expect(!strcmp(mac, getenv("PEER_MAC")));
	expect_int(lone.qp->row->peer_addr[3], ==, inet_addr("10.77.0.5"));
	expect_msg(to_peer("fd66::2", "fd66::1") == 0, "%s", xrdma_error());
	expect_msg(to_peer("fd66::2", "::") == 0, "%s", xrdma_error());
	expect_int(lone.qp->row->addr[0], ==, htonl(0xfd660000));
	expect_int(lone.qp->row->addr[3], ==, htonl(1));
	expect_error(to_peer("10.66.0.2", "10.66.0.7"), EADDRNOTAVAIL, "xrdma status xa");
	expect_error(to_peer("fd66::2", "10.66.0.1"), EADDRNOTAVAIL,
		     "must both be IPv4, or both IPv6");
	expect_error(to_peer("10.99.0.1", "::"), ENETUNREACH, "no route to 10.99.0.1");
	expect_error(to_peer("10.78.0.1", "::"), ENETUNREACH, "no route to 10.78.0.1");
	expect_error(to_peer("10.79.0.2", "::"), ENETUNREACH, "no route to 10.79.0.2");
	expect_error(to_peer("224.0.0.1", "::"), ENETUNREACH, "no route to 224.0.0.1");
	expect_error(to_peer("10.80.0.1", "::"), EINVAL, "route to 10.80.0.1 has an MTU of 600");
	/* The neighbour may appear later. */
	expect_msg(to_peer("10.66.0.9", "::") == 0, "%s", xrdma_error());
	expect(!lone.qp->path.has_mac);
}

/* Queues use rows of the context's tables, which become free when the queues are destroyed. */
Test(qp, shared_rows)
{
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr), .cqs = 2, .cqes = 64, .segments = 13
	};
	struct xrdma_qp_init_attr init = {
		.sz = sizeof(init), .max_send_wr = 1, .max_recv_wr = 3, .max_recv_sge = 2
	};
	struct xrdma_context *context;
	struct xrdma_qp *qp[3];
	struct xrdma_cq *cq[3];
	struct xrdma_pd *pd;

	expect_msg(xrdma_context_open(DEVICE, &attr, &context) == 0, "%s", xrdma_error());
	expect_int(xrdma_pd_alloc(context, &pd), ==, 0);
	for (int round = 0; round < 3; round++) {
		expect_msg(xrdma_cq_create(context, 33, &cq[0]) == 0, "%s", xrdma_error());
		expect_error(xrdma_cq_create(context, 1, &cq[1]), ENOMEM, "no room for 1 entries");
		expect_int(xrdma_cq_destroy(cq[0]), ==, 0);
		for (int i = 0; i < 2; i++)
			expect_msg(xrdma_cq_create(context, 20, &cq[i]) == 0, "%s", xrdma_error());
		expect(cq[0]->row != cq[1]->row);
		expect_error(xrdma_cq_create(context, 1, &cq[2]), ENOMEM, "all 2 completion");
		init.send_cq = init.recv_cq = cq[1];
		for (int i = 0; i < 2; i++)
			expect_msg(xrdma_qp_create(pd, &init, &qp[i]) == 0, "%s", xrdma_error());
		expect(qp[0]->rq->sges != qp[1]->rq->sges);
		expect_error(xrdma_qp_create(pd, &init, &qp[2]), ENOMEM, "more sges");
		for (int i = 0; i < 2; i++) {
			expect_int(xrdma_qp_destroy(qp[i]), ==, 0);
			expect_int(xrdma_cq_destroy(cq[i]), ==, 0);
		}
	}
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	expect_int(xrdma_context_close(context), ==, 0);
}

static int create(size_t at, __u32 value, struct xrdma_qp **qp)
{
	struct xrdma_qp_init_attr init = lone.init;

	if (at == offsetof(struct xrdma_qp_init_attr, max_inline))
		init.max_inline = value;
	else
		*(__u32 *)((char *)&init + at) = value;
	return xrdma_qp_create(lone.owner.pd, &init, qp);
}

Test(qp, refusals)
{
	struct owner other;
	struct xrdma_cq *cq;
	struct xrdma_qp *second, *third;

	owner_open(&other, DEVICE);
	expect_int(xrdma_cq_create(other.context, 1, &cq), ==, 0);
#define AT(field) offsetof(struct xrdma_qp_init_attr, field)
	expect_error(create(AT(max_send_wr), 0, &third), EINVAL, "1 to 16384");
	expect_error(create(AT(max_send_wr), 16385, &third), EINVAL, "1 to 16384");
	expect_error(create(AT(max_send_sge), 33, &third), EINVAL, "at most 32");
	expect_error(create(AT(max_inline), 4097, &third), EINVAL, "at most 4096");
	expect_error(create(AT(max_recv_wr), 16385, &third), EINVAL, "at most 16384");
	expect_error(create(AT(max_recv_sge), 33, &third), EINVAL, "at most 32");
#undef AT
	lone.init.transport = XRDMA_TRANSPORT_CNP;
	expect_error(xrdma_qp_create(lone.owner.pd, &lone.init, &third), EOPNOTSUPP, "service 4");
	lone.init.transport = XRDMA_TRANSPORT_RC;
	lone.init.send_cq = cq;
	expect_error(xrdma_qp_create(lone.owner.pd, &lone.init, &third), EINVAL, "of its context");
	lone.init.send_cq = NULL;
	expect_error(xrdma_qp_create(lone.owner.pd, &lone.init, &third), EINVAL,
		     "completion queues");
	lone.init.send_cq = lone.cq;
	expect_int(xrdma_qp_create(lone.owner.pd, &lone.init, &second), ==, 0);
	expect_int(xrdma_qp_number(second), !=, xrdma_qp_number(lone.qp));
	expect_error(xrdma_qp_create(lone.owner.pd, &lone.init, &third), ENOMEM,
		     "all 2 queue pairs");
	expect_error(xrdma_cq_destroy(lone.cq), EBUSY, "4 queues");
	expect_error(xrdma_pd_dealloc(lone.owner.pd), EBUSY,
		     "2 regions, windows, mkeys, encryption keys, queue pairs, mapped keys and "
		     "counters");
	expect_error(xrdma_cq_create(lone.owner.context, 0, &cq), EINVAL, "1 to");
	expect_error(xrdma_cq_create(lone.owner.context, (1 << 20) + 1, &cq), EINVAL,
		     "1 to 1048576");
	expect_int(xrdma_pd_dealloc(other.pd), ==, 0);
	expect_error(xrdma_context_close(other.context), EBUSY, "1 completion queues");
	expect_int(xrdma_cq_destroy(cq), ==, 0);
	expect_int(xrdma_context_close(other.context), ==, 0);
	expect_int(xrdma_qp_destroy(second), ==, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* States and attributes of a queue pair. tests/net/context.sh runs it. */
#include <errno.h>
#include <string.h>

#include "support/side.h"
#include "support/test.h"

TestSuite(qp_state, .once = lone_open, .init = lone_create, .fini = lone_destroy,
	  .end = lone_close);

enum { ANY_TIME = XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_MIN_RNR_TIMER };

#define RC XRDMA_TRANSPORT_RC
#define UC XRDMA_TRANSPORT_UC
#define UD XRDMA_TRANSPORT_UD

/* Create the queue pair again, with the service TRANSPORT. */
static void use_service(enum xrdma_transport transport)
{
	if (lone.transport == transport)
		return;
	side_destroy(&lone);
	lone.transport = transport;
	side_create(&lone);
}

/* Move the queue pair to STATE. SQE is the state after a request with a wrong key. */
static void bring_to(enum xrdma_qp_state state)
{
	struct xrdma_sge nowhere = { .length = 1 };
	struct xrdma_send_wr wrong = side_request(XRDMA_WR_SEND, &nowhere, NULL, 0);
	const struct xrdma_send_wr *bad;
	struct xrdma_wc wc;

	side_bring_to(&lone, state == XRDMA_QPS_SQE ? XRDMA_QPS_RTS : state);
	if (state != XRDMA_QPS_SQE)
		return;
	expect_int(xrdma_ah_create(lone.owner.pd, &lone.attr.ah_attr, &wrong.ah), ==, 0);
	expect_int(xrdma_qp_post_send(lone.qp, &wrong, &bad), ==, 0);
	expect_int(xrdma_cq_poll(lone.cq, 1, &wc), ==, 1);
	expect_int(wc.status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(xrdma_ah_destroy(wrong.ah), ==, 0);
	expect_int(side_state(&lone), ==, state);
}

/* Returns the attributes that the change needs. */
static unsigned int mask_of(enum xrdma_qp_state from, enum xrdma_qp_state to)
{
	unsigned int mask = XRDMA_QP_STATE;

	if (to == XRDMA_QPS_INIT)
		mask = lone.transport == UD ? UD_TO_INIT : TO_INIT;
	else if (to == XRDMA_QPS_RTR)
		mask = lone.transport == UD ? UD_TO_RTR : TO_RTR;
	else if (to == XRDMA_QPS_RTS && from == XRDMA_QPS_RTR)
		mask = lone.transport == UD ? UD_TO_RTS : TO_RTS;
	return lone.transport == RC ? mask : mask & ~(unsigned int)OF_RELIABLE;
}

/* Transitions (IBA 10.3.1). RC has no SQE. */
Tests(qp_state, changes_of_state, 3)
{
	static const enum xrdma_transport services[] = { RC, UC, UD };
	static const char *const allowed[] = {
		[XRDMA_QPS_RESET] = "yy.....", [XRDMA_QPS_INIT] = "yyy...y",
		[XRDMA_QPS_RTR] = "y..y..y",   [XRDMA_QPS_RTS] = "y..yy.y",
		[XRDMA_QPS_SQD] = "y..yy.y",   [XRDMA_QPS_SQE] = "y..y..y",
		[XRDMA_QPS_ERR] = "y.....y",
	};

	use_service(services[i]);
	for (int from = XRDMA_QPS_RESET; from <= XRDMA_QPS_ERR; from++)
		for (int to = XRDMA_QPS_RESET; to <= XRDMA_QPS_ERR; to++) {
			int expected = allowed[from][to] == 'y' ? 0 : -EINVAL;

			if (from == XRDMA_QPS_SQE && services[i] == RC)
				continue;
			bring_to(from);
			expect_msg(side_modify(&lone, to, mask_of(from, to)) == expected,
				   "%d to %d: %s", from, to, xrdma_error());
			expect_int(side_state(&lone), ==, expected ? from : to);
		}
}

enum {
	UC_TO_INIT = TO_INIT,
	UC_TO_RTR = TO_RTR & ~OF_RELIABLE,
	UC_AND_RTR = XRDMA_QP_PKEY_INDEX | XRDMA_QP_ACCESS_FLAGS,
	UC_TO_RTS = TO_RTS & ~OF_RELIABLE,
	UC_ANY_TIME = XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS,
	UC_DRAINED = XRDMA_QP_PKEY_INDEX | XRDMA_QP_AV | XRDMA_QP_ACCESS_FLAGS,
	UD_AND_RTR = XRDMA_QP_PKEY_INDEX | XRDMA_QP_QKEY,
	UD_ANY_TIME = XRDMA_QP_CUR_STATE | XRDMA_QP_QKEY,
	UD_DRAINED = XRDMA_QP_PKEY_INDEX | XRDMA_QP_QKEY,
};

/* Transitions of UC and of UD: the same states, with other attributes. */
#define WAYS_OF_UNACKNOWLEDGED(service)                                                          \
	{ service, XRDMA_QPS_RESET, XRDMA_QPS_INIT, service##_TO_INIT, 0 },                      \
		{ service, XRDMA_QPS_INIT, XRDMA_QPS_INIT, XRDMA_QP_STATE, service##_TO_INIT },  \
		{ service, XRDMA_QPS_INIT, XRDMA_QPS_RTR, service##_TO_RTR, service##_AND_RTR }, \
		{ service, XRDMA_QPS_RTR, XRDMA_QPS_RTS, service##_TO_RTS, service##_ANY_TIME }, \
		{ service, XRDMA_QPS_RTS, XRDMA_QPS_RTS, XRDMA_QP_STATE, service##_ANY_TIME },   \
		{ service, XRDMA_QPS_RTS, XRDMA_QPS_SQD, XRDMA_QP_STATE,                         \
		  XRDMA_QP_EN_SQD_ASYNC_NOTIFY },                                                \
		{ service, XRDMA_QPS_SQD, XRDMA_QPS_RTS, XRDMA_QP_STATE, service##_ANY_TIME },   \
		{ service, XRDMA_QPS_SQD, XRDMA_QPS_SQD, XRDMA_QP_STATE, service##_DRAINED },    \
		{ service, XRDMA_QPS_SQE, XRDMA_QPS_RTS, XRDMA_QP_STATE, service##_ANY_TIME },   \
		{ service, XRDMA_QPS_SQE, XRDMA_QPS_RESET, XRDMA_QP_STATE, 0 },                  \
	{                                                                                        \
		service, XRDMA_QPS_SQE, XRDMA_QPS_ERR, XRDMA_QP_STATE, 0                         \
	}

/*
 * The tables of ibv_modify_qp(3): the masks that each transition requires and allows. They lack
 * attributes that this library does not have, for alternate paths and migration.
 */
static const struct {
	enum xrdma_transport transport;
	enum xrdma_qp_state from, to;
	unsigned int needs, takes;
} ways[] = {
	{ RC, XRDMA_QPS_RESET, XRDMA_QPS_INIT, TO_INIT, 0 },
	{ RC, XRDMA_QPS_INIT, XRDMA_QPS_RTR, TO_RTR, XRDMA_QP_PKEY_INDEX | XRDMA_QP_ACCESS_FLAGS },
	{ RC, XRDMA_QPS_RTR, XRDMA_QPS_RTS, TO_RTS, ANY_TIME },
	{ RC, XRDMA_QPS_INIT, XRDMA_QPS_INIT, XRDMA_QP_STATE, TO_INIT },
	{ RC, XRDMA_QPS_RTS, XRDMA_QPS_RTS, XRDMA_QP_STATE, ANY_TIME },
	{ RC, XRDMA_QPS_RTS, XRDMA_QPS_SQD, XRDMA_QP_STATE, XRDMA_QP_EN_SQD_ASYNC_NOTIFY },
	{ RC, XRDMA_QPS_SQD, XRDMA_QPS_RTS, XRDMA_QP_STATE, ANY_TIME },
	{ RC, XRDMA_QPS_SQD, XRDMA_QPS_SQD, XRDMA_QP_STATE,
	  XRDMA_QP_PORT | XRDMA_QP_AV | XRDMA_QP_TIMEOUT | XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY |
		  XRDMA_QP_MAX_QP_RD_ATOMIC | XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_ACCESS_FLAGS |
		  XRDMA_QP_PKEY_INDEX | XRDMA_QP_MIN_RNR_TIMER },
	{ RC, XRDMA_QPS_RTS, XRDMA_QPS_RESET, XRDMA_QP_STATE, 0 },
	{ RC, XRDMA_QPS_RTS, XRDMA_QPS_ERR, XRDMA_QP_STATE, 0 },
	{ RC, XRDMA_QPS_SQD, XRDMA_QPS_ERR, XRDMA_QP_STATE, 0 },
	{ RC, XRDMA_QPS_ERR, XRDMA_QPS_RESET, XRDMA_QP_STATE, 0 },
	{ RC, XRDMA_QPS_ERR, XRDMA_QPS_ERR, XRDMA_QP_STATE, 0 },
	WAYS_OF_UNACKNOWLEDGED(UC),
	WAYS_OF_UNACKNOWLEDGED(UD),
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Try transition I with another MASK, beginning in its first state. */
static int go(int i, unsigned int mask)
{
	use_service(ways[i].transport);
	bring_to(ways[i].from);
	lone.attr.cur_state = ways[i].from;
	return side_modify(&lone, ways[i].to, mask);
}

Tests(qp_state, attributes_that_a_change_needs, WAYS)
{
	for (unsigned int bit = 2; bit <= 1 << 20; bit <<= 1) {
		if (!(ways[i].needs & bit))
			continue;
		expect_error(go(i, ways[i].needs & ~bit), EINVAL, " needs XRDMA_QP_");
		expect_int(side_state(&lone), ==, ways[i].from);
	}
}

Tests(qp_state, attributes_that_a_change_takes, WAYS)
{
	for (unsigned int bit = 1; bit; bit <<= 1) {
		if (ways[i].needs & bit)
			continue;
		if (ways[i].takes & bit) {
			expect_msg(go(i, ways[i].needs | bit) == 0, "%x: %s", bit, xrdma_error());
			expect_int(side_state(&lone), ==, ways[i].to);
		} else {
			expect_error(go(i, ways[i].needs | bit), EINVAL,
				     " does not accept the attribute ");
			expect_int(side_state(&lone), ==, ways[i].from);
		}
	}
}

Test(qp_state, messages)
{
	expect_error(go(0, TO_INIT | XRDMA_QP_SQ_PSN), EINVAL,
		     "RESET to INIT does not accept the attribute XRDMA_QP_SQ_PSN");
	expect_error(go(0, TO_INIT | 1U << 31), EINVAL, "unknown");
	side_bring_to(&lone, XRDMA_QPS_RTR);
	lone.attr.cur_state = XRDMA_QPS_INIT;
	expect_error(side_modify(&lone, XRDMA_QPS_RTS, TO_RTS | XRDMA_QP_CUR_STATE), EINVAL,
		     "cur_state is INIT: the queue pair is in RTR");
}

Test(qp_state, ranges_of_attributes)
{
	static const struct {
		int way;
		size_t at, size;
		long long good, bad;
	} rows[] = {
#define FIELD(name) offsetof(struct xrdma_qp_attr, name), sizeof(((struct xrdma_qp_attr *)0)->name)
		{ 0, FIELD(access), 15, 16 },
		{ 0, FIELD(pkey_index), 0, 1 },
		{ 0, FIELD(port), 1, 0 },
		{ 0, FIELD(port), 1, 2 },
		{ 1, FIELD(path_mtu), 256, 255 },
		{ 1, FIELD(path_mtu), 512, 768 },
		{ 1, FIELD(path_mtu), 1024, 8192 },
		{ 1, FIELD(path_mtu), 1024, 2048 }, /* the netdev's MTU is 1500 */
		{ 1, FIELD(dest_qpn), 2, 1 },
		{ 1, FIELD(dest_qpn), 0xffffff, 0x1000000 },
		{ 1, FIELD(rq_psn), 0xffffff, 0x1000000 },
		{ 1, FIELD(max_dest_rd_atomic), 16, 17 },
		{ 1, FIELD(min_rnr_timer), 31, 32 },
		{ 2, FIELD(sq_psn), 0xffffff, 0x1000000 },
		{ 2, FIELD(timeout), 31, 32 },
		{ 2, FIELD(retry_cnt), 7, 8 },
		{ 2, FIELD(rnr_retry), 7, 8 },
		{ 2, FIELD(max_rd_atomic), 16, 17 },
#undef FIELD
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *field = (char *)&lone.attr + rows[i].at;
		int way = rows[i].way;

		use_service(ways[way].transport);
		bring_to(ways[way].from);
		memcpy(field, &rows[i].bad, rows[i].size);
		expect_msg(side_modify(&lone, ways[way].to, ways[way].needs) == -EINVAL, "row %zu",
			   i);
		expect_int(side_state(&lone), ==, ways[way].from);
		memcpy(field, &rows[i].good, rows[i].size);
		expect_msg(side_modify(&lone, ways[way].to, ways[way].needs) == 0, "row %zu: %s", i,
			   xrdma_error());
	}
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Calls with a struct whose size may differ (error.h), from programs with a longer one, or without
 * a valid size. tests/net/context.sh runs it on the loaded device xa.
 */
#include <errno.h>
#include <xrdma/conn.h>
#include <xrdma/device.h>

#include "support/side.h"
#include "support/slot_view.h"
#include "support/test.h"

/* A struct of later programs, with a member that this library does not know. */
#define LATER(type)                \
	struct {                   \
		struct type known; \
		__u64 more;        \
	}

/* Expect that CALL refuses unknown values in LATER, and a wrong size. */
#define EXPECT_READ(later, type, call)                                  \
	do {                                                            \
		(later).known.sz = sizeof(later);                       \
		(later).more = 1;                                       \
		expect_error(call, E2BIG, "struct " #type);             \
		(later).known.sz = 0;                                   \
		expect_error(call, EINVAL, "sizeof(struct " #type ")"); \
	} while (0)

/* Expect that CALL writes LATER, and zeroes the members that it does not know. */
#define EXPECT_WRITTEN(later, type, call)                                       \
	do {                                                                    \
		(later).known.sz = sizeof(later);                               \
		(later).more = 1;                                               \
		expect_msg((call) == 0, "%s", xrdma_error());                   \
		expect((later).more == 0 && (later).known.sz == sizeof(later)); \
		(later).known.sz = 0;                                           \
		expect_error(call, EINVAL, "sizeof(struct " #type ")");         \
	} while (0)

static struct side side;

static void start(void)
{
	owner_open(&side.owner, SLOT_DEVICE);
	side_create(&side);
}

static void stop(void)
{
	side_destroy(&side);
	owner_close(&side.owner);
}

TestSuite(attr, .init = start, .fini = stop);

Test(attr, of_a_device)
{
	LATER(xrdma_load_attr) load = {};
	LATER(xrdma_device_status) status;

	EXPECT_READ(load, xrdma_load_attr, xrdma_device_load(SLOT_DEVICE, &load.known));
	EXPECT_WRITTEN(status, xrdma_device_status, xrdma_device_query(SLOT_DEVICE, &status.known));
}

/* Structs of the kernel's contract, which have no room for a size. */
Test(attr, of_counters)
{
	LATER(xrdma_counters) counters = { .more = 1 };

	expect_error(xrdma_device_counters(SLOT_DEVICE, &counters.known, sizeof(counters)), EINVAL,
		     "build the program anew");
	expect_int(xrdma_device_counters(SLOT_DEVICE, &counters.known, sizeof(counters.known)), ==,
		   0);
	expect_int(counters.more, ==, 1);
}

Test(attr, of_a_context)
{
	LATER(xrdma_context_attr) attr = {};
	LATER(xrdma_device_attr) limits;
	struct xrdma_context *context;

	EXPECT_READ(attr, xrdma_context_attr,
		    xrdma_context_open(SLOT_DEVICE, &attr.known, &context));
	EXPECT_WRITTEN(limits, xrdma_device_attr,
		       xrdma_context_query(side.owner.context, &limits.known));
}

Test(attr, of_a_queue_pair)
{
	LATER(xrdma_qp_init_attr) init = { .known = side.init };
	LATER(xrdma_qp_attr) attr = { .known = side.attr };
	struct xrdma_qp *qp;

	EXPECT_READ(init, xrdma_qp_init_attr, xrdma_qp_create(side.owner.pd, &init.known, &qp));
	attr.known.state = XRDMA_QPS_INIT;
	EXPECT_READ(attr, xrdma_qp_attr, xrdma_qp_modify(side.qp, &attr.known, TO_INIT));
	expect_int(side_state(&side), ==, XRDMA_QPS_RESET);
	EXPECT_WRITTEN(attr, xrdma_qp_attr, xrdma_qp_query(side.qp, &attr.known));
}

/* The attributes are checked before anything is sent to the peer, which does not exist here. */
Test(attr, of_a_connection)
{
	LATER(xrdma_conn_attr) attr = {};
	struct xrdma_conn_peer peer = {};

	EXPECT_READ(attr, xrdma_conn_attr, xrdma_conn_accept(-1, side.qp, &attr.known, NULL));
	EXPECT_READ(attr, xrdma_conn_attr,
		    xrdma_conn_connect("10.66.0.2", "1", side.qp, &attr.known, NULL));
	expect_error(xrdma_conn_accept(-1, side.qp, NULL, &peer), EINVAL,
		     "sizeof(struct xrdma_conn_peer)");
	expect_error(xrdma_conn_connect("10.66.0.2", "1", side.qp, NULL, &peer), EINVAL,
		     "sizeof(struct xrdma_conn_peer)");
}

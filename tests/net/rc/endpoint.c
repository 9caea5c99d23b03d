// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Regions of a queue pair (fi_mr(3), XRDMA_MR_MODE_ENDPOINT). tests/net/rc.sh runs it. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "support/region.h"
#include "support/buffers.h"
#include "support/test.h"

static struct side other; /* another queue pair of B */

static void open_domain(void)
{
	region_open(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_ENDPOINT);
}

static void start(void)
{
	region_start();
	other.owner = pair.b.owner;
	side_create(&other);
}

/* Stop, with the queue pairs destroyed first. */
static void stop(void)
{
	struct xrdma_mr *bound = region.mr;

	region.mr = NULL;
	if (other.qp)
		side_destroy(&other);
	region_stop();
	if (bound)
		expect_int(xrdma_mr_close(bound), ==, 0);
}

TestSuite(endpoint, .once = open_domain, .end = region_close, .init = start, .fini = stop);

static void bind_to(struct xrdma_qp *qp)
{
	expect_msg(xrdma_mr_bind_qp(region.mr, qp, 0) == 0, "%s", xrdma_error());
	expect_msg(xrdma_mr_enable(region.mr) == 0, "%s", xrdma_error());
}

static void expect_nothing(void)
{
	region_expect_refused(XRDMA_WR_RDMA_WRITE, REGION_KEY, 0, 64);
	region_expect_refused(XRDMA_WR_RDMA_READ, REGION_KEY, 0, 64);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	region_expect_received(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
}

/* A region is disabled until it is bound and enabled. */
Test(endpoint, bound)
{
	region_reg(REGION_ACCESS);
	expect_nothing();
	expect_error(xrdma_mr_enable(region.mr), EINVAL, "needs a region bound to a queue pair");
	expect_int(xrdma_mr_bind_qp(region.mr, pair.b.qp, 0), ==, 0);
	expect_nothing();
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	region_every_operation();
}

/* Other queue pairs of the domain do not reach the region. */
Test(endpoint, bound_to_another)
{
	struct iovec iov[REGION_BUFFERS];

	region_reg(REGION_ACCESS);
	bind_to(other.qp);
	expect_nothing();
	side_destroy(&other);
	region_end();
	side_create(&other);
	region_cut(iov);
	region_regv(iov, REGION_BUFFERS, REGION_ACCESS);
	bind_to(other.qp);
	region.own_base = 0;
	expect_nothing();
}

/* The queue pair is destroyed first. A later one with its number does not reach the region. */
Test(endpoint, destroyed)
{
	const __u32 qpn = xrdma_qp_number(pair.b.qp);
	struct xrdma_mkey_row *row;

	region_reg(REGION_ACCESS);
	row = side_key(&pair.b, xrdma_mr_lkey(region.mr));
	bind_to(pair.b.qp);
	expect_int(row->qpn, ==, qpn);
	expect_error(xrdma_mr_close(region.mr), EBUSY, "bound to queue pair");
	side_destroy(&pair.b);
	expect_int(row->state, ==, XRDMA_MKEY_STATE_INVALID);
	side_create(&pair.b);
	expect_error(xrdma_mr_enable(region.mr), EINVAL, "was destroyed");
	expect_error(xrdma_mr_bind_qp(region.mr, pair.b.qp, 0), EINVAL, "is not disabled");
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE;
	expect_nothing();
	region_end();
}

/*
 * A queue pair can be destroyed after the context had an mkey that signs. See
 * refresh.beside_signatures.
 */
Test(endpoint, destroyed_beside_signatures)
{
	region_use_signatures();
	region_reg(REGION_ACCESS);
	bind_to(pair.b.qp);
	side_destroy(&pair.b);
	expect_int(xrdma_mr_close(region.mr), ==, 0);
	region.mr = NULL;
	side_create(&pair.b);
}

Test(endpoint, not_bound)
{
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;

	region_reg(REGION_ACCESS);
	expect_error(xrdma_mr_bind_qp(region.mr, pair.b.qp, 1), XRDMA_EBADFLAGS, "flags 0x1");
	expect_error(xrdma_mr_bind_qp(region.mr, pair.a.qp, 0), EINVAL,
		     "another protection domain");
	expect_int(xrdma_mr_bind_qp(region.mr, pair.b.qp, 0), ==, 0);
	expect_error(xrdma_mr_bind_qp(region.mr, other.qp, 0), EBUSY, "bound to queue pair");
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	expect_error(xrdma_mr_bind_qp(region.mr, other.qp, 0), EINVAL, "is not disabled");
	/* Without XRDMA_MR_MODE_ENDPOINT, regions are usable at once, and stay usable. */
	pd = pair.a.owner.pd;
	expect_int(register_buffer(pd, pair.source, 64, REGION_ACCESS, 0, 0, &mr), ==, 0);
	expect_error(xrdma_mr_bind_qp(mr, pair.a.qp, 0), EINVAL, "is not disabled");
	expect_int(xrdma_mr_enable(mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

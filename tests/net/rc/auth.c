// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Authorization keys (fi_mr(3)): only queue pairs with the region's authorization key reach it.
 * tests/net/rc.sh runs it.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/region.h"
#include "support/test.h"

#define KEY "of the domain"

static void open_domain(void)
{
	region_open_with(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED, KEY);
}

TestSuite(auth, .once = open_domain, .end = region_close, .init = region_start,
	  .fini = region_stop);

/* Replace A's queue pair by one with AUTH_KEY. */
static void program(const char *auth_key)
{
	side_destroy(&pair.a);
	pair.a.auth_key = auth_key;
	side_create(&pair.a);
	pair.a.auth_key = NULL;
}

static void expect_reached(const char *auth_key)
{
	program(auth_key);
	pair_connect(4, 1024);
	region_write(0, 64);
	pair_expect_written(0, 64);
}

static void expect_not_reached(const char *auth_key)
{
	program(auth_key);
	region_expect_refused(XRDMA_WR_RDMA_WRITE, region.key, region.base, 64);
	region_expect_refused(XRDMA_WR_RDMA_READ, region.key, region.base, 64);
	region_expect_refused(XRDMA_WR_ATOMIC_FETCH_AND_ADD, region.key, region.base, 8);
}

/* A region without an authorization key of its own has that of its domain. */
Test(auth, of_the_domain)
{
	region_reg(REGION_ACCESS);
	expect_not_reached(NULL);
	expect_not_reached("of the domaiN");
	expect_not_reached("of the domain ");
	program(KEY);
	region_every_operation();
}

/* Register with AUTH_KEY. If it is NULL, the region has the domain's key. */
static void reg_with(const char *auth_key)
{
	const struct iovec all = { pair.target, PAIR_BYTES };
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = &all,
		.iov_count = 1,
		.access = REGION_ACCESS,
		.requested_key = REGION_KEY,
		.auth_key = (const __u8 *)auth_key,
		.auth_key_size = strlen(auth_key),
	};

	region_end();
	expect_msg(xrdma_mr_regattr(pair.b.owner.pd, &attr, 0, &region.mr) == 0, "%s",
		   xrdma_error());
}

Test(auth, of_the_region)
{
	reg_with("its own");
	expect_not_reached(NULL);
	expect_not_reached(KEY);
	expect_reached("its own");
	reg_with("another");
	expect_not_reached("its own");
	expect_reached("another");
}

/* A queue pair without a key of its own has its domain's key. Here B reaches a region of A. */
Test(auth, of_the_queue_pair)
{
	const char key[] = KEY;
	const struct iovec all = { pair.source, 64 };
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = &all,
		.iov_count = 1,
		.access = REGION_ACCESS,
		.auth_key = (const __u8 *)key,
		.auth_key_size = strlen(key),
	};
	const struct xrdma_sge into = { (uintptr_t)pair.target, 64, xrdma_mr_lkey(pair.target_mr) };
	struct xrdma_send_wr read = {
		.sg_list = &into,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_READ,
		.flags = XRDMA_SEND_SIGNALED,
	};
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_regattr(pair.a.owner.pd, &attr, 0, &mr), ==, 0);
	read.rkey = xrdma_mr_key(mr);
	read.remote_addr = (uintptr_t)pair.source;
	pair.a.attr.access = XRDMA_ACCESS_REMOTE_READ;
	region_reg(REGION_ACCESS);
	for (int i = 0; i < 2; i++) {
		const struct xrdma_sge own = { (uintptr_t)pair.target, 64,
					       xrdma_mr_lkey(region.mr) };

		read.sg_list = &own;
		pair_connect(4, 1024);
		expect_int(xrdma_qp_post_send(pair.b.qp, &read, &send_bad), ==, 0);
		pair_poll_recv(1);
		expect_int(recv_wc[0].status, ==, i ? XRDMA_WC_REM_ACCESS_ERR : XRDMA_WC_SUCCESS);
		read.rkey = xrdma_mr_key(region.local); /* this one has none */
	}
	expect(!memcmp(pair.target, pair.source, 64));
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/* A raw key and the authorization key are both needed. */
Test(auth, raw)
{
	struct xrdma_pd_attr attr = {
		.sz = sizeof(attr),
		.mr_mode = XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_RAW,
		.auth_key = (const __u8 *)KEY,
		.auth_key_size = strlen(KEY),
	};
	struct side b = { 0 };
	struct side with_b = pair.b;
	size_t size = 12;
	__u8 raw[12];
	__u64 base;

	b.owner = pair.b.owner;
	expect_int(xrdma_pd_open(pair.b.owner.context, &attr, &b.owner.pd), ==, 0);
	side_create(&b);
	b.attr = pair.b.attr;
	pair.b = b;
	region_reg(REGION_ACCESS);
	expect_int(xrdma_mr_raw_attr(region.mr, &base, raw, &size, 0), ==, 0);
	expect_int(base, ==, 0);
	expect_int(xrdma_mr_map_raw(pair.a.owner.pd, base, raw, size, &region.key, 0), ==, 0);
	expect_not_reached(NULL);
	expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, region.key), ==, 0);
	expect_int(xrdma_mr_map_raw(pair.a.owner.pd, base, raw, size, &region.key, 0), ==, 0);
	expect_reached(KEY);
	expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, region.key), ==, 0);
	region_end();
	side_destroy(&b);
	expect_int(xrdma_pd_dealloc(b.owner.pd), ==, 0);
	pair.b = with_b;
}

/*
 * An authorization key that is too long is refused, and so is a missing one. The error says which.
 */
Test(auth, wrong)
{
	static const __u8 bytes[XRDMA_AUTH_KEY_MAX];
	struct xrdma_pd_attr pd_attr = { .sz = sizeof(pd_attr), .mr_mode = XRDMA_MR_MODE_BASIC };
	struct xrdma_qp_init_attr qp_attr = pair.a.init;
	const struct iovec all = { pair.target, 64 };
	struct xrdma_mr_attr mr_attr = { .sz = sizeof(mr_attr), .mr_iov = &all, .iov_count = 1 };
	struct xrdma_pd *pd;
	struct xrdma_qp *qp;

	for (int is_missing = 0; is_missing < 2; is_missing++) {
		const char *text = is_missing ? "auth_key is NULL" : "1025 bytes";
		const __u8 *key = is_missing ? NULL : bytes;
		size_t size = is_missing ? 1 : XRDMA_AUTH_KEY_MAX + 1;

		pd_attr.auth_key = qp_attr.auth_key = mr_attr.auth_key = key;
		pd_attr.auth_key_size = qp_attr.auth_key_size = mr_attr.auth_key_size = size;
		expect_error(xrdma_pd_open(pair.a.owner.context, &pd_attr, &pd), EINVAL, text);
		expect_error(xrdma_qp_create(pair.a.owner.pd, &qp_attr, &qp), EINVAL, text);
		expect_error(xrdma_mr_regattr(pair.b.owner.pd, &mr_attr, 0, &region.mr), EINVAL,
			     text);
	}
	pd_attr.auth_key = bytes;
	pd_attr.auth_key_size = XRDMA_AUTH_KEY_MAX;
	expect_int(xrdma_pd_open(pair.a.owner.context, &pd_attr, &pd), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Threads that build chains of requests for one queue pair. tests/net/two_hosts.sh runs it. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "support/mkey.h"
#include "support/test.h"

enum { WORKERS = 3, CHAINS = 2000, HALF = 64 };

static struct worker {
	pthread_t thread;
	struct xrdma_mkey *mkey;
	int done; /* number of requests */
} workers[WORKERS];
static struct xrdma_mr *open_to_b; /* region of A */

TestSuite(threads_mkey, .once = pair_open, .end = pair_close, .init = mkey_start,
	  .fini = mkey_stop);

/* Poll. The completions may belong to any request. */
static void poll_some(void)
{
	struct xrdma_wc some[4];
	int count = xrdma_cq_poll(pair.b.cq, 4, some);

	for (int i = 0; i < count; i++) {
		expect_msg(some[i].status == XRDMA_WC_SUCCESS, "%s",
			   xrdma_wc_status_str(some[i].status));
		__atomic_add_fetch(&workers[some[i].wr_id].done, 1, __ATOMIC_RELEASE);
	}
}

/*
 * Post a chain. It configures a worker's mkey as its two halves, beginning with half FIRST, and
 * writes all of it to A.
 */
static int post_chain(int number, int first)
{
	const struct xrdma_sge halves[2] = {
		mkey_part((2 * number + first) * HALF, HALF),
		mkey_part((2 * number + 1 - first) * HALF, HALF),
	};
	const struct xrdma_sge all = { 0, 2 * HALF, xrdma_mkey_key(workers[number].mkey) };
	const struct xrdma_send_wr write = {
		.wr_id = number,
		.sg_list = &all,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(open_to_b),
		.remote_addr = (uintptr_t)pair.source + 2 * number * HALF,
	};
	struct xrdma_mkey_conf_attr attr = mkey.attr;

	attr.wr_id = number;
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_mkey_configure(pair.b.qp, workers[number].mkey, 1, &attr);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 2, halves);
	xrdma_wr_add(pair.b.qp, &write);
	return xrdma_wr_complete(pair.b.qp);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	int number = worker - workers, err;

	for (int i = 1; i <= CHAINS; i++) {
		while ((err = post_chain(number, i & 1))) {
			expect_msg(err == -ENOMEM, "%s", xrdma_error());
			poll_some();
		}
		while (__atomic_load_n(&worker->done, __ATOMIC_ACQUIRE) < 2 * i)
			poll_some();
		expect(!memcmp(pair.source + 2 * number * HALF,
			       pair.target + (2 * number + (i & 1)) * HALF, HALF));
	}
	return NULL;
}

/* The queue pair belongs to a thread from the start of a chain to its completion. */
Test(threads_mkey, share_the_builder)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = 2,
	};

	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE, &open_to_b),
		   ==, 0);
	pair.a.attr.access = XRDMA_ACCESS_REMOTE_WRITE;
	pair_connect(4, 1024);
	memcpy(pair.target, pair.source + PAIR_BYTES / 2, 2 * WORKERS * HALF);
	for (int i = 0; i < WORKERS; i++)
		expect_int(xrdma_mkey_create(pair.b.owner.pd, &init, &workers[i].mkey), ==, 0);
	for (int i = 0; i < WORKERS; i++)
		expect_int(pthread_create(&workers[i].thread, NULL, work, &workers[i]), ==, 0);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		expect_int(xrdma_mkey_destroy(workers[i].mkey), ==, 0);
	}
	expect_int(xrdma_mr_close(open_to_b), ==, 0);
}

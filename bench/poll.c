// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure polling a completion queue of 1000 queue pairs on xa of host a (run.sh). Each has a
 * request that waits for its peer. The baseline is a completion queue with one such queue pair. No
 * peer responds, because no device is loaded on xb.
 */
#include <err.h>
#include <stdlib.h>
#include <time.h>
#include <xrdma/qp.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "lonely.h"

enum {
	QPS = 1000,
	SAMPLES = 20000,
	POLLS = 64, /* polls in a sample */
};

static struct xrdma_context *context;
static struct xrdma_pd *pd;

/* Post a WRITE of no bytes. */
static void post(struct xrdma_qp *qp)
{
	const struct xrdma_send_wr wr = { .opcode = XRDMA_WR_RDMA_WRITE };

	endpoint_send(qp, &wr);
}

static double poll_ns(struct xrdma_cq *cq)
{
	const int samples = bench_rounds(SAMPLES);
	static __u32 ns[SAMPLES];
	struct timespec start, end;
	struct xrdma_wc wc;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < POLLS; k++)
			if (xrdma_cq_poll(cq, 1, &wc))
				errx(1, "a request that nobody answers is complete");
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns[i] = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
	}
	return (double)bench_median(ns, samples) / POLLS;
}

static double poll_of(int count)
{
	struct xrdma_qp *qps[QPS];
	struct xrdma_cq *cq;
	double ns;

	must(xrdma_cq_create(context, 1, &cq));
	for (int i = 0; i < count; i++) {
		qps[i] = lonely_qp(pd, cq, 1, 0);
		post(qps[i]);
	}
	ns = poll_ns(cq);
	for (int i = 0; i < count; i++)
		must(xrdma_qp_destroy(qps[i]));
	must(xrdma_cq_destroy(cq));
	return ns;
}

void bench_poll(void)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .qps = QPS };
	double one;

	bench_pin(0);
	must(xrdma_context_open("xa", &attr, &context));
	must(xrdma_pd_alloc(context, &pd));
	one = poll_of(1);
	bench_report("poll_idle_1k_qps", "ns", poll_of(QPS), one);
	must(xrdma_pd_dealloc(pd));
	must(xrdma_context_close(context));
}

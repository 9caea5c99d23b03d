// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "perf.h"
#include "xrdma/abi/context.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void perf_must(int err)
{
	if (!err)
		return;
	fprintf(stderr, "xrdma perf: %s\n", xrdma_error());
	exit(1);
}

void perf_open(struct perf_end *end, const char *device, enum xrdma_tx tx)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .tx = tx };

	*end = (struct perf_end){ 0 };
	perf_must(xrdma_context_open(device, &attr, &end->context));
	perf_must(xrdma_pd_alloc(end->context, &end->pd));
	perf_must(xrdma_cq_create(end->context, 1, &end->cq));
}

void perf_prepare(struct perf_end *end, __u32 bytes, __u32 receives)
{
	const unsigned int access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
				    XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
	void *memory;

	perf_must(xrdma_alloc(end->context, bytes, 4096, &memory));
	memset(memory, 0, bytes);
	perf_must(xrdma_mr_reg(end->pd, memory, bytes, access, &end->mr));
	perf_must(xrdma_cq_create(end->context, receives, &end->recv_cq));
	end->sge = (struct xrdma_sge){
		.addr = (uintptr_t)memory,
		.length = bytes,
		.lkey = xrdma_mr_key(end->mr),
	};
}

struct xrdma_qp *perf_add_qp(const struct perf_end *end, __u32 requests, __u32 receives)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = requests,
		.max_send_sge = 1,
		.max_recv_wr = receives,
		.max_recv_sge = 1,
		.send_cq = end->cq,
		.recv_cq = end->recv_cq ? end->recv_cq : end->cq,
	};
	struct xrdma_qp *qp;

	perf_must(xrdma_qp_create(end->pd, &init, &qp));
	return qp;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "endpoint.h"

#include <err.h>
#include <string.h>

void must(int err)
{
	if (err)
		errx(1, "%s", xrdma_error());
}

void endpoint_open(struct endpoint *endpoint, const char *device, size_t len, unsigned int access)
{
	struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = 1,
		.max_send_sge = 1,
	};
	void *memory;

	must(xrdma_context_open(device, NULL, &endpoint->context));
	must(xrdma_pd_alloc(endpoint->context, &endpoint->pd));
	must(xrdma_alloc(endpoint->context, len, 4096, &memory));
	memset(memory, 0, len);
	endpoint->memory = memory;
	must(xrdma_mr_reg(endpoint->pd, memory, len, access, &endpoint->mr));
	must(xrdma_cq_create(endpoint->context, 1, &endpoint->cq));
	init.send_cq = init.recv_cq = endpoint->cq;
	must(xrdma_qp_create(endpoint->pd, &init, &endpoint->qp));
}

void endpoint_close(struct endpoint *endpoint)
{
	must(xrdma_qp_destroy(endpoint->qp));
	must(xrdma_cq_destroy(endpoint->cq));
	must(xrdma_mr_dereg(endpoint->mr));
	must(xrdma_pd_dealloc(endpoint->pd));
	must(xrdma_context_close(endpoint->context));
}

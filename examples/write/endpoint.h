/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What both sides of the example need: a device, a piece of registered memory, a queue pair. */
#ifndef XRDMA_EXAMPLES_ENDPOINT_H
#define XRDMA_EXAMPLES_ENDPOINT_H

#include <xrdma/conn.h>
#include <xrdma/mr.h>

#define PORT "7471"

struct endpoint {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	struct xrdma_cq *cq;
	struct xrdma_qp *qp;
	char *memory; /* of mr, zeroed */
};

/* What the target tells the writer when they connect, as the private data of the connection. */
struct offer {
	__be64 addr;
	__be32 rkey;
	__be32 len;
};

/* Ends the program with the library's message when ERR is one. */
void must(int err);

/* With LEN bytes of memory, for what ACCESS (XRDMA_ACCESS_*) allows. */
void endpoint_open(struct endpoint *endpoint, const char *device, size_t len, unsigned int access);
void endpoint_close(struct endpoint *endpoint);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * xrdma perf: code of client and server. A client connects one queue pair to the server's port. Its
 * private data say what it will measure. The server's reply names another port, to which the client
 * connects the queue pairs that it measures. At its end the client sends a message by the first
 * queue pair. If the client is killed, the server notices it because its requests are not
 * acknowledged any more.
 */
#ifndef XRDMA_TOOLS_PERF_H
#define XRDMA_TOOLS_PERF_H

#include <xrdma/conn.h>
#include <xrdma/mr.h>

#define PERF_PORT "7472"

enum {
	PERF_VERSION = 2,
	PERF_QPS_MAX = 64,
	PERF_DEPTH_MAX = 256, /* requests in flight on each */
	PERF_BYTES_MAX = 64 << 20,
};

/* Private data from client to server. */
struct perf_terms {
	__be32 version, bytes, qps, depth;
};

/* Private data from server to client, for the first queue pair. */
struct perf_reply {
	__be32 version;
	__be16 port;
};

/* Private data of the client for each of the other queue pairs. */
struct perf_offer {
	__be64 addr;
	__be32 rkey;
};

struct perf_end {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_cq *cq; /* for requests */
	struct xrdma_cq *recv_cq;
	struct xrdma_mr *mr;
	struct xrdma_sge sge; /* all memory of this end */
};

/* If ERR is an error, print the library's message and end the program. */
void perf_must(int err);

/* Open DEVICE, without memory and without a completion queue for receives. Exiting closes it. */
void perf_open(struct perf_end *end, const char *device, enum xrdma_tx tx);

/* Allocate BYTES of zeroed memory, and create a completion queue for RECEIVES completions. */
void perf_prepare(struct perf_end *end, __u32 bytes, __u32 receives);

/* Create a queue pair, in state RESET. */
struct xrdma_qp *perf_add_qp(const struct perf_end *end, __u32 requests, __u32 receives);

#endif

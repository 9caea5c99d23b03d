/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * xrdma perf: what both ends have. A client connects one queue pair to the server's port, says in
 * its private data what it is going to do, and is told a port of its own, to which it connects the
 * queue pairs that it measures. By a message of the first one it says that it is going; if it is
 * killed, the server learns it because requests are no longer answered.
 */
#ifndef XRDMA_TOOLS_PERF_H
#define XRDMA_TOOLS_PERF_H

#include <xrdma/conn.h>
#include <xrdma/mr.h>

#define PERF_PORT "7472"

enum {
	PERF_VERSION = 2,
	PERF_QPS_MAX = 64,
	PERF_DEPTH_MAX = 256, /* requests under way on each */
	PERF_BYTES_MAX = 64 << 20,
};

/* From client to server. */
struct perf_terms {
	__be32 version, bytes, qps, depth;
};

/* From server to client, by the first queue pair. */
struct perf_reply {
	__be32 version;
	__be16 port;
};

/* Offer to each of the other queue pairs. */
struct perf_offer {
	__be64 addr;
	__be32 rkey;
};

struct perf_end {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_cq *cq; /* of requests */
	struct xrdma_cq *recv_cq;
	struct xrdma_mr *mr;
	struct xrdma_sge sge; /* all of its memory */
};

/* Ends the program with the library's message when ERR is one. */
void perf_must(int err);

/* Without memory and a queue for receives. The end of the process closes it. */
void perf_open(struct perf_end *end, const char *device, enum xrdma_tx tx);

/* BYTES of zeroed memory, and room for RECEIVES completions. */
void perf_prepare(struct perf_end *end, __u32 bytes, __u32 receives);

/* In RESET. */
struct xrdma_qp *perf_add_qp(const struct perf_end *end, __u32 requests, __u32 receives);

#endif

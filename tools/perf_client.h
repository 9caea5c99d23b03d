/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The client of xrdma perf: requests to a server, one at a time and many at a time. */
#ifndef XRDMA_TOOLS_PERF_CLIENT_H
#define XRDMA_TOOLS_PERF_CLIENT_H

#include "perf.h"
#include "spread.h"

struct perf_client_attr {
	const char *device, *host, *port;
	enum xrdma_tx tx;
	__u16 path_mtu; /* 0: what the way carries */
	__u32 bytes;	/* of the longest request, at least 8 */
	__u32 qps, depth;
	double seconds; /* that each measurement takes */
};

struct perf_client {
	struct perf_client_attr attr;
	struct perf_end end;
	struct xrdma_qp *first, *qps[PERF_QPS_MAX];
	struct xrdma_send_wr wrs[PERF_DEPTH_MAX]; /* each the same */
	__u16 path_mtu;
};

struct perf_result {
	struct spread ns; /* from posting to completion, one at a time */
	__u64 done;	  /* requests, with all that may be under way */
	double seconds;	  /* from the first posting to the last completion */
};

void perf_connect(struct perf_client *client, const struct perf_client_attr *attr);

/* Tell the server that the client is going. */
void perf_leave(struct perf_client *client);

/*
 * Measure requests of OPCODE and BYTES, which are called NAME. Ends the program when one fails.
 * Where standard error is a terminal, it shows how far it is.
 */
void perf_measure(struct perf_client *client, enum xrdma_wr_opcode opcode, const char *name,
		  __u32 bytes, struct perf_result *result);

#endif

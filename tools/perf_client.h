/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Client of xrdma perf: send requests to a server, one at a time or many at a time. */
#ifndef XRDMA_TOOLS_PERF_CLIENT_H
#define XRDMA_TOOLS_PERF_CLIENT_H

#include "perf.h"
#include "spread.h"

struct perf_client_attr {
	const char *device, *host, *port;
	enum xrdma_tx tx;
	__u16 path_mtu; /* 0: the largest that the path allows */
	__u32 bytes;	/* length of the longest request, at least 8 */
	__u32 qps, depth;
	double seconds; /* duration of each measurement */
};

struct perf_client {
	struct perf_client_attr attr;
	struct perf_end end;
	struct xrdma_qp *first, *qps[PERF_QPS_MAX];
	struct xrdma_send_wr wrs[PERF_DEPTH_MAX]; /* all are equal */
	__u16 path_mtu;
};

struct perf_result {
	struct spread ns; /* times from posting to completion, one request at a time */
	__u64 done;	  /* requests that were completed with many in flight */
	double seconds;	  /* time from the first posting to the last completion */
};

void perf_connect(struct perf_client *client, const struct perf_client_attr *attr);

/* Notify the server that the client ends. */
void perf_leave(struct perf_client *client);

/*
 * Measure requests of OPCODE and BYTES, called NAME. If a request fails, the program ends. If
 * standard error is a terminal, the progress is shown.
 */
void perf_measure(struct perf_client *client, enum xrdma_wr_opcode opcode, const char *name,
		  __u32 bytes, struct perf_result *result);

#endif

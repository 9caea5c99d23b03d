/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The rows of a context's completion queues and queue pairs. Handing them out is thread safe. */
#ifndef XRDMA_USER_QUEUE_QUEUES_H
#define XRDMA_USER_QUEUE_QUEUES_H

#include "lib/extents.h"
#include "lib/rows.h"
#include "obj/context.h"

/* Rows 0 and 1 are never handed out: QPN 0 and 1 are the special ones of slot 0 (IBA 3.5.10). */
enum { XRDMA_QP_ROWS_RESERVED = 2 };

struct xrdma_cq;
struct xrdma_qp;

/*
 * A queue pair, as its completion queues find it. A row that names a completion queue changes only
 * with the lock of that; whose other rows are is not to be relied on.
 */
struct xrdma_qp_entry {
	struct xrdma_qp *qp;
	const struct xrdma_cq *send_cq, *recv_cq;
};

struct xrdma_queues {
	struct xrdma_queue_row *rows; /* of completion queues, then of each queue pair's RQ */
	struct xrdma_rows free_cqs;
	struct xrdma_cqe_row *cqes;
	struct xrdma_extents cqe_space; /* bytes of CQES */
	struct xrdma_sge *segments;
	struct xrdma_extents segment_space; /* bytes of SEGMENTS */
	struct xrdma_qp_row *qps;
	struct xrdma_rows free_qps;
	struct xrdma_qp_entry *entries; /* by row of QPS */
	struct xrdma_mutex lock;	/* protects CQS, and each of them from being destroyed */
	LIST_HEAD(, xrdma_cq) cqs;
};

/*
 * Set up QUEUES, which are zeroed, for a context with TABLES, which have as many rows as ATTR says.
 * Returns 0 or, with xrdma_error() set, -ENOMEM. End QUEUES with xrdma_queues_exit() in both cases.
 */
int xrdma_queues_init(struct xrdma_queues *queues, const struct xrdma_context_tables *tables,
		      const struct xrdma_context_attr *attr);
void xrdma_queues_exit(struct xrdma_queues *queues);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Tables of a context's completion queues and queue pairs. Taking and freeing rows is thread safe.
 */
#ifndef XRDMA_USER_QUEUE_QUEUES_H
#define XRDMA_USER_QUEUE_QUEUES_H

#include "lib/extents.h"
#include "lib/rows.h"
#include "obj/context.h"

/* Rows 0 and 1 are never used, because QPN 0 and 1 are special in slot 0 (IBA 3.5.10). */
enum { XRDMA_QP_ROWS_RESERVED = 2 };

struct xrdma_cq;
struct xrdma_qp;
struct xrdma_srq;

/*
 * Entry by which completion queues find a queue pair. An entry that names a completion queue
 * changes only with the lock of that completion queue. Other entries may change at any time.
 */
struct xrdma_qp_entry {
	struct xrdma_qp *qp;
	const struct xrdma_cq *send_cq, *recv_cq;
};

struct xrdma_queues {
	/* For completion queues, then for RQs of queue pairs, then for shared receive queues. */
	struct xrdma_queue_row *rows;
	struct xrdma_rows free_cqs;
	struct xrdma_rows free_srqs;
	/* Completion queues and shared receive queues that have events, by their rows; or NULL. */
	void **sources;
	__u32 source_count;
	/* Protects SOURCES, and its elements from being destroyed. */
	struct xrdma_mutex source_lock;
	struct xrdma_cqe_row *cqes;
	struct xrdma_extents cqe_space; /* bytes of CQES in use */
	struct xrdma_sge *segments;
	struct xrdma_extents segment_space; /* bytes of SEGMENTS in use */
	struct xrdma_qp_row *qps;
	struct xrdma_rows free_qps;
	struct xrdma_qp_entry *entries; /* one for each row of QPS */
	struct xrdma_mutex lock;	/* protects CQS, and its elements from being destroyed */
	LIST_HEAD(, xrdma_cq) cqs;
};

/*
 * Set up QUEUES, which are zeroed, for a context with TABLES. ATTR has the numbers of their rows.
 * Returns 0 or, with xrdma_error() set, -ENOMEM. End QUEUES with xrdma_queues_exit() in both cases.
 */
int xrdma_queues_init(struct xrdma_queues *queues, const struct xrdma_context_tables *tables,
		      const struct xrdma_context_attr *attr);
void xrdma_queues_exit(struct xrdma_queues *queues);

/*
 * Make SOURCE, or nothing if it is NULL, the queue whose events XDP reports for ROW. When this
 * function returns, no handler of notices uses the former one any more.
 */
void xrdma_queues_set_source(struct xrdma_queues *queues, __u32 row, void *source);

/*
 * Returns the queue of this KIND whose events XDP reports for ROW, or NULL: a row may be any number
 * that the program has written into its tables. The caller holds SOURCE_LOCK.
 */
void *xrdma_queues_source(const struct xrdma_queues *queues, __u64 row, enum xrdma_queue_kind kind);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What XDP knows of a queue pair's READs. Not thread safe: the context's lock is held. */
#ifndef XRDMA_USER_READS_H
#define XRDMA_USER_READS_H

#include <xrdma/qp.h>

#include "context.h"

struct xrdma_reads {
	struct xrdma_read_row *rows; /* XRDMA_RD_ATOMIC_MAX */
	struct xrdma_sge *sges;	     /* MAX_SGE for each; NULL: none */
	__u32 first;		     /* row of sges */
	__u32 max_sge;
};

struct xrdma_qp;
struct xrdma_wqe;

/* Of the queue pair in row ROW. Returns 0 or -ENOMEM. */
int xrdma_reads_init(struct xrdma_reads *reads, struct xrdma_context *context, __u32 row,
		     const struct xrdma_qp_init_attr *init);
void xrdma_reads_exit(struct xrdma_reads *reads, struct xrdma_context *context);

/*
 * Tell XDP where the data of packet NUMBER of WQE, a READ, go. Returns XRDMA_V_OK, or what is wrong with a local key.
 */
enum xrdma_verdict xrdma_reads_begin(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				     __u64 number);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A receive queue: the rows that XDP takes receives from, and what only this process knows of them.
 * Who adds has the lock of the queue pair, who completes that of its completion queue; to start
 * takes both.
 */
#ifndef XRDMA_USER_QUEUE_RQ_H
#define XRDMA_USER_QUEUE_RQ_H

#include <xrdma/qp.h>

#include "lib/ring.h"
#include "queue/queues.h"
#include "queue/stage.h"

/* XDP counts receives modulo 2^32. */
struct xrdma_rq {
	struct xrdma_ring ring;
	__u32 number; /* row of the context's queues */
	struct xrdma_queue_row *row;
	struct xrdma_sge *sges; /* of the ring's first receive; NULL: none has memory */
	__u32 first;		/* their row */
	struct xrdma_receive {
		__u64 wr_id;
		struct xrdma_stage *stage; /* that its segments are of, or NULL */
	} * receives;
	__u32 max_sge;
};

/* As queue NUMBER of the context. Returns 0 or -ENOMEM. */
int xrdma_rq_init(struct xrdma_rq *rq, struct xrdma_queues *queues, __u32 number,
		  const struct xrdma_qp_init_attr *init);
void xrdma_rq_exit(struct xrdma_rq *rq, struct xrdma_queues *queues);

/* Forget all receives, whose stages are added to STAGES. XDP does not use the row. */
void xrdma_rq_start(struct xrdma_rq *rq, struct xrdma_stages *stages);

/* Add a checked WR, which uses STAGE, or NULL, to a queue that is not full. */
void xrdma_rq_add(struct xrdma_rq *rq, const struct xrdma_recv_wr *wr, struct xrdma_stage *stage);

/* XDP may take what was added. */
void xrdma_rq_publish(struct xrdma_rq *rq);

/* The oldest receive is complete. Its stage is no longer the queue's. */
struct xrdma_receive xrdma_rq_complete(struct xrdma_rq *rq);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs whose peers do not respond, on xa of host a (run.sh). */
#ifndef XRDMA_BENCH_LONELY_H
#define XRDMA_BENCH_LONELY_H

#include <xrdma/qp.h>

/*
 * Create a queue pair in RTS with MAX_SEND_WR requests. They may configure mkeys of up to
 * LAYOUT_ENTRIES entries each (0: none). The queue pair does not retransmit for 17 s.
 */
struct xrdma_qp *lonely_qp(struct xrdma_pd *pd, struct xrdma_cq *cq, __u32 max_send_wr,
			   __u32 layout_entries);

#endif

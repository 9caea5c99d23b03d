/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs whose peers do not answer, on xa of host a (run.sh). */
#ifndef XRDMA_BENCH_LONELY_H
#define XRDMA_BENCH_LONELY_H

#include <xrdma/qp.h>

/*
 * One in RTS, of MAX_SEND_WR requests, which may configure mkeys of up to LAYOUT_ENTRIES entries
 * each (0: none); it does not send again for 17 s.
 */
struct xrdma_qp *lonely_qp(struct xrdma_pd *pd, struct xrdma_cq *cq, __u32 max_send_wr,
			   __u32 layout_entries);

#endif

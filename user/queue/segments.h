/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows of a context's sges, which its queues share. Thread safe. */
#ifndef XRDMA_USER_QUEUE_SEGMENTS_H
#define XRDMA_USER_QUEUE_SEGMENTS_H

#include "queue/queues.h"

/*
 * Take COUNT rows: *SGES is the first, in row *FIRST; NULL when COUNT is 0. Returns 0 or -ENOMEM.
 */
int xrdma_segments_take(struct xrdma_queues *queues, __u32 count, __u32 *first,
			struct xrdma_sge **sges);
void xrdma_segments_give(struct xrdma_queues *queues, const struct xrdma_sge *sges);

#endif

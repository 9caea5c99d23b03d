/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Table of segments, which all queues of a context share. Thread safe. */
#ifndef XRDMA_USER_QUEUE_SEGMENTS_H
#define XRDMA_USER_QUEUE_SEGMENTS_H

#include "queue/queues.h"

/*
 * Take COUNT rows. *SGES becomes the first, and *FIRST its row; if COUNT is 0, *SGES becomes NULL.
 * Returns 0 or -ENOMEM.
 */
int xrdma_segments_take(struct xrdma_queues *queues, __u32 count, __u32 *first,
			struct xrdma_sge **sges);
void xrdma_segments_give(struct xrdma_queues *queues, const struct xrdma_sge *sges);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_OBJ_QUEUE_BPF_H
#define XRDMA_OBJ_QUEUE_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

/* Return queue NUMBER of the context in SLOT, or NULL if there is none of this KIND. */
static __always_inline struct xrdma_queue_row *xrdma_queue(__u32 slot, __u32 number,
							   enum xrdma_queue_kind kind)
{
	struct xrdma_queue_row *queue = xrdma_row(&xrdma_queues, slot, number);

	return queue && XRDMA_READ(queue->kind) == kind ? queue : NULL;
}

#endif

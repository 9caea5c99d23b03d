/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Completion queues (IBA 10.2.6, 11.4.2; ibv_create_cq(3), ibv_poll_cq(3)). All calls are thread safe. */
#ifndef XRDMA_CQ_H
#define XRDMA_CQ_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_cq;

/*
 * Create a completion queue of CONTEXT with room for ENTRIES receive completions; send completions need no room.
 * *CQ is to be ended by xrdma_cq_destroy(). Returns 0 or -EINVAL (ENTRIES is 0, or above XRDMA_CQ_ENTRIES_MAX), -ENOMEM.
 */
XRDMA_API int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq);

enum { XRDMA_CQ_ENTRIES_MAX = 1 << 20 };

/* Returns 0 or -EBUSY (queue pairs use it), as ibv_destroy_cq() may. */
XRDMA_API int xrdma_cq_destroy(struct xrdma_cq *cq);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Completion queues (IBA 10.2.6, 11.4.2; ibv_create_cq(3), ibv_poll_cq(3)). All calls are thread
 * safe.
 */
#ifndef XRDMA_CQ_H
#define XRDMA_CQ_H

#include "context.h"
#include "wr.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_cq;

/*
 * Create a completion queue of CONTEXT with room for ENTRIES receive completions, rounded up to a
 * power of two; send completions need no room. A message that finds no room is refused by an RNR
 * NAK, and comes again. *CQ is to be ended by xrdma_cq_destroy(). Returns 0 or -EINVAL (ENTRIES is
 * 0, or above XRDMA_CQ_ENTRIES_MAX), -ENOMEM (the context has no more cqs or cqes, or no memory).
 */
XRDMA_API int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq);

/* Returns 0 or -EBUSY (queue pairs use it), as ibv_destroy_cq() may. */
XRDMA_API int xrdma_cq_destroy(struct xrdma_cq *cq);

/*
 * Take up to MAX completions into WC, oldest first of each queue. The order of completions of two
 * queues, such as a queue pair's sends and receives, says nothing. Returns the number of
 * completions, which may be 0, or -EINVAL (MAX is negative).
 *
 * Progress is manual: this call and posting read the peers' responses as noted by XDP, send
 * waiting requests and send lost ones again. So a program with work outstanding calls this
 * function again and again. The call makes progress for all queue pairs with CQ as their
 * completion queue for requests or for receives. If a program does not call it, a thread of the
 * context sends lost requests again, 20 ms after the last poll or later.
 */
XRDMA_API int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc);

#ifdef __cplusplus
}
#endif
#endif

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
 * power of two. Send completions need no room. If the queue is full, a message is refused by an RNR
 * NAK, and the peer repeats it. Destroy *CQ with xrdma_cq_destroy(). Returns 0 or -EINVAL (ENTRIES
 * is 0, or above XRDMA_CQ_ENTRIES_MAX), -ENOMEM (the context has no more cqs or cqes, or no
 * memory).
 */
XRDMA_API int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq);

/* Destroy CQ, as ibv_destroy_cq(3). Returns 0 or -EBUSY (queue pairs use it). */
XRDMA_API int xrdma_cq_destroy(struct xrdma_cq *cq);

/*
 * Take up to MAX completions from CQ into WC. Completions of one send or receive queue are in
 * order. Those of different queues are in no order. Returns the number of completions, which may be
 * 0, or -EINVAL (MAX is negative).
 *
 * Progress is manual. This call and posting read the responses that XDP has noted, send waiting
 * requests, and repeat lost ones. So a program with work outstanding calls this function
 * repeatedly. The call makes progress for all queue pairs with CQ as completion queue, for requests
 * or for receives. If a program does not poll, a thread of the context repeats lost requests, at
 * the earliest 20 ms after the last poll.
 */
XRDMA_API int xrdma_cq_poll(struct xrdma_cq *cq, int max, struct xrdma_wc *wc);

#ifdef __cplusplus
}
#endif
#endif

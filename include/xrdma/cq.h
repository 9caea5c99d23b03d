/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Completion queues, and channels that report their completions (IBA 10.2.6, 11.4.2;
 * ibv_create_cq(3), ibv_poll_cq(3), ibv_create_comp_channel(3)). All calls are thread safe.
 */
#ifndef XRDMA_CQ_H
#define XRDMA_CQ_H

#include <stdbool.h>

#include "context.h"
#include "wr.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_cq;
struct xrdma_comp_channel;

/*
 * Create a completion queue of CONTEXT with room for ENTRIES receive completions, rounded up to a
 * power of two. Send completions need no room. If the queue is full, a message is refused by an RNR
 * NAK, and the peer repeats it. Destroy *CQ with xrdma_cq_destroy(). Returns 0 or -EINVAL (ENTRIES
 * is 0, or above XRDMA_CQ_ENTRIES_MAX), -ENOMEM (the context has no more cqs or cqes, or no
 * memory).
 */
XRDMA_API int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq);

/* Attributes of a completion queue. */
struct xrdma_cq_init_attr {
	size_t sz;			    /* of this struct */
	__u32 entries;			    /* see xrdma_cq_create() */
	__u32 reserved;			    /* 0 */
	struct xrdma_comp_channel *channel; /* of the same context; NULL: none */
};

/*
 * Create a completion queue with attributes. Errors as for xrdma_cq_create(), and -EINVAL (the
 * channel is of another context, or sz is not a size of the struct), -E2BIG (a byte that this
 * library does not know is set).
 */
XRDMA_API int xrdma_cq_create_ex(struct xrdma_context *context,
				 const struct xrdma_cq_init_attr *attr, struct xrdma_cq **cq);

/*
 * Destroy CQ, as ibv_destroy_cq(3). Waits until all events of CQ that were read are acknowledged.
 * Returns 0 or -EBUSY (queue pairs use it).
 */
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

/*
 * Create a completion channel of CONTEXT, as ibv_create_comp_channel(3). Destroy *CHANNEL with
 * xrdma_comp_channel_destroy(). Returns 0 or -ENOMEM, -EMFILE (the process has no file descriptor
 * left).
 */
XRDMA_API int xrdma_comp_channel_create(struct xrdma_context *context,
					struct xrdma_comp_channel **channel);

/*
 * Destroy CHANNEL, as ibv_destroy_comp_channel(3). Returns 0 or -EBUSY (completion queues use it).
 */
XRDMA_API int xrdma_comp_channel_destroy(struct xrdma_comp_channel *channel);

/*
 * Return the file descriptor of CHANNEL that poll(2) reports as readable while there are events. It
 * blocks; set O_NONBLOCK by fcntl(2).
 */
XRDMA_API int xrdma_comp_channel_fd(const struct xrdma_comp_channel *channel);

/*
 * Let the next completion of CQ make one event of its channel, as ibv_req_notify_cq(3). If
 * SOLICITED_ONLY, the next one of a message that was sent with XRDMA_SEND_SOLICITED does, or the
 * next one with an error. Of two requests before an event, the one for all completions counts.
 *
 * A completion that CQ has already makes no event. So call this function, and then poll CQ until it
 * is empty, before you wait for the event. Meanwhile a thread of the context makes progress for the
 * queue pairs of CQ.
 *
 * Returns 0 or -EINVAL (CQ has no channel).
 */
XRDMA_API int xrdma_cq_req_notify(struct xrdma_cq *cq, bool solicited_only);

/*
 * Read the oldest event of CHANNEL: *CQ has a completion. Waits for one, unless the file descriptor
 * is O_NONBLOCK. Acknowledge it by xrdma_cq_ack_events(). As ibv_get_cq_event(3).
 *
 * Returns 0 or -EAGAIN (O_NONBLOCK is set, and there is no event), -EINTR (a signal came).
 */
XRDMA_API int xrdma_comp_channel_read(struct xrdma_comp_channel *channel, struct xrdma_cq **cq);

/*
 * Acknowledge COUNT events of CQ, as ibv_ack_cq_events(3). Returns 0 or -EINVAL (fewer are not
 * acknowledged, or CQ has no channel).
 */
XRDMA_API int xrdma_cq_ack_events(struct xrdma_cq *cq, unsigned int count);

#ifdef __cplusplus
}
#endif
#endif

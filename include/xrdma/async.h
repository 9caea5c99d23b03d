/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Asynchronous events: what happens to the objects of a context outside of any call (IBA 11.6.3;
 * ibv_get_async_event(3)). All calls are thread safe.
 */
#ifndef XRDMA_ASYNC_H
#define XRDMA_ASYNC_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_qp;
struct xrdma_srq;

/* Kinds of events, with the numbers of IBV_EVENT_*: X(symbol, number, text). */
/* clang-format off */
#define XRDMA_ASYNC_KINDS(X)                                                                    \
	X(QP_FATAL, 1, "the queue pair stopped: the peer's request could not be carried out")  \
	X(QP_REQ_ERR, 2, "the queue pair stopped: the peer's request was invalid")              \
	X(QP_ACCESS_ERR, 3, "the queue pair stopped: the peer had no right to the memory")      \
	X(COMM_EST, 4, "the queue pair has received its first packet, in RTR")                  \
	X(SQ_DRAINED, 5, "the send queue is drained, in SQD")                                   \
	X(DEVICE_FATAL, 8, "the device was unloaded, or its netdev has left: close the context") \
	X(PORT_ACTIVE, 9, "the netdev and its link are up")                                     \
	X(PORT_ERR, 10, "the netdev or its link is down")                                       \
	X(SRQ_LIMIT_REACHED, 15, "the shared receive queue has fewer receives than its limit")  \
	X(QP_LAST_WQE_REACHED, 16, "the queue pair takes no more receives of the shared queue") \
	X(GID_CHANGE, 18, "the addresses of the netdev have changed")
/* clang-format on */

enum xrdma_async_kind {
#define X(symbol, number, text) XRDMA_ASYNC_##symbol = number,
	XRDMA_ASYNC_KINDS(X)
#undef X
};

/*
 * An event. Kinds with neither QP nor SRQ in their symbols are about the port, which has number 1.
 */
struct xrdma_async_event {
	enum xrdma_async_kind kind;
	union {
		struct xrdma_qp *qp; /* also of COMM_EST and SQ_DRAINED */
		struct xrdma_srq *srq;
		__u32 port;
	} of;
};

/*
 * Read the oldest event of CONTEXT: *EVENT. Waits for one, unless the file descriptor of
 * xrdma_async_fd() is O_NONBLOCK. Acknowledge it by xrdma_async_ack(). The object of an event is
 * not destroyed before that: its destruction waits.
 *
 * Returns 0 or -EAGAIN (O_NONBLOCK is set, and there is no event), -EINTR (a signal came).
 */
XRDMA_API int xrdma_async_read(struct xrdma_context *context, struct xrdma_async_event *event);

/*
 * Acknowledge EVENT, which was read from CONTEXT. Returns 0 or -EINVAL (all events of the object
 * are acknowledged).
 */
XRDMA_API int xrdma_async_ack(struct xrdma_context *context, const struct xrdma_async_event *event);

/*
 * Return the file descriptor of CONTEXT that poll(2) reports as readable when there is an event. It
 * blocks; set O_NONBLOCK by fcntl(2).
 */
XRDMA_API int xrdma_async_fd(const struct xrdma_context *context);

/* Return a text for KIND. */
XRDMA_API const char *xrdma_async_str(enum xrdma_async_kind kind);

#ifdef __cplusplus
}
#endif
#endif

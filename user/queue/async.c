// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Asynchronous events (xrdma/async.h). */
#include <errno.h>
#include <string.h>
#include <xrdma/async.h>

#include "lib/error.h"
#include "queue/qp.h"

enum { PORT = 1 };

/* Kinds of objects. */
enum owner { OF_PORT, OF_QP, OF_SRQ };

static enum owner owner_of(enum xrdma_async_kind kind)
{
	switch (kind) {
	case XRDMA_ASYNC_QP_FATAL:
	case XRDMA_ASYNC_QP_REQ_ERR:
	case XRDMA_ASYNC_QP_ACCESS_ERR:
	case XRDMA_ASYNC_COMM_EST:
	case XRDMA_ASYNC_SQ_DRAINED:
	case XRDMA_ASYNC_QP_LAST_WQE_REACHED:
		return OF_QP;
	case XRDMA_ASYNC_SRQ_LIMIT_REACHED:
		return OF_SRQ;
	default:
		return OF_PORT;
	}
}

int xrdma_async_read(struct xrdma_context *context, struct xrdma_async_event *event)
{
	int kind, err = xrdma_context_own(context);
	void *object;

	if (err)
		return err;
	err = xrdma_channel_read(&context->async, &kind, &object);
	if (err)
		return xrdma_fail(-err, "no asynchronous event: %s", strerror(-err));
	*event = (struct xrdma_async_event){ .kind = kind };
	switch (owner_of(kind)) {
	case OF_QP:
		event->of.qp = object;
		break;
	case OF_SRQ:
		event->of.srq = object;
		break;
	case OF_PORT:
		event->of.port = PORT;
		break;
	}
	return 0;
}

static struct xrdma_channel_source *source_of(struct xrdma_context *context,
					      const struct xrdma_async_event *event)
{
	switch (owner_of(event->kind)) {
	case OF_QP:
		return &event->of.qp->async;
	case OF_SRQ:
		return &event->of.srq->async;
	default:
		return &context->port;
	}
}

int xrdma_async_ack(struct xrdma_context *context, const struct xrdma_async_event *event)
{
	int err = xrdma_context_own(context);

	if (err)
		return err;
	err = xrdma_channel_acknowledge(&context->async, source_of(context, event), 1);
	return err ? xrdma_fail(-err, "all events of the object are acknowledged") : 0;
}

int xrdma_async_fd(const struct xrdma_context *context)
{
	return context->async.fd;
}

const char *xrdma_async_str(enum xrdma_async_kind kind)
{
	switch (kind) {
#define X(symbol, number, text)    \
	case XRDMA_ASYNC_##symbol: \
		return text;
		XRDMA_ASYNC_KINDS(X)
#undef X
	}
	return "unknown event";
}

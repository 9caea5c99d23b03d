// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "async.h"

#include <poll.h>

#include "test.h"

enum { WAIT_MS = 5000, SHORT_MS = 30 };

bool async_is_readable(const struct xrdma_context *context, int ms)
{
	struct pollfd ready = { .fd = xrdma_async_fd(context), .events = POLLIN };

	return poll(&ready, 1, ms) == 1;
}

struct xrdma_async_event async_read(struct xrdma_context *context, enum xrdma_async_kind kind)
{
	struct xrdma_async_event event;

	expect(async_is_readable(context, WAIT_MS));
	expect_int(xrdma_async_read(context, &event), ==, 0);
	expect_int(event.kind, ==, kind);
	return event;
}

struct xrdma_async_event async_expect(struct xrdma_context *context, enum xrdma_async_kind kind)
{
	const struct xrdma_async_event event = async_read(context, kind);

	expect_int(xrdma_async_ack(context, &event), ==, 0);
	return event;
}

void async_expect_none(const struct xrdma_context *context)
{
	expect(!async_is_readable(context, SHORT_MS));
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Asynchronous events in tests. */
#ifndef XRDMA_TESTS_ASYNC_H
#define XRDMA_TESTS_ASYNC_H

#include <stdbool.h>
#include <xrdma/async.h>

/* Returns whether an event of CONTEXT is there within MS. */
bool async_is_readable(const struct xrdma_context *context, int ms);

/* Expect that the next event has KIND. Returns this event, which is to be acknowledged. */
struct xrdma_async_event async_read(struct xrdma_context *context, enum xrdma_async_kind kind);

/* Do the same, and acknowledge the event. */
struct xrdma_async_event async_expect(struct xrdma_context *context, enum xrdma_async_kind kind);

/* Expect that no event comes for a short time. */
void async_expect_none(const struct xrdma_context *context);

#endif

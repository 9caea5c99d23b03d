// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/adopted.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/error.h"

int xrdma_adopted_add(struct xrdma_adopted *adopted, const struct xrdma_span *span, __u64 start,
		      __u64 end)
{
	struct xrdma_span *last = adopted->count ? &adopted->spans[adopted->count - 1] : NULL;
	struct xrdma_span *spans;

	start = span->start > start ? span->start : start;
	end = span->end < end ? span->end : end;
	if (last && last->run == span->run && last->end == start) {
		last->end = end;
		return 0;
	}
	spans = reallocarray(adopted->spans, adopted->count + 1, sizeof(*spans));
	if (!spans)
		return xrdma_fail(ENOMEM, "no memory for records of registered memory");
	adopted->spans = spans;
	spans[adopted->count++] = (struct xrdma_span){ start, end, span->run };
	return 0;
}

/* Append to ADOPTED what FROM has from START up to END. */
static int add_all(struct xrdma_adopted *adopted, const struct xrdma_adopted *from, __u64 start,
		   __u64 end)
{
	int err = 0;

	for (size_t i = 0; i < from->count && !err; i++)
		if (from->spans[i].start < end && from->spans[i].end > start)
			err = xrdma_adopted_add(adopted, &from->spans[i], start, end);
	return err;
}

void xrdma_adopted_free(struct xrdma_adopted *adopted)
{
	free(adopted->spans);
	*adopted = (struct xrdma_adopted){ 0 };
}

int xrdma_adopted_replace(const struct xrdma_adopted *whole, const struct xrdma_adopted *part,
			  struct xrdma_adopted *now, struct xrdma_adopted *old)
{
	int err;

	*now = (struct xrdma_adopted){ .start = whole->start, .end = whole->end };
	*old = (struct xrdma_adopted){ .start = part->start, .end = part->end };
	err = add_all(now, whole, 0, part->start);
	err = err ?: add_all(now, part, part->start, part->end);
	err = err ?: add_all(now, whole, part->end, ~0ULL);
	err = err ?: add_all(old, whole, part->start, part->end);
	if (err) {
		xrdma_adopted_free(now);
		xrdma_adopted_free(old);
	}
	return err;
}

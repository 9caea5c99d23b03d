// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/spans.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "lib/error.h"

static void *spans; /* a tree of them, by address; none overlap */

/* Those that overlap are taken for the same. */
static int compare(const void *left, const void *right)
{
	const struct xrdma_span *a = left, *b = right;

	return a->end <= b->start ? -1 : a->start >= b->end;
}

static struct xrdma_span *first_in(__u64 start, __u64 end)
{
	struct xrdma_span key = { .start = start, .end = end }, *first = NULL, **found;

	while (key.start < key.end && (found = tfind(&key, &spans, compare))) {
		first = *found;
		key.end = first->start;
	}
	return first;
}

const struct xrdma_span *xrdma_spans_first(__u64 start, __u64 end)
{
	return first_in(start, end);
}

static int insert(__u64 start, __u64 end, struct xrdma_run *run)
{
	struct xrdma_span *span = malloc(sizeof(*span));

	if (span) {
		*span = (struct xrdma_span){ start, end, run };
		if (tsearch(span, &spans, compare))
			return 0;
		free(span);
	}
	return xrdma_fail(ENOMEM, "no memory for records of registered memory");
}

static void drop(struct xrdma_span *span)
{
	tdelete(span, &spans, compare);
	free(span);
}

/* SPAN has none from START up to END any more, of which it has some. */
static int cut(struct xrdma_span *span, __u64 start, __u64 end)
{
	const __u64 span_end = span->end;
	int err = 0;

	if (span->start >= start && span->end <= end) {
		drop(span);
	} else if (span->start >= start) {
		span->start = end;
	} else {
		span->end = start;
		if (span_end > end)
			err = insert(end, span_end, span->run);
		if (err)
			span->end = span_end;
	}
	return err;
}

int xrdma_spans_cut(__u64 start, __u64 end)
{
	struct xrdma_span *span;
	int err = 0;

	while (!err && (span = first_in(start, end)))
		err = cut(span, start, end);
	return err;
}

int xrdma_spans_add(struct xrdma_run *run)
{
	return insert(run->start, run->end, run);
}

void xrdma_spans_remove(const struct xrdma_run *run)
{
	struct xrdma_span *span;
	__u64 at = run->start;

	while ((span = first_in(at, run->end))) {
		at = span->end;
		if (span->run == run)
			drop(span);
	}
}

void xrdma_spans_forget(void)
{
	tdestroy(spans, free);
	spans = NULL;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which addresses of the process are pages of which run, as far as they are still mapped as that
 * put them there. Not thread safe: whoever calls holds a lock.
 */
#ifndef XRDMA_USER_MEM_SPANS_H
#define XRDMA_USER_MEM_SPANS_H

#include "mem/run.h"

struct xrdma_span {
	__u64 start, end; /* addresses */
	struct xrdma_run *run;
};

/* Where START of SPAN is in the heap. */
static inline __u64 xrdma_span_at(const struct xrdma_span *span)
{
	return span->run->at + (span->start - span->run->start);
}

/* The first that has a byte from START up to END, or NULL. It is for reading. */
const struct xrdma_span *xrdma_spans_first(__u64 start, __u64 end);

/*
 * The addresses of RUN, which are no other's, are its own. Returns 0 or, with xrdma_error() set,
 * -ENOMEM.
 */
int xrdma_spans_add(struct xrdma_run *run);

/* No address from START up to END is any run's; or none is RUN's. The same. */
int xrdma_spans_cut(__u64 start, __u64 end);
void xrdma_spans_remove(const struct xrdma_run *run);

/* In a child that was forked. */
void xrdma_spans_forget(void);

#endif

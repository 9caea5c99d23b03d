/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A registration keeps a list of the adopted memory that it uses: spans, sorted by address. These
 * functions are not thread safe.
 */
#ifndef XRDMA_USER_MEM_ADOPTED_H
#define XRDMA_USER_MEM_ADOPTED_H

#include <stddef.h>

#include "mem/spans.h"

struct xrdma_adopted {
	__u64 start, end; /* the addresses of whole pages that were looked at */
	struct xrdma_span *spans;
	size_t count;
	bool of_stack; /* it may be of the stack of a thread, which the C library drops */
};

/*
 * Append to ADOPTED what SPAN has from START up to END, which comes after what ADOPTED has. Returns
 * 0 or, with xrdma_error() set and nothing changed, -ENOMEM.
 */
int xrdma_adopted_add(struct xrdma_adopted *adopted, const struct xrdma_span *span, __u64 start,
		      __u64 end);

/*
 * WHOLE and PART are lists, and the addresses of PART are among those of WHOLE. *NOW becomes what
 * WHOLE is once PART has taken the place of what WHOLE has there, which *OLD becomes. Returns 0 or,
 * with xrdma_error() set, -ENOMEM: *NOW and *OLD are empty.
 */
int xrdma_adopted_replace(const struct xrdma_adopted *whole, const struct xrdma_adopted *part,
			  struct xrdma_adopted *now, struct xrdma_adopted *old);

/* Free the list, but say nothing to the runs. */
void xrdma_adopted_free(struct xrdma_adopted *adopted);

#endif

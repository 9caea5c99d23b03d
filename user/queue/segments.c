// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/segments.h"

#include <errno.h>

#include "lib/error.h"

int xrdma_segments_take(struct xrdma_queues *queues, __u32 count, __u32 *first,
			struct xrdma_sge **sges)
{
	struct xrdma_sge *rows = queues->segments;
	size_t at;

	*first = 0;
	*sges = NULL;
	if (!count)
		return 0;
	if (xrdma_extents_take(&queues->segment_space, count * sizeof(*rows), sizeof(*rows), &at))
		return xrdma_fail(
			ENOMEM,
			"no room for %u segments of a queue's requests: destroy some queue "
			"pairs, or open the context with more sges",
			count);
	*first = at / sizeof(*rows);
	*sges = rows + *first;
	return 0;
}

void xrdma_segments_give(struct xrdma_queues *queues, const struct xrdma_sge *sges)
{
	const struct xrdma_sge *rows = queues->segments;

	if (sges)
		xrdma_extents_give(&queues->segment_space, (sges - rows) * sizeof(*rows));
}

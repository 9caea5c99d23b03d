// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Allocate memory of the heap for the application (<xrdma/context.h>). */
#include <errno.h>

#include "lib/error.h"
#include "mem/cache_take.h"
#include "obj/context.h"

int xrdma_alloc(struct xrdma_context *context, size_t size, size_t align, void **memory)
{
	__u64 at;
	int err;

	if (!size || !align || align & (align - 1) || align > XRDMA_HEAP_ELEMENT)
		return xrdma_fail(EINVAL,
				  "%zu bytes aligned to %zu: at least one byte, aligned to a power "
				  "of two up to %d",
				  size, align, XRDMA_HEAP_ELEMENT);
	err = xrdma_context_enter(context);
	if (err)
		return err;
	err = xrdma_cache_heap_take(&context->heap, size, align, &at);
	if (!err)
		*memory = context->heap.bytes + at;
	return err;
}

int xrdma_free(struct xrdma_context *context, void *memory)
{
	int err;

	if (!memory)
		return 0;
	err = xrdma_context_own(context);
	if (err)
		return err;
	err = xrdma_heap_give(&context->heap, (char *)memory - context->heap.bytes);
	return err ? xrdma_fail(-err, "%p is not from xrdma_alloc()", memory) : 0;
}

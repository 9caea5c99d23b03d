// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/blocks.h"

#include <errno.h>
#include <unistd.h>

#include "lib/bounds.h"
#include "lib/error.h"

bool xrdma_block_is_in(const struct xrdma_control_block *block, __u64 start, __u64 end)
{
	return block->end && block->start < end && block->end > start;
}

int xrdma_block_refuse(const struct xrdma_control_block *block)
{
	return xrdma_fail(
		EOPNOTSUPP,
		"the page at %#llx has the C library's state of thread %d, which pthread_join(3) "
		"waits on: do not register the thread's last thread-local variables",
		block->start, block->thread);
}

int xrdma_blocks_avoid(__u64 *at, __u64 *end)
{
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	struct xrdma_control_block block;
	int err = xrdma_threads_next_block(*at, &block);

	if (err || !xrdma_block_is_in(&block, *at, *end))
		return err;
	if ((block.start & ~in_page) > *at)
		*end = block.start & ~in_page;
	else
		*at = xrdma_lesser((block.end + in_page) & ~in_page, *end);
	return 0;
}

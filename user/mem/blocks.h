/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Control blocks of threads (mem/threads.h) in memory to be adopted. Their pages must stay where
 * they are, because the kernel refuses futex(2) in pages of a BPF map. Not thread safe: the caller
 * holds a lock.
 */
#ifndef XRDMA_USER_MEM_BLOCKS_H
#define XRDMA_USER_MEM_BLOCKS_H

#include <stdbool.h>

#include "mem/threads.h"

/*
 * Returns whether BLOCK has a byte in the pages from START up to END. BLOCK may be all zeroes: no
 * block.
 */
bool xrdma_block_is_in(const struct xrdma_control_block *block, __u64 start, __u64 end);

/* Set xrdma_error() to say that memory with BLOCK cannot be registered. Returns -EOPNOTSUPP. */
int xrdma_block_refuse(const struct xrdma_control_block *block);

/*
 * Narrow the pages from *AT up to *END to the first of them without a control block; they may
 * become none. Returns 0 or -errno: the blocks are not known.
 */
int xrdma_blocks_avoid(__u64 *at, __u64 *end);

#endif

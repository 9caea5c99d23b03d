/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Pages of the calling process, from proc_pid_pagemap(5). Not thread safe: the caller holds a lock.
 * The file stays open, and belongs to a thread, like those of mem/mappings.h.
 */
#ifndef XRDMA_USER_MEM_PAGEMAP_H
#define XRDMA_USER_MEM_PAGEMAP_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * Open the file of the calling thread, which ends only with the process. If the kernel lets no
 * process read it, nothing is known of any page. Returns 0, or -errno if it is not open.
 */
int xrdma_pagemap_open(void);

/* Close the file. A forked child calls it, too. */
void xrdma_pagemap_close(void);

/*
 * Returns whether the mapped pages at addresses A and B may be the same memory: they are, or that
 * cannot be known. It cannot be known of pages that may not be read. Nor can a process without
 * CAP_SYS_ADMIN know it if both pages belong to files.
 */
bool xrdma_page_may_be_same(__u64 a, __u64 b);

/*
 * Returns whether the SIZE bytes of whole pages at addresses A and B may be the same memory. If
 * some of them are not mapped, they are not.
 */
bool xrdma_pages_may_be_same(__u64 a, __u64 b, __u64 size);

#endif

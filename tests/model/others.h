/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Steps of the model test beside those on plain memory and regions: a process forks, starts
 * threads, or runs out of descriptors, addresses or mappings.
 */
#ifndef XRDMA_TESTS_OTHERS_H
#define XRDMA_TESTS_OTHERS_H

/* Call this before the library has handlers of pthread_atfork(3), so that ours run within them. */
void forks_start(void);

/* A child checks that it has all memory, and writes to it. */
void fork_child(void);

/* The child forks too, before or after it has opened a context of its own. */
void fork_grandchild(void);
void fork_child_with_context(void);

/* While the memory is being copied, a part of it is unmapped, and perhaps mapped anew. */
void fork_and_unmap(void);

/* A thread registers a part of its stack. */
void thread_of_pthread(void);
void thread_of_c11(void);
void thread_of_timer(void);

/* Map some memory where the kernel likes, or check and unmap such memory. */
void map_or_unmap_own(void);

/* One of some steps, while the process can have no more of something. */
void without_descriptors(void);
void without_addresses(void);
void without_mappings(void);

#endif

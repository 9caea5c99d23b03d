/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Other steps of the model test: a process forks, starts threads, or runs out of descriptors,
 * addresses or mappings.
 */
#ifndef XRDMA_TESTS_OTHERS_H
#define XRDMA_TESTS_OTHERS_H

/*
 * Register handlers of pthread_atfork(3). Call this before the library does, so that its handlers
 * run first before a fork and last after it.
 */
void forks_start(void);

/* Fork a child, which checks all its memory and writes to it. */
void fork_child(void);

/* Fork a child that forks, too, before or after it opens a context of its own. */
void fork_grandchild(void);
void fork_child_with_context(void);

/* Fork while another part of the memory is unmapped, and perhaps mapped anew. */
void fork_and_unmap(void);

/* Start a thread that registers a part of its stack. */
void thread_of_pthread(void);
void thread_of_c11(void);
void thread_of_timer(void);

/* Map some memory at an address that the kernel chooses, or check and unmap such memory. */
void map_or_unmap_own(void);

/* Take some steps while the process has used up a resource. */
void without_descriptors(void);
void without_addresses(void);
void without_mappings(void);

#endif

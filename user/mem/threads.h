/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The control blocks of the process's threads. The C library keeps a thread's control block at the
 * upper end of its stack, just above its thread-local variables. pthread_join(3) waits there for
 * the thread's end, by a futex(2) that the kernel refuses in pages of a BPF map.
 *
 * Not thread safe: the caller holds a lock. The directory that lists the threads stays open, so
 * that a process that has used all its file descriptors can still read it.
 */
#ifndef XRDMA_USER_MEM_THREADS_H
#define XRDMA_USER_MEM_THREADS_H

#include <linux/types.h>

struct xrdma_control_block {
	__u64 start, end; /* addresses */
	int thread;	  /* as gettid(2) gives it */
};

/*
 * Open the directory. The blocks from OWN_START up to OWN_END are those of the library's own
 * threads, and are never found. Returns 0 or -errno: it is not open.
 */
int xrdma_threads_open(__u64 own_start, __u64 own_end);

/* Close it. A child that was forked calls it too. */
void xrdma_threads_close(void);

/*
 * Find the first control block, by address, that has a byte from START on; *BLOCK becomes all
 * zeroes if there is none. That of the first thread, which runs main(), is not looked for: it is
 * not on a stack, and hardly any program joins this thread. Returns 0 or -errno: the blocks are not
 * known. -EAGAIN: other threads started and ended all the time.
 */
int xrdma_threads_next_block(__u64 start, struct xrdma_control_block *block);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Relocate memory of the process in place. The relocator copies pages into pages of a map, maps
 * these at the same addresses, and undoes that later. Threads that touch the memory meanwhile wait,
 * by userfaultfd(2), and never see anything but what they wrote.
 *
 * The calling thread does the work, with all signals blocked. A thread of the relocator does it for
 * memory that the calling thread would have to wait for itself: its stack, or records of the C
 * library and the kernel about the thread. Not thread safe: the caller holds a lock.
 */
#ifndef XRDMA_USER_MEM_RELOCATOR_H
#define XRDMA_USER_MEM_RELOCATOR_H

#include "mem/relocation.h"

/*
 * Start the threads. Afterwards the mappings of the process can be listed (mem/mappings.h).
 * Returns 0 or, with xrdma_error() set, -errno: nothing was started.
 */
int xrdma_relocator_start(void);

/* Forget the threads in a child of fork(), which does not have them. */
void xrdma_relocator_forget(void);

/* Returns whether the bytes from START up to END are the relocator's own and cannot be moved. */
bool xrdma_relocator_owns(__u64 start, __u64 end);

/*
 * Move the pages of RELOCATION into the map. Set ORIGIN and IN. Returns 0 or -errno: nothing was
 * moved. -EAGAIN: another thread has mapped or unmapped something there meanwhile, which is left
 * alone.
 */
int xrdma_relocate_in(struct xrdma_relocation *relocation);

/* Stop watching RELOCATION, which will not be moved in again. */
void xrdma_relocation_unwatch(struct xrdma_relocation *relocation);

/*
 * Move the pages of RELOCATION back to AT, into the mapping at ORIGIN, which is used up then, or
 * into anonymous pages: in this case HUGE and OF_FILE are cleared. Clears IN. Returns 0 or -errno:
 * the bytes from BACK on are still in the map, and mapped at AT.
 */
int xrdma_relocate_out(struct xrdma_relocation *relocation);

/*
 * Nothing is relocated between these two calls. A thread that maps memory, unmaps it, or changes
 * how it is mapped, calls xrdma_relocator_block() first. Afterwards it passes the result to
 * xrdma_relocator_unblock(). Thread safe.
 */
bool xrdma_relocator_block(void);
void xrdma_relocator_unblock(bool blocked);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Moves memory of the process in place: what its pages hold goes into pages of a map, which are
 * then mapped at the same addresses, and back. Threads that use the memory meanwhile wait for that,
 * by userfaultfd(2), and never see anything but what they wrote.
 *
 * The calling thread moves the memory itself, with all signals blocked. A thread of the mover's own
 * moves what the calling thread would have to wait for: its stack, or what the C library and the
 * kernel keep for it. Not thread safe: whoever calls holds a lock.
 */
#ifndef XRDMA_USER_MEM_MOVER_H
#define XRDMA_USER_MEM_MOVER_H

#include "mem/move.h"

/*
 * Start the threads. From then on the mappings of the process can be listed (mem/mappings.h).
 * Returns 0 or, with xrdma_error() set, -errno: nothing was started.
 */
int xrdma_mover_start(void);

/* In a child that was forked, which has none of its threads. */
void xrdma_mover_forget(void);

/* Whether the bytes from START up to END are the mover's own, which cannot be moved. */
bool xrdma_mover_owns(__u64 start, __u64 end);

/*
 * Sets KEPT and IN. Returns 0 or -errno: nothing was moved. -EAGAIN: another thread has mapped or
 * unmapped something there meanwhile; that is left alone.
 */
int xrdma_move_in(struct xrdma_move *move);

/* Stop watching MOVE, which will not be moved in again. */
void xrdma_move_unwatch(struct xrdma_move *move);

/*
 * Move it back to AT, into what was kept, which is not kept any more, or into anonymous pages: so
 * this may clear HUGE and OF_FILE. Clears IN. Returns 0 or -errno: the bytes from BACK on are where
 * they were moved to, and that is still mapped.
 */
int xrdma_move_out(struct xrdma_move *move);

/*
 * No memory is moved between these two calls. A thread that maps memory, unmaps it or changes how
 * it is mapped makes the first call before that, and the second one, with what the first returned,
 * afterwards. Thread safe.
 */
bool xrdma_mover_keep_off(void);
void xrdma_mover_let_on(bool kept_off);

#endif

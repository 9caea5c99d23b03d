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

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct xrdma_move {
	char *at;     /* whole pages of the process, of one private mapping */
	size_t size;  /* bytes */
	char *into;   /* the same bytes of the map, where the process has them for itself */
	int prot;     /* PROT_*: how the process may access the pages at AT */
	int fd;	      /* of the map */
	off_t fd_at;  /* where they are in it */
	size_t huge;  /* bytes of a page, if these are huge pages; else 0 */
	bool of_file; /* pages that the process has of a private mapping of a file, or huge ones */
	char *kept;   /* what stood at AT, now empty and elsewhere; NULL: nothing was kept */
	size_t back;  /* bytes from AT on that the last xrdma_move_out() moved back */
	bool watch;   /* what is moved back is to be watched, if the kernel can */
	bool watched; /* and is: xrdma_move_in() must find it, or returns -ENOENT */
	bool locked;  /* the process had locked it (mlock(2)) when it was moved */
	bool in;      /* it was moved, and not back */
	bool over;    /* and need not be there: of who moves it */
};

static inline __u64 xrdma_move_end(const struct xrdma_move *move)
{
	return (uintptr_t)move->at + move->size;
}

enum { XRDMA_MOVE_OF_FILE_MAX = 2 << 20 }; /* bytes of a move that is OF_FILE */

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

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Pages of the process that were adopted at once: while a run is there, they are pages of a heap,
 * in one piece.
 */
#ifndef XRDMA_USER_MEM_RUN_H
#define XRDMA_USER_MEM_RUN_H

#include <sys/queue.h>

#include "mem/heap.h"
#include "mem/move.h"

struct xrdma_run {
	__u64 start, end; /* addresses */
	struct xrdma_heap *heap;
	__u64 at;		  /* of the first byte, in the heap */
	size_t align;		  /* bytes, of AT */
	__u32 *users;		  /* of each page: how many have it */
	__u64 had;		  /* pages that somebody has, as often as that */
	size_t count;		  /* of moves, which leave no gap */
	struct xrdma_move *moves; /* by address */
	LIST_ENTRY(xrdma_run) next;
};

/*
 * The addresses from START up to END are RUN's no more: something else is mapped there. Returns 0
 * or, with xrdma_error() set, -ENOMEM: some are RUN's still.
 */
int xrdma_run_lose(struct xrdma_run *run, __u64 start, __u64 end);

/*
 * Cut move I of RUN in two at address AT: move I ends there, and move I + 1 begins. Only whole huge
 * pages are cut off. Returns false, and changes nothing, if there is no memory for that.
 */
bool xrdma_run_split(struct xrdma_run *run, size_t i, __u64 at);

/* MOVE is over: its pages are not the heap's any more, or something else is mapped there. */
void xrdma_run_end_move(struct xrdma_move *move);

/* The number of the first move of RUN that ends after address AT. There is one. */
size_t xrdma_run_move_at(const struct xrdma_run *run, __u64 at);

/*
 * Returns whether nobody has a page of move I of RUN. If only its first pages have no users, the
 * move is cut behind these, and the answer is true; if only later ones have none, it is cut before
 * them, and the answer is false.
 */
bool xrdma_run_is_unused(struct xrdma_run *run, size_t i);

/*
 * Somebody has the pages from START up to END; or no more. xrdma_run_leave() returns whether nobody
 * has some of them any more.
 */
void xrdma_run_hold(struct xrdma_run *run, __u64 start, __u64 end);
bool xrdma_run_leave(struct xrdma_run *run, __u64 start, __u64 end);

/*
 * Returns whether the LEN bytes at AT of the heap belong, in part or whole, to pages that the
 * process still has for itself because xrdma_run_resume() failed.
 */
bool xrdma_run_lacks(const struct xrdma_run *run, __u64 at, __u64 len);

/* In a child that was forked, in which the pages are its own. */
void xrdma_run_forget(struct xrdma_run *run);

#endif

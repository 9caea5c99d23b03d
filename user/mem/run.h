/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A run is a range of pages of the process that one call adopted. The pages are contiguous in a
 * heap while the run exists.
 */
#ifndef XRDMA_USER_MEM_RUN_H
#define XRDMA_USER_MEM_RUN_H

#include <sys/queue.h>

#include "mem/heap.h"
#include "mem/move.h"

struct xrdma_run {
	__u64 start, end; /* addresses */
	struct xrdma_heap *heap;
	__u64 at;		  /* offset of the first byte in the heap */
	size_t align;		  /* alignment of AT in bytes */
	__u32 *users;		  /* one count of users for each page */
	__u64 had;		  /* sum of all counts in USERS */
	size_t count;		  /* number of MOVES */
	struct xrdma_move *moves; /* in the order of addresses, without gaps */
	LIST_ENTRY(xrdma_run) next;
};

/*
 * Remove the addresses from START up to END from RUN, because something else is mapped there.
 * Returns 0 or, with xrdma_error() set, -ENOMEM: RUN has some of them still.
 */
int xrdma_run_lose(struct xrdma_run *run, __u64 start, __u64 end);

/*
 * Cut move I of RUN in two at address AT: move I ends there, and move I + 1 begins. AT must not be
 * within a huge page. Returns false, and changes nothing, if there is no memory for the new move.
 */
bool xrdma_run_split(struct xrdma_run *run, size_t i, __u64 at);

/* End MOVE: its pages have been moved back, or something else is mapped over them. */
void xrdma_run_end_move(struct xrdma_move *move);

/* Returns the index of the first move of RUN that ends after address AT. RUN must have one. */
size_t xrdma_run_move_at(const struct xrdma_run *run, __u64 at);

/*
 * Cut move I of RUN at the first boundary between pages with users and pages without, unless move I
 * is of huge pages. Returns true if no page of move I has users then.
 */
bool xrdma_run_is_unused(struct xrdma_run *run, size_t i);

/*
 * Add a user to each page from START up to END, or remove one. xrdma_run_leave() returns whether a
 * page has no users then.
 */
void xrdma_run_hold(struct xrdma_run *run, __u64 start, __u64 end);
bool xrdma_run_leave(struct xrdma_run *run, __u64 start, __u64 end);

/*
 * Returns whether a page of the LEN bytes at AT of the heap is not moved in, because
 * xrdma_run_resume() failed.
 */
bool xrdma_run_lacks(const struct xrdma_run *run, __u64 at, __u64 len);

/* Free RUN in a child of fork(), without a change to the memory of parent or child. */
void xrdma_run_forget(struct xrdma_run *run);

#endif

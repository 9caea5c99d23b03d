/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A pinned range is a range of pages of the process that one call adopted. The pages are contiguous
 * in a heap while the pinned range exists. It counts the users of each page.
 */
#ifndef XRDMA_USER_MEM_PINNED_H
#define XRDMA_USER_MEM_PINNED_H

#include <sys/queue.h>

#include "mem/heap.h"
#include "mem/relocation.h"

struct xrdma_pinned_range {
	__u64 start, end; /* addresses */
	struct xrdma_heap *heap;
	__u64 at;			      /* offset of the first byte in the heap */
	size_t align;			      /* alignment of AT in bytes */
	__u32 *users;			      /* one count of users for each page */
	__u64 uses;			      /* sum of all counts in USERS */
	size_t count;			      /* number of RELOCATIONS */
	struct xrdma_relocation *relocations; /* in the order of addresses, without gaps */
	LIST_ENTRY(xrdma_pinned_range) next;
};

/*
 * Remove the addresses from START up to END from PINNED, because something else is mapped there.
 * Returns 0 or, with xrdma_error() set, -ENOMEM: PINNED has some of them still.
 */
int xrdma_pinned_lose(struct xrdma_pinned_range *pinned, __u64 start, __u64 end);

/*
 * Split relocation I of PINNED at address AT: relocation I ends there, and relocation I + 1 begins.
 * AT must not be within a huge page. Returns false, and changes nothing, if there is no memory for
 * the new relocation.
 */
bool xrdma_pinned_split(struct xrdma_pinned_range *pinned, size_t i, __u64 at);

/* End RELOCATION: its pages have been moved back, or something else is mapped over them. */
void xrdma_relocation_finish(struct xrdma_relocation *relocation);

/*
 * Returns the index of the first relocation of PINNED that ends after address AT. PINNED must have
 * one.
 */
size_t xrdma_pinned_relocation_at(const struct xrdma_pinned_range *pinned, __u64 at);

/*
 * Split relocation I of PINNED at the first boundary between pages with users and pages without,
 * unless its pages are huge. Returns true if no page of relocation I has users then.
 */
bool xrdma_pinned_is_unused(struct xrdma_pinned_range *pinned, size_t i);

/*
 * Add a user to each page from START up to END, or remove one. xrdma_pinned_drop_user() returns
 * whether a page has no users then.
 */
void xrdma_pinned_add_user(struct xrdma_pinned_range *pinned, __u64 start, __u64 end);
bool xrdma_pinned_drop_user(struct xrdma_pinned_range *pinned, __u64 start, __u64 end);

/*
 * Returns whether a page of the LEN bytes at offset AT of the heap is not in the heap, because
 * xrdma_pinned_resume() failed.
 */
bool xrdma_pinned_lacks(const struct xrdma_pinned_range *pinned, __u64 at, __u64 len);

/* Free PINNED in a child of fork(), without a change to the memory of parent or child. */
void xrdma_pinned_forget(struct xrdma_pinned_range *pinned);

#endif

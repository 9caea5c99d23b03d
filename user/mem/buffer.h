/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A buffer is memory of the process that a registration names: part of a block of xrdma_alloc(), or
 * any other memory, which is adopted. Thread safe. Errors set xrdma_error().
 *
 * This is the life of a page from malloc() to the end of its last registration:
 *
 * 1. The program registers it. xrdma_buffer_take() asks the cache (mem/cache.h) for an entry with
 *    these addresses. If there is one, it only counts a user, under the cache's lock.
 * 2. Otherwise xrdma_adopt() looks under its lock for pinned ranges at these addresses
 *    (mem/ranges.h). It counts a user for each page that is pinned already (mem/pinned.h).
 * 3. For other pages it reads the mappings of the process (mem/mappings.h), refuses memory that
 *    cannot be adopted (mem/adoptable.h), and takes room in the heap for a new pinned range.
 * 4. The relocator (mem/relocator.h) blocks signals and freezes the page (mem/freeze.h): threads
 *    that touch it wait in a page fault. It copies the page into the heap, maps the heap's page at
 *    the old address, and wakes the threads. Program and XDP now share the page. One
 *    relocation has at most 64 MiB.
 * 5. The buffer has the list of its pages (mem/range_list.h). If they are scattered in the heap, or
 *    missing, a page table (mem/page_table.h) says where each page is. XDP reads the table.
 * 6. Around fork(2), all pinned pages are relocated back, so that the child gets a copy, and into
 *    the heap again in the parent.
 * 7. The registration ends. Its cache entry has no user now, but remains. It is evicted when the
 *    program unmaps the memory (mem/monitor.h), or when others need the room.
 * 8. When the last user of the page is gone, the relocator copies it back into a page of the
 *    process's own, unless the process has mapped something else there. When all pages of a pinned
 *    range are back, its room in the heap is free.
 *
 * The locks, in the order in which a thread takes them, are those of the cache, of adopt.c, and of
 * the heap. lib/mutex.h has the order of all locks.
 */
#ifndef XRDMA_USER_MEM_BUFFER_H
#define XRDMA_USER_MEM_BUFFER_H

#include "mem/cache_take.h"
#include "mem/page_table.h"

/* Time at which all pages of a buffer must have memory. */
enum xrdma_backing {
	XRDMA_BACKED,	 /* when the buffer is taken */
	XRDMA_REFRESHED, /* later: xrdma_buffer_refresh() adds missing pages */
	XRDMA_ON_DEMAND, /* later: xrdma_buffer_fill() adds a page when XDP misses it, too */
};

struct xrdma_buffer {
	__u64 addr;
	__u64 len;
	struct xrdma_page_table table;
	struct xrdma_range_list ranges;
	struct xrdma_cache_entry *entry; /* that RANGES belongs to; NULL: to the buffer itself */
	bool is_adopted;		 /* false: it is memory of xrdma_alloc() */
	enum xrdma_backing backing;
	LIST_ENTRY(xrdma_buffer) next; /* for the caller's use */
};

/*
 * Take the LEN bytes at ADDR. Give them back with xrdma_buffer_give(). Returns 0, -EINVAL (LEN is
 * 0, the addresses end before, or they are not one piece of the heap), or an error of
 * xrdma_adopt().
 */
int xrdma_buffer_take(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_backing backing,
		      struct xrdma_buffer *buffer);
void xrdma_buffer_give(struct xrdma_heap *heap, struct xrdma_buffer *buffer);

/*
 * Replace the pages of BUFFER from START up to END by those that are mapped there now. The caller
 * has made sure that no packet reaches the buffer meanwhile. Returns 0 or, with nothing changed, an
 * error of xrdma_adopt().
 */
int xrdma_buffer_refresh(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 start,
			 __u64 end);

/*
 * Add the page at PAGE, which is in BUFFER's page table, and pages around it, as they are mapped
 * now. Packets may use the buffer meanwhile. *OLD is the list of pages that were replaced. Pass it
 * to xrdma_disown() when no program uses the former entries of the page table any more. Returns 0
 * or, with nothing changed, an error of xrdma_adopt().
 */
int xrdma_buffer_fill(struct xrdma_heap *heap, struct xrdma_buffer *buffer, __u64 page,
		      struct xrdma_range_list *old);

#endif

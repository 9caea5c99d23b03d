/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The heap of a context contains all memory that packets reach. Its addresses go from 0 to
 * XRDMA_HEAP_MAX. An arena is a BPF map of its own. Memory is added one area at a time: an area is
 * one arena, or several that follow each other. In an area, every arena but the last is full.
 *
 * In the process, the byte of heap address 0 is at BYTES, and all others follow it. Addresses
 * without memory are not reserved in the process. RLIMIT_AS and mlockall(2) count addresses, so the
 * process should use few that have no memory. If the process has mapped something else at an
 * arena's addresses in the meantime, the arena cannot be added.
 *
 * All functions are thread safe, except opening and closing.
 */
#ifndef XRDMA_USER_MEM_HEAP_H
#define XRDMA_USER_MEM_HEAP_H

#include <sys/types.h>

#include "dev/slot.h"
#include "lib/extents.h"
#include "lib/mutex.h"

struct xrdma_heap {
	char *bytes; /* of address 0; aligned to an element */
	const struct xrdma_slots *slots;
	__u32 slot;
	struct xrdma_mutex
		growing;   /* protects the members below, except EXTENTS, which have a lock */
	__u64 size, max;   /* bytes */
	__u32 arena_count; /* including arenas in between that do not exist */
	struct xrdma_table arenas[XRDMA_HEAP_ARENAS];
	__u64 sizes[XRDMA_HEAP_ARENAS]; /* bytes of each arena; 0: it does not exist */
	__u32 area_count;		/* written last */
	struct xrdma_heap_area {
		__u64 at; /* address of the area */
		struct xrdma_extents extents;
	} areas[XRDMA_HEAP_ARENAS];
	__u8 area_of[XRDMA_HEAP_ARENAS]; /* one for each arena */
};

/*
 * Open a heap of SIZE bytes, a multiple of XRDMA_HEAP_ELEMENT, that may grow to MAX bytes. It
 * belongs to no slot yet. Returns 0 or, with xrdma_error() set, -EPERM or -ENOMEM.
 */
int xrdma_heap_open(struct xrdma_heap *heap, __u64 size, __u64 max);

/*
 * From now on put all new arenas into SLOT. The calling process has filled SLOT with the present
 * ones.
 */
void xrdma_heap_enter(struct xrdma_heap *heap, const struct xrdma_slots *slots, __u32 slot);

void xrdma_heap_close(struct xrdma_heap *heap);

/* Forget the heap in a forked child, which has none of its memory. */
void xrdma_heap_forget(struct xrdma_heap *heap);

/*
 * Take SIZE bytes, at least 1, at a multiple of ALIGN, a power of two up to XRDMA_HEAP_ELEMENT. If
 * there is no room, the heap grows, which takes the kernel some 10 ms. *AT becomes the address.
 * Returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at);

/*
 * Give back the memory that was taken at AT. Returns 0 or -EINVAL (no memory in use begins at AT).
 */
int xrdma_heap_give(struct xrdma_heap *heap, __u64 at);

/*
 * Returns whether the process has memory of the heap at ADDR. A page of the process that was
 * adopted does not count.
 */
bool xrdma_heap_has_address(const struct xrdma_heap *heap, __u64 addr);

/* Returns whether the SIZE bytes at AT were taken by one call. */
bool xrdma_heap_holds(struct xrdma_heap *heap, __u64 at, __u64 size);

/*
 * Find the map that contains the memory at AT, which was taken. Sets *FD, and *FD_AT to the offset
 * in the map. Returns the number of bytes from AT to the end of the map.
 */
__u64 xrdma_heap_arena(const struct xrdma_heap *heap, __u64 at, int *fd, off_t *fd_at);

#endif

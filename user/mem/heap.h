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
	char *bytes; /* of address 0, on a border between elements */
	const struct xrdma_slots *slots;
	__u32 slot;
	struct xrdma_mutex
		growing;   /* over what there is of these, but for EXTENTS, which have one */
	__u64 size, max;   /* bytes */
	__u32 arena_count; /* with those that are not there, in between */
	struct xrdma_table arenas[XRDMA_HEAP_ARENAS];
	__u64 sizes[XRDMA_HEAP_ARENAS]; /* bytes, of arenas; 0: it is not there */
	__u32 area_count;		/* written last */
	struct xrdma_heap_area {
		__u64 at; /* address */
		struct xrdma_extents extents;
	} areas[XRDMA_HEAP_ARENAS];
	__u8 area_of[XRDMA_HEAP_ARENAS]; /* by arena */
};

/*
 * Open one of SIZE bytes, a multiple of XRDMA_HEAP_ELEMENT, that grows up to MAX. It is no slot's
 * yet. Returns 0 or, with xrdma_error() set, -EPERM or -ENOMEM.
 */
int xrdma_heap_open(struct xrdma_heap *heap, __u64 size, __u64 max);

/* From now on SLOT, which the calling process has filled with what there is, gets what is added. */
void xrdma_heap_enter(struct xrdma_heap *heap, const struct xrdma_slots *slots, __u32 slot);

void xrdma_heap_close(struct xrdma_heap *heap);

/* In a child that was forked, which has none of the memory. */
void xrdma_heap_forget(struct xrdma_heap *heap);

/*
 * Take SIZE bytes, at least 1, at a multiple of ALIGN, a power of two up to XRDMA_HEAP_ELEMENT.
 * Where there are none the heap grows, which takes the kernel some 10 ms. Sets *AT, the address;
 * returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at);

/* Give back what was taken at AT. Returns 0 or -EINVAL: nothing that is in use begins there. */
int xrdma_heap_give(struct xrdma_heap *heap, __u64 at);

/* Returns whether the process has memory of the heap at ADDR, and not only an adopted page. */
bool xrdma_heap_has_address(const struct xrdma_heap *heap, __u64 addr);

/* Whether the SIZE bytes at AT were taken, in one call. */
bool xrdma_heap_holds(struct xrdma_heap *heap, __u64 at, __u64 size);

/*
 * The map that holds what is at AT, which was taken: sets *FD and *FD_AT, where it is in there.
 * Returns how many bytes from AT on the map has.
 */
__u64 xrdma_heap_arena(const struct xrdma_heap *heap, __u64 at, int *fd, off_t *fd_at);

#endif

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/heap.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/bounds.h"
#include "lib/error.h"
#include "lib/order.h"

#define ARENA	      (1ULL << XRDMA_HEAP_ARENA_SHIFT)
#define ELEMENT_FLOOR (~((__u64)XRDMA_HEAP_ELEMENT - 1))

enum { PLACES = 256 }; /* places that are tried for a heap's addresses */

_Static_assert(XRDMA_HEAP_MAX == ARENA * XRDMA_HEAP_ARENAS, "an address says which arena it is in");
_Static_assert(XRDMA_HEAP_MAX <= XRDMA_EXTENTS_MAX, "the records of an area count its bytes");

static __u64 to_elements(__u64 size)
{
	return (size + XRDMA_HEAP_ELEMENT - 1) & ELEMENT_FLOOR;
}

/*
 * Reserve SIZE bytes of addresses from AT on, if the process has mapped nothing there. Returns 0 or
 * -errno.
 */
static int reserve(char *at, __u64 size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	char *place = mmap(at, size, PROT_NONE, flags, -1, 0);
	int err = 0;

	if (place == MAP_FAILED)
		return -errno;
	if (place != at)
		err = -EEXIST;
	else if (madvise(place, size, MADV_DONTFORK))
		err = -errno;
	if (err)
		munmap(place, size);
	return err;
}

static char *address_of(const struct xrdma_heap *heap, __u32 arena)
{
	return heap->bytes + arena * ARENA;
}

/* Close the maps of the arenas from FIRST up to END. Their addresses remain reserved. */
static void close_maps(struct xrdma_heap *heap, __u32 first, __u32 end)
{
	for (__u32 arena = first; arena < end; arena++)
		xrdma_table_forget(&heap->arenas[arena]);
}

/* Create the arenas for SIZE bytes, beginning with arena FIRST. Their addresses are reserved. */
static int create_arenas(struct xrdma_heap *heap, __u32 first, __u64 size)
{
	__u64 left = size;
	__u32 arena = first;
	int err = 0;

	while (left && !err) {
		const __u64 here = left < ARENA ? left : ARENA;

		err = xrdma_table_create(&heap->arenas[arena], "heap", XRDMA_HEAP_ELEMENT,
					 here >> XRDMA_HEAP_SHIFT, address_of(heap, arena));
		arena += !err;
		left -= here;
	}
	if (!err)
		return 0;
	close_maps(heap, first, arena);
	return xrdma_fail(-err, "cannot create %llu bytes more of the heap: %s", size,
			  strerror(-err));
}

/* Make the arenas from FIRST up to END an area. */
static void add_area(struct xrdma_heap *heap, __u32 first, __u32 end)
{
	heap->areas[heap->area_count].at = first * ARENA;
	for (__u32 arena = first; arena < end; arena++) {
		heap->area_of[arena] = heap->area_count;
		heap->size += heap->arenas[arena].size;
		XRDMA_WRITE(heap->sizes[arena], heap->arenas[arena].size);
	}
	heap->arena_count = end;
	XRDMA_PUBLISH(heap->area_count, heap->area_count + 1);
}

/*
 * Create the arenas for an area of SIZE bytes, beginning with arena FIRST. Their addresses are
 * reserved.
 */
static int add_arenas(struct xrdma_heap *heap, __u32 first, __u64 size)
{
	const __u32 end = first + ((size + ARENA - 1) >> XRDMA_HEAP_ARENA_SHIFT);
	int err = create_arenas(heap, first, size);

	if (err)
		return err;
	if (heap->slots)
		err = xrdma_slot_add_arenas(heap->slots, heap->slot, heap->arenas, first,
					    end - first);
	if (err)
		close_maps(heap, first, end);
	else
		add_area(heap, first, end);
	return err;
}

/* Add an area of SIZE bytes, beginning with arena FIRST. Its addresses are reserved. */
static int add(struct xrdma_heap *heap, __u32 first, __u64 size)
{
	struct xrdma_extents *extents = &heap->areas[heap->area_count].extents;
	int err = 0;

	if (xrdma_extents_init(extents, size)) {
		err = xrdma_fail(ENOMEM, "no memory for the records of a heap");
	} else {
		err = add_arenas(heap, first, size);
		if (err)
			xrdma_extents_exit(extents);
	}
	if (err)
		munmap(address_of(heap, first), size);
	return err;
}

/*
 * Reserve the addresses of as many new arenas as SIZE bytes need. The arenas follow each other.
 * Returns the number of the first, or -errno.
 */
static int reserve_arenas(const struct xrdma_heap *heap, __u64 size)
{
	const __u32 count = (size + ARENA - 1) >> XRDMA_HEAP_ARENA_SHIFT;
	__u32 first = heap->arena_count;
	int err = -EEXIST;

	for (; first + count <= XRDMA_HEAP_ARENAS && err == -EEXIST; first += !!err)
		err = reserve(address_of(heap, first), size);
	if (err)
		return err == -EEXIST ? -ENOMEM : err;
	return first;
}

/*
 * Enlarge the heap by half its size, up to an arena, so that this happens seldom, or by LEAST bytes
 * if that is more. The caller holds GROWING.
 */
static int grow(struct xrdma_heap *heap, __u64 least)
{
	const __u64 left = heap->max - heap->size;
	const __u64 room = (XRDMA_HEAP_ARENAS - heap->arena_count) * ARENA;
	__u64 size = xrdma_lesser(to_elements(heap->size / 2), ARENA);
	int first;

	if (size < least)
		size = to_elements(least);
	size = xrdma_lesser(size, left);
	if (least > xrdma_lesser(left, room))
		return xrdma_fail(ENOMEM,
				  "no %llu bytes in one piece in the heap: free some, or open the "
				  "context with a larger heap_max",
				  least);
	size = xrdma_lesser(size, room);
	first = reserve_arenas(heap, size);
	if (first < 0)
		return xrdma_fail(-first,
				  "no addresses are free for %llu bytes more of the heap: %s", size,
				  strerror(-first));
	return add(heap, first, size);
}

/*
 * Find a place for the heap's addresses, and reserve its first SIZE bytes. The kernel puts the next
 * mappings where it puts one now, and below. The heap begins far below, and grows upwards.
 */
static char *find_place(__u64 size)
{
	char *at, *end = mmap(NULL, size + XRDMA_HEAP_ELEMENT, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int err = -EEXIST;

	if (end == MAP_FAILED)
		return NULL;
	munmap(end, size + XRDMA_HEAP_ELEMENT);
	at = (char *)(((uintptr_t)end + XRDMA_HEAP_ELEMENT - 1) & ELEMENT_FLOOR);
	for (int i = 0; i < PLACES && err && (uintptr_t)at > 2 * XRDMA_HEAP_MAX; i++) {
		at -= XRDMA_HEAP_MAX;
		err = reserve(at, size);
	}
	return err ? NULL : at;
}

int xrdma_heap_open(struct xrdma_heap *heap, __u64 size, __u64 max)
{
	*heap = (struct xrdma_heap){
		.bytes = find_place(size),
		.growing = XRDMA_MUTEX(XRDMA_RANK_HEAP),
		.max = max,
	};
	if (!heap->bytes)
		return xrdma_fail(ENOMEM, "no %llu bytes of addresses are free for the heap", size);
	return add(heap, 0, size);
}

void xrdma_heap_enter(struct xrdma_heap *heap, const struct xrdma_slots *slots, __u32 slot)
{
	heap->slot = slot;
	heap->slots = slots;
}

void xrdma_heap_close(struct xrdma_heap *heap)
{
	for (__u32 arena = 0; arena < heap->arena_count; arena++)
		if (heap->sizes[arena])
			xrdma_table_close(&heap->arenas[arena]);
	for (__u32 area = 0; area < heap->area_count; area++)
		xrdma_extents_exit(&heap->areas[area].extents);
}

void xrdma_heap_forget(struct xrdma_heap *heap)
{
	for (__u32 arena = 0; arena < heap->arena_count; arena++)
		if (heap->sizes[arena])
			xrdma_table_forget(&heap->arenas[arena]);
	for (__u32 area = 0; area < heap->area_count; area++)
		xrdma_extents_exit(&heap->areas[area].extents);
}

/*
 * Take memory from one of the first AREAS areas. The newest comes first, because most of it is
 * free.
 */
static bool take(struct xrdma_heap *heap, __u32 areas, __u64 size, __u64 align, __u64 *at)
{
	size_t in_area;

	while (areas--)
		if (!xrdma_extents_take(&heap->areas[areas].extents, size, align, &in_area)) {
			*at = heap->areas[areas].at + in_area;
			return true;
		}
	return false;
}

int xrdma_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at)
{
	int err = 0;

	if (take(heap, XRDMA_OBSERVE(heap->area_count), size, align, at))
		return 0;
	xrdma_mutex_lock(&heap->growing);
	while (!err && !take(heap, heap->area_count, size, align, at))
		err = grow(heap, size); /* areas begin at multiples of any ALIGN */
	xrdma_mutex_unlock(&heap->growing);
	return err;
}

/*
 * Returns the records of the area with AT, or NULL. *IN_AREA becomes the offset of AT in the area.
 */
static struct xrdma_extents *extents_of(struct xrdma_heap *heap, __u64 at, size_t *in_area)
{
	const __u64 arena = at >> XRDMA_HEAP_ARENA_SHIFT;
	struct xrdma_heap_area *area;

	if (arena >= XRDMA_HEAP_ARENAS || !XRDMA_OBSERVE(heap->sizes[arena]))
		return NULL;
	area = &heap->areas[heap->area_of[arena]];
	*in_area = at - area->at;
	return &area->extents;
}

int xrdma_heap_give(struct xrdma_heap *heap, __u64 at)
{
	size_t in_area;
	struct xrdma_extents *extents = extents_of(heap, at, &in_area);

	return extents ? xrdma_extents_give(extents, in_area) : -EINVAL;
}

bool xrdma_heap_has_address(const struct xrdma_heap *heap, __u64 addr)
{
	const __u64 at = addr - (uintptr_t)heap->bytes, arena = at >> XRDMA_HEAP_ARENA_SHIFT;

	return arena < XRDMA_HEAP_ARENAS && (at & (ARENA - 1)) < XRDMA_OBSERVE(heap->sizes[arena]);
}

bool xrdma_heap_holds(struct xrdma_heap *heap, __u64 at, __u64 size)
{
	size_t in_area;
	struct xrdma_extents *extents = extents_of(heap, at, &in_area);

	return extents && xrdma_extents_hold(extents, in_area, size);
}

__u64 xrdma_heap_arena(const struct xrdma_heap *heap, __u64 at, int *fd, off_t *fd_at)
{
	const __u64 arena = at >> XRDMA_HEAP_ARENA_SHIFT;

	*fd = heap->arenas[arena].fd;
	*fd_at = at - arena * ARENA;
	return heap->sizes[arena] - *fd_at;
}

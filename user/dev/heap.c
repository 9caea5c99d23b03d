// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/heap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/error.h"
#include "lib/order.h"

#define PART	      (1ULL << XRDMA_HEAP_PART_SHIFT)
#define RESERVED      (XRDMA_HEAP_MAX + XRDMA_HEAP_ELEMENT) /* to begin on a border */
#define ELEMENT_FLOOR (~((__u64)XRDMA_HEAP_ELEMENT - 1))

_Static_assert(XRDMA_HEAP_MAX == PART * XRDMA_HEAP_PARTS, "an address says which part it is in");
_Static_assert(XRDMA_HEAP_MAX <= XRDMA_EXTENTS_MAX, "the records of an area count its bytes");

static __u64 to_elements(__u64 size)
{
	return (size + XRDMA_HEAP_ELEMENT - 1) & ELEMENT_FLOOR;
}

/* Of the addresses that are reserved, from AT on: nothing is there. */
static bool reserve(char *at, __u64 size)
{
	return mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		    -1, 0) != MAP_FAILED &&
	       !madvise(at, size, MADV_DONTFORK);
}

static char *address_of(const struct xrdma_heap *heap, __u32 part)
{
	return heap->bytes + part * PART;
}

/* The COUNT parts from FIRST on are there no more. */
static void drop_parts(struct xrdma_heap *heap, __u32 first, __u32 count)
{
	for (__u32 part = first; part < first + count; part++) {
		xrdma_table_close(&heap->parts[part]);
		reserve(address_of(heap, part), heap->parts[part].size);
	}
}

/* The parts from FIRST on that SIZE bytes take. Returns how many they are, or -errno. */
static int create_parts(struct xrdma_heap *heap, __u32 first, __u64 size)
{
	const __u64 all = size;
	__u32 part = first;
	int err = 0;

	for (; size && !err; part += !err) {
		__u64 here = size < PART ? size : PART;

		err = xrdma_table_create(&heap->parts[part], "heap", XRDMA_HEAP_ELEMENT,
					 here >> XRDMA_HEAP_SHIFT, address_of(heap, part));
		size -= here;
	}
	if (!err)
		return part - first;
	drop_parts(heap, first, part - first);
	return xrdma_fail(-err, "cannot create %llu bytes more of the heap: %s", all,
			  strerror(-err));
}

/* The COUNT parts from the first that there is not on become an area. */
static void add_area(struct xrdma_heap *heap, __u32 count)
{
	__u32 first = heap->part_count;

	heap->areas[heap->area_count].at = first * PART;
	for (__u32 part = first; part < first + count; part++) {
		heap->area_of[part] = heap->area_count;
		heap->size += heap->parts[part].size;
		XRDMA_WRITE(heap->sizes[part], heap->parts[part].size);
	}
	heap->part_count += count;
	XRDMA_PUBLISH(heap->area_count, heap->area_count + 1);
}

/* An area of SIZE bytes more. GROWING is held. */
static int add(struct xrdma_heap *heap, __u64 size)
{
	struct xrdma_extents *extents = &heap->areas[heap->area_count].extents;
	__u32 first = heap->part_count;
	int count, err = 0;

	if (xrdma_extents_init(extents, size))
		return xrdma_fail(ENOMEM, "no memory for the records of a heap");
	count = create_parts(heap, first, size);
	if (count < 0) {
		xrdma_extents_exit(extents);
		return count;
	}
	if (heap->slots)
		err = xrdma_slot_add_parts(heap->slots, heap->slot, heap->parts, first, count);
	if (!err) {
		add_area(heap, count);
		return 0;
	}
	drop_parts(heap, first, count);
	xrdma_extents_exit(extents);
	return err;
}

static __u64 smaller(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/*
 * By half of what there is, up to a part, so that it need not grow often; by LEAST bytes, if that
 * is more. GROWING is held.
 */
static int grow(struct xrdma_heap *heap, __u64 least)
{
	const __u64 left = heap->max - heap->size;
	const __u64 room = (XRDMA_HEAP_PARTS - heap->part_count) * PART;
	__u64 size = smaller(to_elements(heap->size / 2), PART);

	if (size < least)
		size = to_elements(least);
	size = smaller(size, left);
	if (least > smaller(left, room))
		return xrdma_fail(ENOMEM,
				  "no %llu bytes in one piece in the heap: free some, or open the "
				  "context with a larger heap_max",
				  least);
	return add(heap, smaller(size, room));
}

int xrdma_heap_open(struct xrdma_heap *heap, __u64 size, __u64 max)
{
	char *at =
		mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	__u64 before;
	int err;

	if (at == MAP_FAILED)
		return xrdma_fail(ENOMEM, "cannot reserve %llu bytes of addresses: %s", RESERVED,
				  strerror(errno));
	before = -(__u64)at & ~ELEMENT_FLOOR;
	munmap(at + before + XRDMA_HEAP_MAX, XRDMA_HEAP_ELEMENT - before);
	munmap(at, before);
	*heap = (struct xrdma_heap){
		.bytes = at + before,
		.growing = PTHREAD_MUTEX_INITIALIZER,
		.max = max,
	};
	err = reserve(heap->bytes, XRDMA_HEAP_MAX)
		      ? add(heap, size)
		      : xrdma_fail(errno, "cannot reserve addresses: %s", strerror(errno));
	if (err)
		munmap(heap->bytes, XRDMA_HEAP_MAX);
	return err;
}

void xrdma_heap_enter(struct xrdma_heap *heap, const struct xrdma_slots *slots, __u32 slot)
{
	heap->slot = slot;
	heap->slots = slots;
}

void xrdma_heap_close(struct xrdma_heap *heap)
{
	for (__u32 part = 0; part < heap->part_count; part++)
		xrdma_table_close(&heap->parts[part]);
	munmap(heap->bytes, XRDMA_HEAP_MAX);
	for (__u32 area = 0; area < heap->area_count; area++)
		xrdma_extents_exit(&heap->areas[area].extents);
}

void xrdma_heap_forget(struct xrdma_heap *heap)
{
	for (__u32 part = 0; part < heap->part_count; part++)
		xrdma_table_forget(&heap->parts[part]);
	for (__u32 area = 0; area < heap->area_count; area++)
		xrdma_extents_exit(&heap->areas[area].extents);
}

/* Of what there is, the newest first, of which most is free. */
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
	pthread_mutex_lock(&heap->growing);
	while (!err && !take(heap, heap->area_count, size, align, at))
		err = grow(heap, size); /* areas begin at multiples of any ALIGN */
	pthread_mutex_unlock(&heap->growing);
	return err;
}

/* The records of AT, which is *IN_AREA there; or NULL. */
static struct xrdma_extents *extents_of(struct xrdma_heap *heap, __u64 at, size_t *in_area)
{
	const __u64 part = at >> XRDMA_HEAP_PART_SHIFT;
	struct xrdma_heap_area *area;

	if (part >= XRDMA_HEAP_PARTS || !XRDMA_OBSERVE(heap->sizes[part]))
		return NULL;
	area = &heap->areas[heap->area_of[part]];
	*in_area = at - area->at;
	return &area->extents;
}

int xrdma_heap_give(struct xrdma_heap *heap, __u64 at)
{
	size_t in_area;
	struct xrdma_extents *extents = extents_of(heap, at, &in_area);

	return extents ? xrdma_extents_give(extents, in_area) : -EINVAL;
}

bool xrdma_heap_holds(struct xrdma_heap *heap, __u64 at, __u64 size)
{
	size_t in_area;
	struct xrdma_extents *extents = extents_of(heap, at, &in_area);

	return extents && xrdma_extents_hold(extents, in_area, size);
}

__u64 xrdma_heap_part(const struct xrdma_heap *heap, __u64 at, int *fd, off_t *fd_at)
{
	const __u64 part = at >> XRDMA_HEAP_PART_SHIFT;

	*fd = heap->parts[part].fd;
	*fd_at = at - part * PART;
	return heap->sizes[part] - *fd_at;
}

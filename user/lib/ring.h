/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Numbers for the entries of a ring. They count from 0 and never repeat: entry N is at place N &
 * MASK. The producer adds at the tail, the consumer takes at the head, each under its own lock;
 * they need no common lock. The producer writes the entry, then the tail (release). The consumer
 * reads the tail (acquire), then the entry. For the head it is the reverse, so that a place is not
 * written before it was read.
 */
#ifndef XRDMA_USER_LIB_RING_H
#define XRDMA_USER_LIB_RING_H

#include <stdbool.h>

#include "lib/order.h"
#include "lib/table.h"

struct xrdma_ring {
	__u64 head; /* the oldest entry: written by the consumer */
	__u64 tail; /* the next entry: written by the producer */
	__u32 size; /* limit of entries */
	__u32 mask; /* places - 1; there is at least one place */
};

static inline struct xrdma_ring xrdma_ring(__u32 size)
{
	return (struct xrdma_ring){ .size = size, .mask = xrdma_power_of_two(size) - 1 };
}

/* Empty the ring, while neither side uses it. */
static inline void xrdma_ring_clear(struct xrdma_ring *ring)
{
	ring->head = ring->tail = 0;
}

static inline __u32 xrdma_ring_place(const struct xrdma_ring *ring, __u64 number)
{
	return number & ring->mask;
}

/* Returns whether the ring is full. Only the producer calls it. */
static inline bool xrdma_ring_is_full(const struct xrdma_ring *ring)
{
	return ring->tail - XRDMA_OBSERVE(ring->head) == ring->size;
}

/* Publish the entry at the tail, which is written. Only the producer calls it. */
static inline void xrdma_ring_add(struct xrdma_ring *ring)
{
	XRDMA_PUBLISH(ring->tail, ring->tail + 1);
}

/* Returns whether the ring is empty. Only the consumer calls it. */
static inline bool xrdma_ring_is_empty(const struct xrdma_ring *ring)
{
	return XRDMA_OBSERVE(ring->tail) == ring->head;
}

/* Free the entry at the head, which was read. Only the consumer calls it. */
static inline void xrdma_ring_take(struct xrdma_ring *ring)
{
	XRDMA_PUBLISH(ring->head, ring->head + 1);
}

#endif

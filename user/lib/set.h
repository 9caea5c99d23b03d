/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A set of numbers in private memory: a bit for each number, and for 64 bits one bit in the next
 * level that says whether any of them is set. The time of a call does not depend on the number of
 * members: it looks at up to six words on the way up, and on the way down. Not thread safe: the
 * caller holds a lock.
 */
#ifndef XRDMA_USER_LIB_SET_H
#define XRDMA_USER_LIB_SET_H

#include <linux/types.h>
#include <stdbool.h>

enum { XRDMA_SET_LEVELS = 6 }; /* 64^6 is more than 2^32 */
#define XRDMA_SET_NONE 0xffffffffU

struct xrdma_set {
	__u64 *levels[XRDMA_SET_LEVELS]; /* in level 0 a bit is a number */
	__u32 depth;
	__u32 bound;
};

/*
 * Initialize a set of numbers below BOUND, which is at least 1. If FULL, it has all of them, else
 * none. Returns 0 or -ENOMEM.
 */
int xrdma_set_init(struct xrdma_set *set, __u32 bound, bool full);

/* Free the set. A zeroed set is accepted. */
void xrdma_set_exit(struct xrdma_set *set);

/* Add or remove NUMBER, which is below the bound. */
void xrdma_set_add(struct xrdma_set *set, __u32 number);
void xrdma_set_remove(struct xrdma_set *set, __u32 number);

static inline bool xrdma_set_has(const struct xrdma_set *set, __u32 number)
{
	return number < set->bound && set->levels[0][number / 64] >> number % 64 & 1;
}

/* Return the smallest member from FROM on, or XRDMA_SET_NONE. */
__u32 xrdma_set_next(const struct xrdma_set *set, __u32 from);

/* Return the largest member up to FROM, or XRDMA_SET_NONE. */
__u32 xrdma_set_previous(const struct xrdma_set *set, __u32 from);

#endif

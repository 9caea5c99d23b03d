/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A set of numbers, in private memory: a bit for each, and above every 64 bits one that says
 * whether any of them is set. No call takes longer when there are more members: up to six words are
 * looked at, down and up again. Not thread safe: the caller's lock is held.
 */
#ifndef XRDMA_USER_LIB_SET_H
#define XRDMA_USER_LIB_SET_H

#include <linux/types.h>
#include <stdbool.h>

enum { XRDMA_SET_LEVELS = 6 }; /* 64^6 is more than 2^32 */
#define XRDMA_SET_NONE 0xffffffffU

struct xrdma_set {
	__u64 *levels[XRDMA_SET_LEVELS]; /* of level 0 a bit is a number */
	__u32 depth;
	__u32 bound;
};

/*
 * Initialize a set of numbers below BOUND, which is at least 1. If FULL, it has all of them, else
 * none. Returns 0 or -ENOMEM.
 */
int xrdma_set_init(struct xrdma_set *set, __u32 bound, bool full);

/* Also of one that is zeroed. */
void xrdma_set_exit(struct xrdma_set *set);

/* NUMBER is below the bound. */
void xrdma_set_add(struct xrdma_set *set, __u32 number);
void xrdma_set_remove(struct xrdma_set *set, __u32 number);

static inline bool xrdma_set_has(const struct xrdma_set *set, __u32 number)
{
	return number < set->bound && set->levels[0][number / 64] >> number % 64 & 1;
}

/* The smallest member that is not below FROM, or XRDMA_SET_NONE. */
__u32 xrdma_set_next(const struct xrdma_set *set, __u32 from);

/* The largest member that is not above FROM, or XRDMA_SET_NONE. */
__u32 xrdma_set_previous(const struct xrdma_set *set, __u32 from);

#endif

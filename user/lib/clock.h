/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_LIB_CLOCK_H
#define XRDMA_USER_LIB_CLOCK_H

#include <linux/types.h>
#include <time.h>

#define XRDMA_NEVER (~0ULL)
#define XRDMA_SOON  0ULL /* the next time that the clock is read */

enum { XRDMA_NS_PER_MS = 1000000 };

/* Return the time in ns of a clock that nobody sets (CLOCK_MONOTONIC). */
static inline __u64 xrdma_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline __u64 xrdma_now_ms(void)
{
	return xrdma_now() / XRDMA_NS_PER_MS;
}

/* Return the timeout for poll(2), in ms, until the time UNTIL, in ns or XRDMA_NEVER. */
static inline int xrdma_ms_until(__u64 until)
{
	const __u64 now = until == XRDMA_NEVER ? 0 : xrdma_now();

	if (until == XRDMA_NEVER)
		return -1;
	return now < until ? (until - now + XRDMA_NS_PER_MS - 1) / XRDMA_NS_PER_MS : 0;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_LIB_BOUNDS_H
#define XRDMA_USER_LIB_BOUNDS_H

#include <linux/types.h>

static inline __u64 xrdma_lesser(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static inline __u64 xrdma_greater(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

#endif

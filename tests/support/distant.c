// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "distant.h"

#include <linux/types.h>

void *distant_address(void)
{
	static __u64 next = 1ULL << 45;

	return (void *)__atomic_fetch_add(&next, 1 << 30, __ATOMIC_RELAXED);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/scatter.h"

#include <stdint.h>
#include <string.h>

#include "lib/bounds.h"

__u64 xrdma_sges_length(const struct xrdma_sge *sges, __u32 count)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < count; i++)
		sum += sges[i].length;
	return sum;
}

void xrdma_sges_gather(const struct xrdma_sge *sges, __u64 skip, __u64 len, void *into)
{
	__u8 *at = into;
	__u64 here;

	for (; len; sges++, at += here, len -= here) {
		const __u64 left_out = xrdma_lesser(skip, sges->length);

		skip -= left_out;
		here = xrdma_lesser(len, sges->length - left_out);
		if (here)
			memcpy(at, (const __u8 *)(uintptr_t)sges->addr + left_out, here);
	}
}

void xrdma_sges_scatter(const struct xrdma_sge *sges, __u64 len, const void *from)
{
	const __u8 *at = from;
	__u64 here;

	for (; len; sges++, at += here, len -= here) {
		here = xrdma_lesser(len, sges->length);
		if (here)
			memcpy((void *)(uintptr_t)sges->addr, at, here);
	}
}

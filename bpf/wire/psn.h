/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Arithmetic on packet sequence numbers, which have 24 bits and wrap (9.7.2). */
#ifndef XRDMA_WIRE_PSN_H
#define XRDMA_WIRE_PSN_H

#include "lib/base.h"
#include <xrdma/types.h>

static __always_inline __u32 xrdma_psn_add(__u32 psn, __u32 count)
{
	return (psn + count) & XRDMA_PSN_MASK;
}

/*
 * Compare two PSNs: below 0 if A comes before B, 0 if they are equal. Half of all PSNs are on
 * either side.
 */
static __always_inline __s32 xrdma_psn_cmp(__u32 a, __u32 b)
{
	return (__s32)((a - b) << 8);
}

#endif

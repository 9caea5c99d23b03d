/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Copies between a buffer and data segments, by the program's addresses; keys are ignored. */
#ifndef XRDMA_USER_LIB_SCATTER_H
#define XRDMA_USER_LIB_SCATTER_H

#include <xrdma/types.h>

/* Return the length of COUNT segments in bytes. */
__u64 xrdma_sges_length(const struct xrdma_sge *sges, __u32 count);

/* Copy LEN bytes of the segments, after the first SKIP, to INTO. */
void xrdma_sges_gather(const struct xrdma_sge *sges, __u64 skip, __u64 len, void *into);

/* Copy LEN bytes at FROM into the segments, which have room for them. */
void xrdma_sges_scatter(const struct xrdma_sge *sges, __u64 len, const void *from);

#endif

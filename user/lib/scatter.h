/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Memory of the program that segments name by address; their keys are not looked at. */
#ifndef XRDMA_USER_LIB_SCATTER_H
#define XRDMA_USER_LIB_SCATTER_H

#include <xrdma/types.h>

/* In bytes. */
__u64 xrdma_sges_length(const struct xrdma_sge *sges, __u32 count);

/* Copy LEN bytes, which are there behind the first SKIP, to INTO. */
void xrdma_sges_gather(const struct xrdma_sge *sges, __u64 skip, __u64 len, void *into);

/* Copy LEN bytes, which have room there, from FROM. */
void xrdma_sges_scatter(const struct xrdma_sge *sges, __u64 len, const void *from);

#endif

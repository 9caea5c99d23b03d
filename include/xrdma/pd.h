/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Protection domains: a queue pair reaches the regions of its own domain only (IBA 10.2.3). All
 * calls are thread safe.
 */
#ifndef XRDMA_PD_H
#define XRDMA_PD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_pd;

/* Returns 0 or -ENOMEM. *PD is to be ended by xrdma_pd_dealloc(). */
XRDMA_API int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd);

/*
 * Returns 0 or -EBUSY (it has regions, windows, mkeys, encryption keys or queue pairs), as
 * ibv_dealloc_pd() may.
 */
XRDMA_API int xrdma_pd_dealloc(struct xrdma_pd *pd);

#ifdef __cplusplus
}
#endif
#endif

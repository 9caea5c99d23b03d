/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A bounce that copies. Received bytes are written to a bounce buffer, and copied to the program's
 * memory.
 */
#ifndef XRDMA_USER_QUEUE_BOUNCE_COPY_H
#define XRDMA_USER_QUEUE_BOUNCE_COPY_H

#include "queue/bounce_base.h"

/*
 * Prepare a bounce for SIZE bytes that queue pair QPN of PD receives into SGES: memory of the
 * program, whose keys are ignored. Returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_bounce_copy_prepare(const struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
			      __u32 num_sge, __u64 size, struct xrdma_bounce **bounce);

#endif

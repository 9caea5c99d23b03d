/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A bounce for data that an mkey signs or encrypts. The bounce buffer contains the bytes that go
 * over the wire. The memory of the mkey contains the bytes of the program.
 */
#ifndef XRDMA_USER_QUEUE_BOUNCE_TRANSFORM_H
#define XRDMA_USER_QUEUE_BOUNCE_TRANSFORM_H

#include "queue/bounce_base.h"

/*
 * Prepare a bounce for queue pair QPN of PD in place of SGES, all of whose keys must allow RIGHT.
 * Returns 0 or, with xrdma_error() set, -ENOMEM.
 */
int xrdma_bounce_transform_prepare(const struct xrdma_pd *pd, __u32 qpn, __u32 right,
				   const struct xrdma_sge *sges, __u32 num_sge,
				   struct xrdma_bounce **bounce);

#endif

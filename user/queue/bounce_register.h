/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A bounce that registers memory of the program in place until the message is complete. */
#ifndef XRDMA_USER_QUEUE_BOUNCE_REGISTER_H
#define XRDMA_USER_QUEUE_BOUNCE_REGISTER_H

#include "queue/bounce_base.h"

/*
 * Prepare a bounce for SIZE bytes that queue pair QPN of PD receives into SGES: memory of the
 * program, whose keys are ignored. Returns 0, or -errno if the bytes should be copied instead: the
 * memory is small, larger than the cache may keep, or cannot be registered.
 */
int xrdma_bounce_register_prepare(const struct xrdma_pd *pd, __u32 qpn,
				  const struct xrdma_sge *sges, __u32 num_sge, __u64 size,
				  struct xrdma_bounce **bounce);

#endif

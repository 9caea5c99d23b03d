/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A bounce replaces the segments of a request or a receive by other memory. XDP and the code that
 * builds packets know only the bounce's key. There are three kinds:
 *
 * - A segment names an mkey that signs or encrypts (xrdma/sig.h). The bounce buffer contains the
 * bytes that go over the wire (bounce_transform.c).
 * - The protection domain uses no keys, and the memory is small or cannot be registered. The bounce
 * buffer contains the received bytes until they are copied (bounce_copy.c).
 * - The protection domain uses no keys. The memory is registered until the message is complete
 * (bounce_register.c).
 *
 * Prepare a bounce when a request or receive is posted. Fill it before its packets are sent, or
 * copy out the bytes that were received. Then release it. The caller holds the lock of the queue
 * pair, but no spin lock.
 */
#ifndef XRDMA_USER_QUEUE_BOUNCE_H
#define XRDMA_USER_QUEUE_BOUNCE_H

#include <xrdma/verdict.h>

#include "queue/bounce_base.h"

STAILQ_HEAD(xrdma_bounces, xrdma_bounce);

/*
 * Prepare a bounce for queue pair QPN of PD in place of SGES, all of whose keys must allow RIGHT
 * (XRDMA_ACCESS_*). *BOUNCE becomes NULL if no segment needs one. Returns 0 or, with xrdma_error()
 * set, -ENOMEM.
 */
int xrdma_bounce_prepare(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
			 __u32 num_sge, struct xrdma_bounce **bounce);

/*
 * Prepare a bounce for bytes that queue pair QPN of PD receives into SGES, memory of the program
 * whose keys are ignored. *BOUNCE becomes NULL if SGES have no bytes. Returns 0 or, with
 * xrdma_error() set, -ENOMEM.
 */
int xrdma_bounce_prepare_unregistered(struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
				      __u32 num_sge, struct xrdma_bounce **bounce);

/*
 * Check whether LEN bytes can be copied out, fill BOUNCE with the bytes that go over the wire, or
 * copy out the LEN bytes that were received: all of them or none. Each function returns XRDMA_V_OK
 * or the verdict on a segment.
 */
enum xrdma_verdict xrdma_bounce_check(struct xrdma_bounce *bounce, __u32 len);
enum xrdma_verdict xrdma_bounce_fill(struct xrdma_bounce *bounce);
enum xrdma_verdict xrdma_bounce_copy_out(struct xrdma_bounce *bounce, __u32 len);

/*
 * Wait until no packet uses BOUNCE, and free it. Or do this for all of BOUNCES, and empty the list.
 */
void xrdma_bounce_release(struct xrdma_bounce *bounce);
void xrdma_bounces_release(struct xrdma_bounces *bounces);

#endif

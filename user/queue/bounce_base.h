/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Base of all kinds of bounces (queue/bounce.h): their struct, their operations, and memory of the
 * heap with a key of its own.
 */
#ifndef XRDMA_USER_QUEUE_BOUNCE_BASE_H
#define XRDMA_USER_QUEUE_BOUNCE_BASE_H

#include <stddef.h>
#include <sys/queue.h>
#include <xrdma/qp.h>

#include "key/pd.h"

struct xrdma_bounce;
struct xrdma_context;

/*
 * Operations of one kind (queue/bounce.h). An operation is NULL if there is nothing to do; RELEASE
 * is never NULL. RELEASE does not free the struct itself.
 */
struct xrdma_bounce_ops {
	enum xrdma_verdict (*check)(struct xrdma_bounce *bounce, __u32 len);
	enum xrdma_verdict (*fill)(struct xrdma_bounce *bounce);
	enum xrdma_verdict (*copy_out)(struct xrdma_bounce *bounce, __u32 len);
	void (*release)(struct xrdma_bounce *bounce);
};

struct xrdma_bounce {
	const struct xrdma_bounce_ops *ops;
	STAILQ_ENTRY(xrdma_bounce) next;
	struct xrdma_wc *wc; /* completion of the receive; set by the completion queue */
	struct xrdma_context *context;
	__u32 pd;
	__u32 qpn;
	struct xrdma_sge sge; /* segment that replaces them */
	__u32 num_sge;
	struct xrdma_sge *sges; /* segments of the request or receive */
};

/*
 * Allocate a struct of SIZE bytes that begins with a struct xrdma_bounce for queue pair QPN of PD,
 * and copy the NUM_SGE segments of SGES. All other bytes are 0. Free it with free(). Returns NULL,
 * with xrdma_error() set, if there is no memory.
 */
void *xrdma_bounce_new(size_t size, const struct xrdma_pd *pd, __u32 qpn,
		       const struct xrdma_sge *sges, __u32 num_sge);

/* A bounce buffer: memory of the heap, and the row of its key. */
struct xrdma_bounce_buffer {
	__u8 *bytes;
	struct xrdma_mkey_row *row;
};

/*
 * Make BUFFER a bounce buffer of SIZE bytes, and set BOUNCE->sge to all of it. Returns 0 or, with
 * xrdma_error() set, -ENOMEM.
 */
int xrdma_bounce_buffer_take(struct xrdma_bounce *bounce, __u64 size,
			     struct xrdma_bounce_buffer *buffer);

/* Revoke the key, wait until no packet uses the buffer, and free it. */
void xrdma_bounce_buffer_give(struct xrdma_bounce *bounce,
			      const struct xrdma_bounce_buffer *buffer);

#endif

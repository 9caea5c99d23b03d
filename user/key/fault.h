/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Demand paging of registered memory: buffers of kind XRDMA_ON_DEMAND. A packet that misses a page
 * gets an RNR NAK, and the context's dispatcher maps the page. If the process itself misses a page,
 * the page is mapped at once. Thread safe.
 */
#ifndef XRDMA_USER_KEY_FAULT_H
#define XRDMA_USER_KEY_FAULT_H

#include <xrdma/verdict.h>

#include "lib/mutex.h"
#include "mem/buffer.h"
#include "obj/context.h"

/* Demand paging of a context: the buffers whose pages are mapped when a packet misses them. */
struct xrdma_faults {
	struct xrdma_context *context;
	struct xrdma_mutex lock;
	LIST_HEAD(, xrdma_buffer) buffers; /* protected by LOCK */
	bool used;			   /* there is a buffer, or there was one */
};

/* Set up FAULTS for CONTEXT, without buffers. The dispatcher gives them notices of misses. */
void xrdma_faults_init(struct xrdma_faults *faults, struct xrdma_context *context);

/*
 * Handle each miss of a packet that XDP has handled. When this returns, no such miss can change a
 * queue pair any more.
 */
void xrdma_faults_quiesce(struct xrdma_faults *faults);

/* Start to map pages of BUFFER on demand, if it is a buffer of that kind. */
void xrdma_faults_enter(struct xrdma_faults *faults, struct xrdma_buffer *buffer);

/* Stop to map pages of BUFFER, if it is a buffer of that kind. Its pages may change afterwards. */
void xrdma_faults_leave(struct xrdma_faults *faults, struct xrdma_buffer *buffer);

/*
 * Return whether to repeat an access by the process itself that ended with *VERDICT: true if the
 * address MISSED is mapped now. If nothing can be mapped there, *VERDICT becomes XRDMA_V_HEAP.
 */
bool xrdma_fault_retry(struct xrdma_faults *faults, __u64 missed, enum xrdma_verdict *verdict);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory that comes when it is missed: buffers of XRDMA_ON_DEMAND. A peer's packet is refused for
 * the time being, and a thread of the context looks for the page that it missed; for the process's
 * own accesses this is done at once. Thread safe.
 */
#ifndef XRDMA_USER_KEY_FAULT_H
#define XRDMA_USER_KEY_FAULT_H

#include <xrdma/verdict.h>

#include "obj/context.h"

void xrdma_faults_init(struct xrdma_faults *faults);

/* There are to be such buffers. Returns 0 or -errno with xrdma_error() set. */
int xrdma_faults_start(struct xrdma_context *context);

/* There are none any more. In a child that was forked, which has no such thread: forget. */
void xrdma_faults_stop(struct xrdma_context *context);
void xrdma_faults_forget(struct xrdma_faults *faults);

/* What packets missed that came before is looked for, and no word of it comes later. */
void xrdma_faults_settle(struct xrdma_context *context);

/* BUFFER was taken or refreshed; or is to be refreshed or given back. Others are left alone. */
void xrdma_faults_enter(struct xrdma_context *context, struct xrdma_buffer *buffer);
void xrdma_faults_leave(struct xrdma_context *context, struct xrdma_buffer *buffer);

/*
 * Whether an access of the process's own, of which *VERDICT came, is to be tried again: it missed
 * MISSED, of which there is memory now. Where there is none *VERDICT becomes XRDMA_V_HEAP.
 */
bool xrdma_fault_retry(struct xrdma_context *context, __u64 missed, enum xrdma_verdict *verdict);

#endif

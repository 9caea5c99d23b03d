/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Work that is done later, by a thread of the event queue that its result goes to. Thread safe. */
#ifndef XRDMA_USER_OBJ_EQ_H
#define XRDMA_USER_OBJ_EQ_H

#include <sys/queue.h>
#include <xrdma/eq.h>

/* What there is to do, and then the event. First in a block of malloc(), which the queue frees. */
struct xrdma_task {
	STAILQ_ENTRY(xrdma_task) next;
	/*
	 * Do it, and make an event of it: sets ENTRY.fid. Returns 0 or a negative error number with
	 * xrdma_error() set.
	 */
	int (*run)(struct xrdma_task *task);
	__u32 event;
	struct xrdma_eq_entry entry;
	int err;
	char *message; /* of the error, or NULL */
};

/* Tasks are done one after the other. PD is not ended before. */
void xrdma_eq_submit(struct xrdma_pd *pd, struct xrdma_task *task);

/* A domain that was bound to EQ is ended. */
void xrdma_eq_leave(struct xrdma_eq *eq);

#endif

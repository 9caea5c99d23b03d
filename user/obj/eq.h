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

/*
 * Count a protection domain of CONTEXT as a user of EQ, and start the thread of EQ. Undo it with
 * xrdma_eq_leave(). Returns 0 or, with xrdma_error() set, -EINVAL (EQ is of another context) or the
 * -errno of starting a thread.
 */
int xrdma_eq_join(struct xrdma_eq *eq, const struct xrdma_context *context);
void xrdma_eq_leave(struct xrdma_eq *eq);

/* Have TASK done by the thread of EQ. Tasks are done one after the other. */
void xrdma_eq_submit(struct xrdma_eq *eq, struct xrdma_task *task);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What fork(2) does to registered memory that is not from xrdma_alloc(): a child has it as it has
 * all memory, a copy of its own. So it is the process's own while the kernel copies it, and what
 * peers do meanwhile is as if it were lost on the way. Thread safe.
 */
#ifndef XRDMA_USER_OBJ_FORK_H
#define XRDMA_USER_OBJ_FORK_H

#include "lib/order.h"
#include "obj/context.h"

/*
 * Pause CONTEXT whenever a thread of the process forks, until it leaves. Leaving does nothing in a
 * child, which knows none of its parent's contexts.
 */
void xrdma_fork_enter(struct xrdma_context *context);
void xrdma_fork_leave(struct xrdma_context *context);

/* Until no fork is under way. */
void xrdma_fork_wait(void);

/*
 * Who is to read memory of CONTEXT looks at its REVOKED, and then waits until it may: or it may not
 * any more.
 */
static inline bool xrdma_fork_enters(const struct xrdma_context *context)
{
	while (__builtin_expect(XRDMA_READ(context->paused), 0)) {
		if (XRDMA_READ(context->broken))
			return false;
		xrdma_fork_wait();
	}
	return true;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What fork(2) does to registered memory that is not from xrdma_alloc(): a child has it as it has
 * all memory, a copy of its own. So it is the process's own while the kernel copies it, and what
 * peers do meanwhile is as if it were lost on the way. If the kernel refuses to move some of it
 * back into the heap afterwards, the keys of this memory are UNBACKED until it can be moved
 * (key/unbacked.h). Thread safe.
 */
#ifndef XRDMA_USER_KEY_FORK_H
#define XRDMA_USER_KEY_FORK_H

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
 * Wait until no fork is under way. A thread that is about to read memory of CONTEXT reads the
 * context's REVOKED first, and then calls this.
 */
static inline void xrdma_fork_pass(const struct xrdma_context *context)
{
	while (__builtin_expect(XRDMA_READ(context->paused), 0))
		xrdma_fork_wait();
}

/*
 * Try again to move memory back into the heap which the kernel refused to move after a fork. The
 * keys of the memory that is moved become valid again. The caller holds no lock of a context.
 */
void xrdma_fork_mend(void);

/*
 * Returns whether the kernel refused to move some memory back. A thread that has made a row valid
 * calls this afterwards, and then judges this row (key/unbacked.h) if the result is true.
 */
bool xrdma_fork_was_refused(void);

#endif

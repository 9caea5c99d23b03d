/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Handling of fork(2) for adopted memory, which is registered memory that is not from
 * xrdma_alloc(). The child gets a copy of it, as of all memory. So the process has the memory back
 * while the kernel copies it, and packets for it are dropped, as if they were lost on the way.
 * Afterwards the kernel may refuse to move some of it into the heap again. Then the keys of this
 * memory are UNBACKED until it can be moved (key/unbacked.h). Thread safe.
 */
#ifndef XRDMA_USER_KEY_FORK_H
#define XRDMA_USER_KEY_FORK_H

#include "lib/order.h"
#include "obj/context.h"

/*
 * Pause CONTEXT at each fork of the process, from xrdma_fork_enter() to xrdma_fork_leave(). In a
 * child, which has forgotten its parent's contexts, leaving does nothing.
 */
void xrdma_fork_enter(struct xrdma_context *context);
void xrdma_fork_leave(struct xrdma_context *context);

/* Wait until no fork is in progress. */
void xrdma_fork_wait(void);

/*
 * Wait until no fork is in progress. A thread that is about to read memory of CONTEXT reads the
 * context's REVOKED first, and then calls this function.
 */
static inline void xrdma_fork_pass(const struct xrdma_context *context)
{
	while (__builtin_expect(XRDMA_READ(context->paused), 0))
		xrdma_fork_wait();
}

/*
 * Try again to move memory into the heap that the kernel refused to move after a fork. The keys of
 * moved memory become valid again. The caller holds no lock of a context.
 */
void xrdma_fork_mend(void);

/*
 * Returns whether the kernel refused to move some memory back. A thread that has made a row valid
 * calls this afterwards, and then judges this row (key/unbacked.h) if the result is true.
 */
bool xrdma_fork_was_refused(void);

#endif

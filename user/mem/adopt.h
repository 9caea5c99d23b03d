/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the process that is registered where it is: its pages become pages of a heap as long as
 * a registration needs one of them. Registrations share them. Thread safe.
 */
#ifndef XRDMA_USER_MEM_ADOPT_H
#define XRDMA_USER_MEM_ADOPT_H

#include "mem/adopted.h"

/* Of an address range. */
enum xrdma_adopt {
	XRDMA_ADOPT_ALL,
	XRDMA_ADOPT_MAPPED, /* as far as there is memory */
	XRDMA_ADOPT_ANY,    /* and as it can be adopted */
};

/*
 * The LEN bytes at ADDR, at least one and none in the last page of addresses, become memory of
 * HEAP, as far as WHAT says: of what is mapped there now. *ADOPTED becomes what is found there.
 *
 * Returns 0 or, with xrdma_error() set and nothing adopted, -EFAULT (there is no such memory, or it
 * is not to be read and written), -EOPNOTSUPP (it is shared, of a file or of a device), -EBUSY (it
 * is another context's), -ENOMEM or another that the kernel gives.
 */
int xrdma_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		struct xrdma_adopted *adopted);

/*
 * Another registration needs the pages too that ADOPTED has from address START up to END, and *COPY
 * lists them. Returns 0 or, with xrdma_error() set and nothing changed, -ENOMEM.
 */
int xrdma_adopt_again(const struct xrdma_adopted *adopted, __u64 start, __u64 end,
		      struct xrdma_adopted *copy);

/*
 * A registration has ADOPTED no more. What pages hold that none has is the process's own again,
 * where it is still mapped as it was.
 */
void xrdma_disown(struct xrdma_adopted *adopted);

/*
 * Around a fork(2). Nothing is adopted or disowned from xrdma_adopt_lock() on, which returns
 * whether something is. The process has for itself what is adopted between xrdma_adopt_suspend()
 * and xrdma_adopt_resume(), which returns 0, or -errno if the kernel refused some of it.
 * That memory is still the process's own, and xrdma_adopt_resume() may be called again.
 * xrdma_adopt_lacks() returns whether HEAP lacks some of the LEN bytes at AT for this reason.
 * xrdma_adopt_unlock() is called by the parent, xrdma_adopt_forget() by the child.
 */
bool xrdma_adopt_lock(void);
void xrdma_adopt_suspend(void);
int xrdma_adopt_resume(void);
bool xrdma_adopt_lacks(const struct xrdma_heap *heap, __u64 at, __u64 len);
void xrdma_adopt_unlock(void);
void xrdma_adopt_forget(void);

#endif

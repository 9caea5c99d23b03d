/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Adopt memory of the process: register it where it is. Its pages become pages of a heap for as
 * long as a registration uses them. Registrations may share pages. Thread safe.
 */
#ifndef XRDMA_USER_MEM_ADOPT_H
#define XRDMA_USER_MEM_ADOPT_H

#include "mem/range_list.h"

/* How much of an address range has to be adopted. */
enum xrdma_adopt {
	XRDMA_ADOPT_ALL,
	XRDMA_ADOPT_MAPPED, /* all memory in the range, which may have gaps */
	XRDMA_ADOPT_ANY,    /* only memory that can be adopted */
};

/*
 * Adopt the LEN bytes at ADDR into HEAP, as far as WHAT says. LEN is at least 1, and the last page
 * of all addresses is not among them. *LIST becomes the list of their pages; free it with
 * xrdma_disown().
 *
 * Returns 0 or, with xrdma_error() set and nothing adopted, -EFAULT (there is no such memory, or
 * the process may not read and write it), -EOPNOTSUPP (it is shared, or a mapping of a file or of a
 * device), -EBUSY (another context has adopted it), -ENOMEM or another error of the kernel.
 */
int xrdma_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		struct xrdma_range_list *list);

/*
 * Set *COPY to a list of the pages from START up to END of LIST, for another registration. Returns
 * 0 or, with xrdma_error() set and nothing changed, -ENOMEM.
 */
int xrdma_adopt_again(const struct xrdma_range_list *list, __u64 start, __u64 end,
		      struct xrdma_range_list *copy);

/*
 * End the use of the pages in LIST, and free it. Pages without another user are given back to the
 * process, where they are still mapped.
 */
void xrdma_disown(struct xrdma_range_list *list);

/*
 * Call these functions around fork(2). xrdma_adopt_lock() returns whether memory is adopted. No
 * memory is adopted or disowned until xrdma_adopt_unlock() in the parent, or xrdma_adopt_forget()
 * in the child. xrdma_adopt_suspend() gives all adopted memory back for a while, so that the child
 * gets a copy. xrdma_adopt_resume() adopts it again, and returns 0, or -errno if the kernel refused
 * some: that memory remains the process's own, and the call may be repeated.
 */
bool xrdma_adopt_lock(void);
void xrdma_adopt_suspend(void);
int xrdma_adopt_resume(void);
void xrdma_adopt_unlock(void);
void xrdma_adopt_forget(void);

/*
 * Returns whether some of the LEN bytes at offset AT of HEAP are not in the heap, because
 * xrdma_adopt_resume() failed.
 */
bool xrdma_adopt_lacks(const struct xrdma_heap *heap, __u64 at, __u64 len);

#endif

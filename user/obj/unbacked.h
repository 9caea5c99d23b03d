/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * After a fork(2) the kernel may refuse to move registered memory back into the heap. The process
 * then has this memory for itself, and the heap has an old copy, which nobody may reach. So the
 * rows of such regions are XRDMA_MKEY_UNBACKED until the memory is in the heap again, and windows
 * that are bound to it are invalidated for good.
 */
#ifndef XRDMA_USER_OBJ_UNBACKED_H
#define XRDMA_USER_OBJ_UNBACKED_H

#include "obj/context.h"

/*
 * Set the state of ROW, which is one of CONTEXT's, by whether the heap has the memory of this row,
 * and return whether it has. Rows that are neither VALID nor UNBACKED stay as they are, and true is
 * returned for them. The caller holds the lock of the context's key notes and xrdma_adopt_lock().
 */
bool xrdma_unbacked_judge(struct xrdma_context *context, struct xrdma_mkey_row *row);

/* Do the same with all rows of CONTEXT. */
void xrdma_unbacked_judge_all(struct xrdma_context *context);

#endif

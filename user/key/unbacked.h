/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * After a fork(2) the kernel may refuse to move registered memory back into the heap. The process
 * then has this memory for itself. The heap has an old copy, which no peer may read. Therefore the
 * rows of such regions are XRDMA_MKEY_STATE_UNBACKED until the memory is in the heap again. Windows
 * that are bound to it are invalidated for good.
 */
#ifndef XRDMA_USER_KEY_UNBACKED_H
#define XRDMA_USER_KEY_UNBACKED_H

#include "key/key.h"

/*
 * Set ROW to VALID if HEAP has its memory, else to UNBACKED. Returns whether HEAP has the memory.
 * Rows in other states do not change, and the result is true. The caller holds the lock of the keys
 * and xrdma_adopt_lock().
 */
bool xrdma_unbacked_judge(const struct xrdma_heap *heap, struct xrdma_mkey_row *row);

/* Call xrdma_unbacked_judge() for each row of KEYS. */
void xrdma_unbacked_judge_all(const struct xrdma_heap *heap, struct xrdma_keys *keys);

#endif

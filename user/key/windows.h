/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory windows, and the lists of windows that are bound to a region, or by a queue pair.
 * <xrdma/mw.h> declares their handle.
 */
#ifndef XRDMA_USER_KEY_WINDOWS_H
#define XRDMA_USER_KEY_WINDOWS_H

#include <xrdma/mw.h>

#include "key/key.h"

struct xrdma_mw {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	enum xrdma_mw_type type;
	__u32 number; /* unique in the context: a window that takes a freed row gets another one */
	__u32 key;    /* type 1 only: the key while it is bound, else the key for the next bind */
	/* The lock of the keys protects the members below. */
	bool bound;
	LIST_ENTRY(xrdma_mw) of_region, of_qp;
};

/*
 * Add the bound window MW to the windows of the region in row REGION and, if it is of type 2, to
 * WINDOWS, those of the queue pair that bound it. The caller holds the lock of the keys.
 */
void xrdma_window_link(struct xrdma_mw *mw, struct xrdma_mkey_row *region,
		       struct xrdma_mw_list *windows);

/* Remove MW from both lists if it is in them. The caller holds the lock of the keys. */
void xrdma_window_unlink(struct xrdma_mw *mw);

/*
 * Make the region in ROW invalid unless windows are bound to it. No window can be bound between the
 * check and the change. Returns 0 or, with xrdma_error() set, -EBUSY.
 */
int xrdma_mws_leave_region(struct xrdma_keys *keys, struct xrdma_mkey_row *row);

/*
 * Check that no window of type 2A in WINDOWS, the list of a queue pair, is bound. A queue pair with
 * a bound window cannot be reset or destroyed. Returns 0 or, with xrdma_error() set, -EBUSY.
 */
int xrdma_mws_check_qp(struct xrdma_keys *keys, struct xrdma_mw_list *windows);

/* End the keys of all WINDOWS, those of a queue pair that is being destroyed. */
void xrdma_mws_leave_qp(struct xrdma_keys *keys, struct xrdma_mw_list *windows);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A memory window, and the lists of windows that are bound to a region, or by a queue pair. */
#ifndef XRDMA_USER_KEY_WINDOWS_H
#define XRDMA_USER_KEY_WINDOWS_H

#include <xrdma/mw.h>

#include "obj/context.h"

struct xrdma_mw {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	enum xrdma_mw_type type;
	__u32 number; /* that no other window of the context has had */
	__u32 key;    /* type 1: the next one, or the one that it has */
	/* With the lock of the notes. */
	bool bound;
	LIST_ENTRY(xrdma_mw) of_region, of_qp;
};

/*
 * MW is bound to the region in row REGION from now on. If it is of type 2, WINDOWS are the windows
 * of the queue pair that bound it. The caller holds the lock of the notes.
 */
void xrdma_window_link(struct xrdma_mw *mw, struct xrdma_mkey_row *region,
		       struct xrdma_mw_list *windows);

/* MW is not bound any more, if it was. The caller holds the lock of the notes. */
void xrdma_window_unlink(struct xrdma_mw *mw);

/*
 * Make the region in ROW invalid. Returns 0 or -EBUSY: windows are bound to it. In between none can
 * be.
 */
int xrdma_mws_leave_region(struct xrdma_context *context, struct xrdma_mkey_row *row);

/* Whether a queue pair may be reset. Returns 0 or -EBUSY: it has bound windows of type 2A. */
int xrdma_mws_check_qp(struct xrdma_context *context, struct xrdma_mw_list *windows);

/* End the keys of WINDOWS, which a queue pair has that is no more. */
void xrdma_mws_leave_qp(struct xrdma_context *context, struct xrdma_mw_list *windows);

#endif

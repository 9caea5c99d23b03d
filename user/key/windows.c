// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/windows.h"

#include <errno.h>

#include "key/key.h"
#include "lib/error.h"
#include "lib/order.h"

void xrdma_window_link(struct xrdma_mw *mw, struct xrdma_mkey_row *region,
		       struct xrdma_mw_list *windows)
{
	LIST_INSERT_HEAD(&xrdma_key_info(mw->pd->context->keys, region)->bound, mw, of_region);
	if (mw->type != XRDMA_MW_TYPE_1)
		LIST_INSERT_HEAD(windows, mw, of_qp);
	mw->bound = true;
}

void xrdma_window_unlink(struct xrdma_mw *mw)
{
	if (!mw->bound)
		return;
	mw->bound = false;
	LIST_REMOVE(mw, of_region);
	if (mw->type != XRDMA_MW_TYPE_1)
		LIST_REMOVE(mw, of_qp);
}

/* Returns whether MW is still bound. If a peer has ended its key, unlink it. */
static bool is_bound(struct xrdma_mw *mw)
{
	if (mw->bound && XRDMA_OBSERVE(mw->row->state) != XRDMA_MKEY_STATE_VALID)
		xrdma_window_unlink(mw);
	return mw->bound;
}

int xrdma_mws_leave_region(struct xrdma_keys *keys, struct xrdma_mkey_row *row)
{
	struct xrdma_mw_list *bound = &xrdma_key_info(keys, row)->bound;
	__u32 count = 0;
	struct xrdma_mw *mw, *next;

	xrdma_mutex_lock(&keys->lock);
	for (mw = LIST_FIRST(bound); mw; mw = next) {
		next = LIST_NEXT(mw, of_region);
		count += is_bound(mw);
	}
	if (!count)
		XRDMA_PUBLISH(row->state, XRDMA_MKEY_STATE_INVALID);
	xrdma_mutex_unlock(&keys->lock);
	return count ? xrdma_fail(EBUSY, "%u windows are bound to the region", count) : 0;
}

int xrdma_mws_check_qp(struct xrdma_keys *keys, struct xrdma_mw_list *windows)
{
	struct xrdma_mw *mw, *next;
	__u32 count = 0;

	xrdma_mutex_lock(&keys->lock);
	for (mw = LIST_FIRST(windows); mw; mw = next) {
		next = LIST_NEXT(mw, of_qp);
		count += is_bound(mw) && mw->type == XRDMA_MW_TYPE_2A;
	}
	xrdma_mutex_unlock(&keys->lock);
	return count ? xrdma_fail(EBUSY,
				  "the queue pair has %u bound windows of type 2A: invalidate or "
				  "deallocate them first",
				  count)
		     : 0;
}

void xrdma_mws_leave_qp(struct xrdma_keys *keys, struct xrdma_mw_list *windows)
{
	struct xrdma_mw *mw;

	xrdma_mutex_lock(&keys->lock);
	while ((mw = LIST_FIRST(windows))) {
		if (XRDMA_OBSERVE(mw->row->state) == XRDMA_MKEY_STATE_VALID)
			xrdma_key_end(keys, mw->row, XRDMA_MKEY_STATE_FREE);
		xrdma_window_unlink(mw);
	}
	xrdma_mutex_unlock(&keys->lock);
}

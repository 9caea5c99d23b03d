// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/bind.h"

#include <errno.h>
#include <xrdma/cntr.h>

#include "key/key.h"
#include "lib/error.h"
#include "lib/order.h"

/* The functions from here to xrdma_mr_join_qp() need the lock of the keys. */

static int check_owner(const struct xrdma_mr *mr, const struct xrdma_pd *pd)
{
	return mr->pd == pd ? 0 : xrdma_fail(EINVAL, "the region is of another protection domain");
}

static int check_qp(const struct xrdma_mr *mr)
{
	if (mr->phase != XRDMA_MR_PHASE_DISABLED)
		return xrdma_fail(
			EINVAL,
			"the region is not disabled: a region starts disabled if its domain has "
			"XRDMA_MR_MODE_ENDPOINT, or if it is registered with XRDMA_RMA_EVENT");
	if (mr->qpn)
		return xrdma_fail(EBUSY, "the region is bound to queue pair 0x%x", mr->qpn);
	return 0;
}

/*
 * Check that a counter can be bound to MR. In domains whose events need no configuration, this may
 * be a region that is usable from the beginning.
 */
static int check_cntr(const struct xrdma_mr *mr)
{
	if (!mr->has_events && mr->pd->mr_mode & XRDMA_MR_MODE_RMA_EVENT)
		return xrdma_fail(EINVAL, "the region was registered without XRDMA_RMA_EVENT");
	if (mr->phase != XRDMA_MR_PHASE_DISABLED && mr->phase != XRDMA_MR_PHASE_USABLE)
		return xrdma_fail(EINVAL,
				  "the region is enabled: bind it before xrdma_mr_enable()");
	if (mr->cntr)
		return xrdma_fail(EBUSY, "the region has a counter");
	return 0;
}

static int enable(struct xrdma_mr *mr)
{
	if (mr->phase == XRDMA_MR_PHASE_LEFT)
		return xrdma_fail(EINVAL,
				  "the region's queue pair was destroyed: close the region");
	if (mr->phase != XRDMA_MR_PHASE_DISABLED)
		return 0;
	if (mr->pd->mr_mode & XRDMA_MR_MODE_ENDPOINT && !mr->qpn)
		return xrdma_fail(
			EINVAL, "XRDMA_MR_MODE_ENDPOINT needs a region bound to a queue pair: call "
				"xrdma_mr_bind_qp() first");
	mr->phase = XRDMA_MR_PHASE_ENABLED;
	xrdma_region_enable(&mr->region);
	return 0;
}

int xrdma_mr_join_qp(struct xrdma_mr *mr, const struct xrdma_pd *pd, __u32 qpn,
		     struct xrdma_mr_list *regions)
{
	struct xrdma_mutex *lock = &pd->context->keys->lock;
	int err;

	xrdma_mutex_lock(lock);
	err = check_owner(mr, pd) ?: check_qp(mr);
	if (!err) {
		mr->qpn = qpn;
		LIST_INSERT_HEAD(regions, mr, of_qp);
		xrdma_region_bind(&mr->region, qpn);
	}
	xrdma_mutex_unlock(lock);
	return err;
}

void xrdma_mrs_leave_qp(struct xrdma_keys *keys, struct xrdma_mr_list *regions)
{
	struct xrdma_mr *mr;

	xrdma_mutex_lock(&keys->lock);
	while ((mr = LIST_FIRST(regions))) {
		xrdma_region_disable(&mr->region);
		mr->phase = XRDMA_MR_PHASE_LEFT;
		mr->qpn = 0;
		LIST_REMOVE(mr, of_qp);
	}
	xrdma_mutex_unlock(&keys->lock);
}

int xrdma_mr_join_cntr(struct xrdma_mr *mr, const struct xrdma_pd *pd,
		       const struct xrdma_cntr *cntr, __u32 number, struct xrdma_mr_list *regions)
{
	struct xrdma_mutex *lock = &pd->context->keys->lock;
	int err;

	xrdma_mutex_lock(lock);
	err = check_owner(mr, pd) ?: check_cntr(mr);
	if (!err) {
		mr->cntr = cntr;
		LIST_INSERT_HEAD(regions, mr, of_cntr);
		XRDMA_PUBLISH(mr->region.row->cntr, number + 1);
	}
	xrdma_mutex_unlock(lock);
	return err;
}

void xrdma_mrs_leave_cntr(struct xrdma_keys *keys, struct xrdma_mr_list *regions)
{
	struct xrdma_mr *mr;

	xrdma_mutex_lock(&keys->lock);
	while ((mr = LIST_FIRST(regions))) {
		XRDMA_WRITE(mr->region.row->cntr, 0);
		mr->cntr = NULL;
		LIST_REMOVE(mr, of_cntr);
	}
	xrdma_mutex_unlock(&keys->lock);
	xrdma_keys_quiesce(keys);
}

int xrdma_mr_enable(struct xrdma_mr *mr)
{
	struct xrdma_context *context = mr->pd->context;
	int err = xrdma_context_enter(context);

	if (err)
		return err;
	xrdma_mutex_lock(&mr->refreshing);
	xrdma_mutex_lock(&context->keys->lock);
	err = enable(mr);
	xrdma_mutex_unlock(&context->keys->lock);
	xrdma_mutex_unlock(&mr->refreshing);
	return err;
}

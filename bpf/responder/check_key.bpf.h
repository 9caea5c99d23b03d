/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Check the key and the memory of a request. */
#ifndef XRDMA_RESPONDER_CHECK_KEY_BPF_H
#define XRDMA_RESPONDER_CHECK_KEY_BPF_H

#include "memory/transfer.bpf.h"

/*
 * Return the row for the request's key, or for the user key with this number (xrdma_key_meant()),
 * or NULL if there is none.
 */
static __always_inline const struct xrdma_mkey_row *
xrdma_check_key_row(const struct xrdma_target *to, struct xrdma_plan *plan)
{
	const struct xrdma_mkey_row *row = xrdma_mkey_at(&to->space, plan->key);

	if (!(to->uses & XRDMA_USES_USER_KEYS) ||
	    (plan->key && row && XRDMA_READ(row->key) == plan->key))
		return row;
	plan->key = xrdma_key_meant(to->space.slot, to->pd, plan->key);
	return xrdma_mkey_at(&to->space, plan->key);
}

/*
 * Check the memory that the request names itself. Its key must allow RIGHTS for the rest of the
 * message, and the memory for the payload must exist. A request of no bytes needs no memory, and
 * its key is not checked (9.7.4.1: zero-length requests).
 */
static __always_inline enum xrdma_verdict xrdma_check_key(const struct xrdma_target *to,
							  struct xrdma_plan *plan,
							  struct xrdma_plan_rows *rows,
							  __u32 rights)
{
	struct xrdma_access access = {
		.pd = to->pd,
		.qpn = to->qpn,
		.rights = rights,
		.va = plan->va,
		.len = plan->left,
	};
	const struct xrdma_mkey_row *row;

	if (!plan->left)
		return XRDMA_V_OK;
	row = xrdma_check_key_row(to, plan);
	access.key = plan->key;
	plan->transfer.rights = rights;
	plan->transfer.sges.only.addr = plan->va;
	plan->transfer.sges.only.length = plan->left;
	plan->transfer.sges.only.lkey = plan->key;
	if (row && to->uses & XRDMA_USES_CNTRS && rights != XRDMA_ACCESS_REMOTE_READ)
		plan->cntr = XRDMA_READ(row->cntr);
	return xrdma_transfer_check(to, &access, row, true, &plan->transfer, &rows->chunk);
}

#endif

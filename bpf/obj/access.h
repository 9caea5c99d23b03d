/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The one access rule and the one range rule of every key, be it of a region, a window or an mkey;
 * for both sides.
 */
#ifndef XRDMA_OBJ_ACCESS_H
#define XRDMA_OBJ_ACCESS_H

#include "lib/order.h"
#include <xrdma/abi.h>

/* What an access asks of a key. */
struct xrdma_access {
	__u32 key;
	__u32 pd;
	__u32 qpn;
	__u32 rights; /* all of them are needed */
	__u64 va;
	__u64 len;
};

/*
 * Whether the LEN bytes at VA lie in the SIZE bytes at BASE. No sum, so nothing wraps; below BASE,
 * SKIP is huge.
 */
static __always_inline bool xrdma_range_holds(__u64 base, __u64 size, __u64 va, __u64 len)
{
	__u64 skip = va - base;

	return skip <= size && len <= size - skip;
}

/* The row that may have KEY. */
static __always_inline __u32 xrdma_key_index(__u32 key, __u32 mask)
{
	return (key >> XRDMA_KEY_INDEX_SHIFT) & mask;
}

/* XRDMA_V_OK: ROW allows the access, which begins at *HEAP_AT of the heap (10.6.3). */
static __always_inline enum xrdma_verdict xrdma_access_check(const struct xrdma_mkey_row *row,
							     const struct xrdma_access *access,
							     __u64 *heap_at)
{
	__u64 base;
	__u32 qpn;

	if (XRDMA_READ(row->key) != access->key)
		return XRDMA_V_KEY;
	if (XRDMA_OBSERVE(row->state) != XRDMA_MKEY_VALID || XRDMA_READ(row->kind) != XRDMA_MKEY_MR)
		return XRDMA_V_KEY_STATE;
	if (XRDMA_READ(row->pd) != access->pd)
		return XRDMA_V_KEY_PD;
	qpn = XRDMA_READ(row->qpn);
	if (qpn && qpn != access->qpn)
		return XRDMA_V_KEY_QP;
	if (access->rights & ~(__u32)XRDMA_READ(row->rights))
		return XRDMA_V_KEY_RIGHTS;
	base = XRDMA_READ(row->base);
	if (!xrdma_range_holds(base, XRDMA_READ(row->len), access->va, access->len))
		return XRDMA_V_KEY_RANGE;
	*heap_at = XRDMA_READ(row->offset) + (access->va - base);
	return XRDMA_V_OK;
}

/*
 * Whether a peer may invalidate the key of ROW by a SEND (10.6.5): one that is valid, or was
 * invalidated before.
 */
static __always_inline bool xrdma_access_invalidates(const struct xrdma_mkey_row *row,
						     const struct xrdma_access *access)
{
	__u8 state = XRDMA_OBSERVE(row->state);
	__u32 qpn = XRDMA_READ(row->qpn);

	return XRDMA_READ(row->key) == access->key &&
	       (state == XRDMA_MKEY_VALID || state == XRDMA_MKEY_FREE) &&
	       XRDMA_READ(row->pd) == access->pd && (!qpn || qpn == access->qpn) &&
	       XRDMA_READ(row->rights) & XRDMA_ACCESS_REMOTE_INVALIDATE;
}

#endif

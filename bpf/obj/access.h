/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The access rule and the range rule for every key: of regions, windows and mkeys. For both sides.
 */
#ifndef XRDMA_OBJ_ACCESS_H
#define XRDMA_OBJ_ACCESS_H

#include "lib/order.h"
#include <xrdma/abi/context.h>
#include <xrdma/verdict.h>

/* Access to be checked against a key. */
struct xrdma_access {
	__u32 key;
	__u32 pd;
	__u32 qpn;
	__u32 rights; /* the access needs all of them */
	__u64 va;
	__u64 len;
};

/*
 * Returns whether the LEN bytes at VA lie in the SIZE bytes at BASE. The test forms no sum, so
 * nothing wraps. For VA below BASE, SKIP is huge.
 */
static __always_inline bool xrdma_range_holds(__u64 base, __u64 size, __u64 va, __u64 len)
{
	__u64 skip = va - base;

	return skip <= size && len <= size - skip;
}

/*
 * Returns whether AT, the sum of OFFSET and a distance, is valid: it has not wrapped, and it is
 * XRDMA_PAGED if OFFSET is. An application may write a wrong length into its key's row.
 */
static __always_inline bool xrdma_sum_leads_on(__u64 offset, __u64 at)
{
	return at >= offset && !((at ^ offset) & XRDMA_PAGED);
}

/* Return the index of the only row that may have KEY. */
static __always_inline __u32 xrdma_key_index(__u32 key, __u32 mask)
{
	return (key >> XRDMA_KEY_INDEX_SHIFT) & mask;
}

/* Returns whether KIND is a region or a window: its memory is one range of the heap. */
static __always_inline bool xrdma_mkey_is_direct(__u8 kind)
{
	return kind <= XRDMA_MKEY_KIND_MW2B;
}

/* Returns whether KIND is an mkey: its memory is described by other keys. */
static __always_inline bool xrdma_mkey_is_indirect(__u8 kind)
{
	return kind == XRDMA_MKEY_KIND_LIST || kind == XRDMA_MKEY_KIND_INTERLEAVED;
}

/*
 * Check the access against ROW, except for the range (10.6.3). Returns XRDMA_V_OK if it is allowed.
 * The state is read first: if the row gets another key meanwhile, that key is compared.
 */
static __always_inline enum xrdma_verdict xrdma_access_allowed(const struct xrdma_mkey_row *row,
							       const struct xrdma_access *access)
{
	__u8 state = XRDMA_OBSERVE(row->state);
	__u32 qpn;

	if (XRDMA_READ(row->key) != access->key)
		return XRDMA_V_KEY;
	if (state != XRDMA_MKEY_STATE_VALID || XRDMA_READ(row->kind) > XRDMA_MKEY_KIND_INTERLEAVED)
		return XRDMA_V_KEY_STATE;
	if (XRDMA_READ(row->pd) != access->pd)
		return XRDMA_V_KEY_PD;
	qpn = XRDMA_READ(row->qpn);
	if (qpn && qpn != access->qpn)
		return XRDMA_V_KEY_QP;
	if (access->rights & ~(__u32)XRDMA_READ(row->rights))
		return XRDMA_V_KEY_RIGHTS;
	return XRDMA_V_OK;
}

/*
 * Check the range of the access, too. *AT becomes the start of the access in the heap or the mkey.
 */
static __always_inline enum xrdma_verdict
xrdma_access_check(const struct xrdma_mkey_row *row, const struct xrdma_access *access, __u64 *at)
{
	enum xrdma_verdict verdict = xrdma_access_allowed(row, access);
	const __u64 base = XRDMA_READ(row->base), offset = XRDMA_READ(row->offset);

	if (verdict != XRDMA_V_OK)
		return verdict;
	if (!xrdma_range_holds(base, XRDMA_READ(row->len), access->va, access->len))
		return XRDMA_V_KEY_RANGE;
	*at = offset + (access->va - base);
	return xrdma_sum_leads_on(offset, *at) ? XRDMA_V_OK : XRDMA_V_KEY_RANGE;
}

/*
 * Check if ACCESS may invalidate the key of ROW: a peer by a SEND, or the process by a request
 * (10.6.5). Returns the state of the key: VALID; FREE, for a key without queue pair that was
 * invalidated before; or INVALID if ACCESS may not invalidate it.
 */
static __always_inline __u8 xrdma_access_invalidates(const struct xrdma_mkey_row *row,
						     const struct xrdma_access *access)
{
	__u8 state = XRDMA_OBSERVE(row->state);
	__u32 qpn = XRDMA_READ(row->qpn);

	if (XRDMA_READ(row->key) != access->key || XRDMA_READ(row->pd) != access->pd ||
	    access->rights & ~(__u32)XRDMA_READ(row->rights))
		return XRDMA_MKEY_STATE_INVALID;
	if (state == XRDMA_MKEY_STATE_VALID && qpn && qpn != access->qpn)
		return XRDMA_MKEY_STATE_INVALID;
	return state == XRDMA_MKEY_STATE_VALID || state == XRDMA_MKEY_STATE_FREE
		       ? state
		       : XRDMA_MKEY_STATE_INVALID;
}

#endif

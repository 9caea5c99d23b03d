// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/unbacked.h"

#include "lib/order.h"
#include "mem/adopt.h"
#include "obj/access.h"

/* Returns whether the heap lacks a page in the page table of ROW. */
static bool lacks_page(const struct xrdma_heap *heap, const struct xrdma_mkey_row *row)
{
	const __u64 at = (row->offset & ~XRDMA_PAGED) >> XRDMA_PAGE_SHIFT;
	const __u64 *words = (const __u64 *)heap->bytes + at;
	const __u64 bytes = (row->offset & (XRDMA_PAGE - 1)) + row->len;
	bool lacks = false;

	for (__u64 i = 0; i << XRDMA_PAGE_SHIFT < bytes && !lacks; i++)
		lacks = xrdma_adopt_lacks(heap, XRDMA_READ(words[i]), XRDMA_PAGE);
	return lacks;
}

static bool lacks(const struct xrdma_heap *heap, const struct xrdma_mkey_row *row)
{
	if (xrdma_mkey_is_indirect(row->kind))
		return false; /* each access checks the rows in its entries */
	return row->offset & XRDMA_PAGED ? lacks_page(heap, row)
					 : xrdma_adopt_lacks(heap, row->offset, row->len);
}

/*
 * Change the state of ROW from FROM to TO. If another thread has ended the key, the key stays
 * ended.
 */
static void change_state(struct xrdma_mkey_row *row, __u8 from, __u8 to)
{
	__atomic_compare_exchange_n(&row->state, &from, to, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

bool xrdma_unbacked_judge(const struct xrdma_heap *heap, struct xrdma_mkey_row *row)
{
	const __u8 state = XRDMA_OBSERVE(row->state);
	bool lacking;

	if (state != XRDMA_MKEY_STATE_VALID && state != XRDMA_MKEY_STATE_UNBACKED)
		return true;
	lacking = lacks(heap, row);
	if (!lacking)
		change_state(row, XRDMA_MKEY_STATE_UNBACKED, XRDMA_MKEY_STATE_VALID);
	else if (row->kind == XRDMA_MKEY_KIND_MR)
		change_state(row, XRDMA_MKEY_STATE_VALID, XRDMA_MKEY_STATE_UNBACKED);
	else
		change_state(row, XRDMA_MKEY_STATE_VALID,
			     row->kind == XRDMA_MKEY_KIND_MW1 ? XRDMA_MKEY_STATE_INVALID
							      : XRDMA_MKEY_STATE_FREE);
	return !lacking;
}

void xrdma_unbacked_judge_all(const struct xrdma_heap *heap, struct xrdma_keys *keys)
{
	for (__u32 i = 0; i <= keys->mask; i++)
		xrdma_unbacked_judge(heap, &keys->rows[i]);
}

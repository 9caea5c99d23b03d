// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdlib.h>
#include <xrdma/cntr.h>

#include "key/bind.h"
#include "lib/error.h"

struct xrdma_cntr {
	struct xrdma_pd *pd;
	struct xrdma_cntr_row *row;
	struct xrdma_mr_list regions; /* protected by the lock of the keys */
};

static int enter(struct xrdma_cntr *cntr)
{
	struct xrdma_context *context = cntr->pd->context;
	__u32 number = xrdma_rows_take(&context->keys->free_cntrs);

	if (number == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u counters of the context are in use: close some, or open "
				  "it with more cntrs",
				  context->limits.max_cntr);
	cntr->row = &context->keys->cntrs[number];
	*cntr->row = (struct xrdma_cntr_row){ 0 };
	xrdma_slot_use(&context->slots, context->slot, XRDMA_USES_CNTRS);
	xrdma_count_in(&cntr->pd->users);
	return 0;
}

int xrdma_cntr_open(struct xrdma_pd *pd, struct xrdma_cntr **cntr)
{
	int err = xrdma_context_enter(pd->context);

	if (err)
		return err;
	*cntr = malloc(sizeof(**cntr));
	if (!*cntr)
		return xrdma_fail(ENOMEM, "no memory for a counter");
	**cntr = (struct xrdma_cntr){ .pd = pd };
	err = enter(*cntr);
	if (err)
		free(*cntr);
	return err;
}

__u64 xrdma_cntr_read(const struct xrdma_cntr *cntr)
{
	return __atomic_load_n(&cntr->row->value, __ATOMIC_ACQUIRE);
}

void xrdma_cntr_add(struct xrdma_cntr *cntr, __u64 value)
{
	__atomic_add_fetch(&cntr->row->value, value, __ATOMIC_RELAXED);
}

void xrdma_cntr_set(struct xrdma_cntr *cntr, __u64 value)
{
	__atomic_store_n(&cntr->row->value, value, __ATOMIC_RELAXED);
}

int xrdma_cntr_close(struct xrdma_cntr *cntr)
{
	struct xrdma_context *context = cntr->pd->context;
	int err = xrdma_context_own(context);

	if (err)
		return err;
	xrdma_mrs_leave_cntr(context->keys, &cntr->regions);
	xrdma_rows_give(&context->keys->free_cntrs, cntr->row - context->keys->cntrs);
	xrdma_count_out(&cntr->pd->users);
	free(cntr);
	return 0;
}

int xrdma_mr_bind_cntr(struct xrdma_mr *mr, struct xrdma_cntr *cntr, __u64 flags)
{
	if (flags != XRDMA_REMOTE_WRITE)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx: must be XRDMA_REMOTE_WRITE",
				  flags);
	return xrdma_context_enter(mr->pd->context)
		       ?: xrdma_mr_join_cntr(mr, cntr->pd, cntr,
					     cntr->row - cntr->pd->context->keys->cntrs,
					     &cntr->regions);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mkey.h"

#include <errno.h>
#include <sys/random.h>

#include "error.h"
#include "lib/order.bpf.h"

/* The first row free after a random one. */
static struct xrdma_mkey_row *free_row(const struct xrdma_context *context, __u32 start,
				       __u32 *index)
{
	struct xrdma_mkey_row *rows = context->tables.mkeys.rows;

	for (__u32 i = 0; i <= context->mkey_mask; i++) {
		*index = (start + i) & context->mkey_mask;
		if (rows[*index].state == XRDMA_MKEY_INVALID)
			return &rows[*index];
	}
	return NULL;
}

int xrdma_mkey_publish(struct xrdma_context *context, struct xrdma_mkey_row *row,
		       struct xrdma_mkey_row **into)
{
	__u32 mask = context->mkey_mask << XRDMA_KEY_INDEX_SHIFT, random, index;
	__u8 state = row->state;

	do {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return xrdma_fail(errno, "no random numbers for a key");
		*into = free_row(context, random >> XRDMA_KEY_INDEX_SHIFT, &index);
		if (!*into)
			return xrdma_fail(
				ENOMEM,
				"all %u keys of the context are in use: end some, or open "
				"it with more mkeys",
				context->mkey_mask + 1);
		row->key = (random & ~mask) | index << XRDMA_KEY_INDEX_SHIFT;
	} while (!row->key || row->key == (*into)->key);
	row->state = XRDMA_MKEY_INVALID;
	**into = *row;
	XRDMA_PUBLISH((*into)->state, state);
	row->state = state;
	return 0;
}

void xrdma_mkey_revoke(struct xrdma_context *context, struct xrdma_mkey_row *row)
{
	XRDMA_PUBLISH(row->state, XRDMA_MKEY_INVALID);
	xrdma_epochs_wait(&context->slots.epochs);
	row->state = XRDMA_MKEY_INVALID; /* a SEND with invalidate may have come between */
}

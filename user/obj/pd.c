// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdlib.h>

#include "obj/context.h"
#include "lib/error.h"

int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd)
{
	int err = xrdma_context_enter(context);

	if (err)
		return err;
	*pd = malloc(sizeof(**pd));
	if (!*pd)
		return xrdma_fail(ENOMEM, "no memory for a protection domain");
	**pd = (struct xrdma_pd){
		.context = context,
		.number = xrdma_count_in(&context->last_pd),
	};
	xrdma_count_in(&context->pds);
	return 0;
}

int xrdma_pd_dealloc(struct xrdma_pd *pd)
{
	int err = xrdma_context_own(pd->context);
	__u32 users = xrdma_count(&pd->users);

	if (err)
		return err;
	if (users)
		return xrdma_fail(
			EBUSY,
			"the protection domain still has %u regions, windows, mkeys, encryption "
			"keys and queue pairs",
			users);
	xrdma_count_out(&pd->context->pds);
	free(pd);
	return 0;
}

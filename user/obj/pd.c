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
	if (!*pd) {
		xrdma_context_unlock(context);
		return xrdma_fail(ENOMEM, "no memory for a protection domain");
	}
	**pd = (struct xrdma_pd){ .context = context, .number = ++context->last_pd };
	context->pds++;
	xrdma_context_unlock(context);
	return 0;
}

int xrdma_pd_dealloc(struct xrdma_pd *pd)
{
	struct xrdma_context *context = pd->context;
	int err = xrdma_context_lock(context);
	__u32 users;

	if (err)
		return err;
	users = pd->users;
	if (!users)
		context->pds--;
	xrdma_context_unlock(context);
	if (users)
		return xrdma_fail(
			EBUSY, "the protection domain still has %u regions and queue pairs", users);
	free(pd);
	return 0;
}

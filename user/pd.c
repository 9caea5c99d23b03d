// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "error.h"

int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd)
{
	*pd = malloc(sizeof(**pd));
	if (!*pd)
		return xrdma_fail(ENOMEM, "no memory for a protection domain");
	pthread_mutex_lock(&context->lock);
	**pd = (struct xrdma_pd){ .context = context, .number = ++context->last_pd };
	context->pds++;
	pthread_mutex_unlock(&context->lock);
	return 0;
}

int xrdma_pd_dealloc(struct xrdma_pd *pd)
{
	struct xrdma_context *context = pd->context;
	__u32 users;

	pthread_mutex_lock(&context->lock);
	users = pd->users;
	if (!users)
		context->pds--;
	pthread_mutex_unlock(&context->lock);
	if (users)
		return xrdma_fail(
			EBUSY, "the protection domain still has %u regions and queue pairs", users);
	free(pd);
	return 0;
}

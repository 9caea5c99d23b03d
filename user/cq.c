// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cq.h"

#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "error.h"

int xrdma_cq_create(struct xrdma_context *context, __u32 entries, struct xrdma_cq **cq)
{
	if (!entries || entries > XRDMA_CQ_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "a completion queue of %u entries: 1 to %d", entries,
				  XRDMA_CQ_ENTRIES_MAX);
	*cq = malloc(sizeof(**cq));
	if (!*cq)
		return xrdma_fail(ENOMEM, "no memory for a completion queue");
	**cq = (struct xrdma_cq){ .context = context, .entries = entries };
	pthread_mutex_lock(&context->lock);
	context->cqs++;
	pthread_mutex_unlock(&context->lock);
	return 0;
}

int xrdma_cq_destroy(struct xrdma_cq *cq)
{
	struct xrdma_context *context = cq->context;
	__u32 users;

	pthread_mutex_lock(&context->lock);
	users = cq->users;
	if (!users)
		context->cqs--;
	pthread_mutex_unlock(&context->lock);
	if (users)
		return xrdma_fail(EBUSY, "%u queues still complete into it", users);
	free(cq);
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/comp_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "obj/context.h"

int xrdma_comp_channel_create(struct xrdma_context *context, struct xrdma_comp_channel **channel)
{
	int err = xrdma_context_enter(context);

	if (err)
		return err;
	*channel = calloc(1, sizeof(**channel));
	if (!*channel)
		return xrdma_fail(ENOMEM, "no memory for a completion channel");
	(*channel)->context = context;
	err = xrdma_channel_open(&(*channel)->events);
	if (err) {
		free(*channel);
		return xrdma_fail(-err, "no file descriptor for a completion channel: %s",
				  strerror(-err));
	}
	xrdma_count_in(&context->comp_channels);
	return 0;
}

int xrdma_comp_channel_destroy(struct xrdma_comp_channel *channel)
{
	int err = xrdma_context_own(channel->context);
	__u32 users = xrdma_count(&channel->users);

	if (err)
		return err;
	if (users)
		return xrdma_fail(EBUSY, "%u completion queues still use the channel", users);
	xrdma_channel_close(&channel->events);
	xrdma_count_out(&channel->context->comp_channels);
	free(channel);
	return 0;
}

int xrdma_comp_channel_fd(const struct xrdma_comp_channel *channel)
{
	return channel->events.fd;
}

int xrdma_comp_channel_read(struct xrdma_comp_channel *channel, struct xrdma_cq **cq)
{
	int kind, err = xrdma_context_own(channel->context);
	void *object;

	if (err)
		return err;
	err = xrdma_channel_read(&channel->events, &kind, &object);
	if (err)
		return xrdma_fail(-err, "no event of a completion queue: %s", strerror(-err));
	*cq = object;
	return 0;
}

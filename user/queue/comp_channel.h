/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Completion channels. <xrdma/cq.h> declares their handle. */
#ifndef XRDMA_USER_QUEUE_COMP_CHANNEL_H
#define XRDMA_USER_QUEUE_COMP_CHANNEL_H

#include <xrdma/cq.h>

#include "obj/channel.h"

struct xrdma_comp_channel {
	struct xrdma_context *context;
	struct xrdma_channel events;
	__u32 users; /* number of completion queues */
};

#endif
